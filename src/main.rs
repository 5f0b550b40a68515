//! The `gavel` binary: parses the command line and the settings, and runs the command.

mod cli;
mod compose;
mod config;
mod database;
mod metrics;

use clap::Parser;
use mimalloc::MiMalloc;

/// Most requests allocate on one thread and free on another, where glibc's allocator makes threads wait for each other.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
