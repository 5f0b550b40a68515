//! The domain: moderation, decision inference, Judges, accounts and credits. Depends on no HTTP server or client, no
//! Redis and no model runtime. The groups below are layers, from the bottom up: each imports only from those above it
//! in this list.

pub mod foundation;

pub mod money;

pub mod background;

pub mod operations;

pub mod learning;

pub mod people;

pub mod batch;

pub mod services;
mod settings;

pub use foundation::error::{Code, Detail, Error, Result};
pub use settings::{DomainSettings, InvalidSetting};
