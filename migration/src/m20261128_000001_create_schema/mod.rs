//! The tables of the first release, by area. What a column means is said at its entity; here is what the database
//! checks.

mod accounts;
mod batches;
mod jobs;
mod judges;
mod migration;
mod moderation;
mod money;
mod operation;
mod training;
mod webhooks;

pub(crate) use migration::Migration;
