//! Image moderation over REST.

mod answers;
mod engines;
mod fetch;
mod forms;
mod interrupted;
mod memory;
mod paying;
mod refusals;
mod ssrf;
mod tls;
mod verdicts;
mod views;
