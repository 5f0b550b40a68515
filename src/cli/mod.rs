//! The command line, one file per noun. The only code that prints.

mod account;
mod arguments;
mod backend_list;
mod backends;
mod command;
mod credits;
mod decide;
mod demo;
mod doctor;
mod health;
mod jobs;
mod key;
mod log;
mod mcp;
mod models;
mod moderate;
mod named_account;
mod output;
mod password;
mod price;
mod serve;
mod trace_line;
mod user;

pub(crate) use command::Cli;
