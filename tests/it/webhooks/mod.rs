//! Webhooks: what is sent, when again, to whom never, and who may say so.

mod asking;
mod bounds;
mod delivery;
mod endpoints;
mod events;
mod hostile;
mod killed;
mod receiver;
