//! GraphQL as a front end uses it: transport, limits, and each type in its own file.

mod actors;
mod addresses;
mod asking;
pub(crate) mod checkpoints;
pub(crate) mod client;
mod csrf;
mod dataset;
mod documents;
mod erase;
mod evaluations;
mod http;
mod keys;
mod labels;
mod ledger;
mod limits;
mod mail;
mod moderation_queue;
mod names;
mod operator;
mod people;
pub(crate) mod proof_of_work;
mod purge;
mod review;
mod samples;
mod sdl;
mod search;
mod sessions;
mod socket;
mod stats;
mod subscriptions;
mod tenants;
mod usage;

pub(crate) use asking::mutation;
pub(crate) use client::Session;
pub(crate) use sessions::{PASSWORD, person};
pub(crate) use socket::Socket;
