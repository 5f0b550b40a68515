//! The official clients of others' wires, run against Gavel: the programs in `tests/clients`, the Rust client here, and
//! the snippets of `docs/clients.md`; and a front end of our own making. `scripts/clients.sh` installs what they need.

mod audit;
mod documented;
mod front_end;
mod gateway;
mod paid;
mod program;
mod programs;
mod retries;
mod rust;
mod schemas;
mod serving;
