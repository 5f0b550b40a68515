//! The `gavel` binary: parses the command line and the settings, and runs the command.

mod cli;
mod compose;
mod config;
mod database;
mod jobs;
mod memory;
mod metrics;
mod model_catalog;
mod process;
mod server;
mod setting_faults;
mod setting_ranges;
mod traces;

use clap::Parser;

fn main() -> std::process::ExitCode {
    process::prepare();
    run()
}

#[tokio::main]
async fn run() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
