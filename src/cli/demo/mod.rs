//! The demo account of `gavel serve --demo`: its credentials, and what it begins with.

mod account;
mod seed;

pub(super) use account::Demo;
