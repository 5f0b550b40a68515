//! Webhooks: events, retries, limits, hostile receivers and permissions.

mod asking;
mod bounds;
mod delivery;
mod endpoints;
mod events;
mod hostile;
mod killed;
mod receiver;
