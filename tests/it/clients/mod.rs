//! The official clients of other APIs, run against Gavel: the programs in `tests/clients`, the Rust client,
//! the snippets of `docs/clients.md`, and a sample front end. `scripts/clients.sh` installs what they need.

mod audit;
mod documented;
mod front_end;
mod gateway;
mod llama;
mod paid;
mod program;
mod programs;
mod retries;
mod rust;
mod schemas;
mod serving;
