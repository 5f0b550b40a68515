//! The `gavel` binary: parses the command line and the settings, and runs the command.

mod cli;
mod compose;
mod config;
mod database;
mod jobs;
mod memory;
mod metrics;
mod model_catalog;
mod server;
mod setting_ranges;
mod traces;

use clap::Parser;

fn main() -> std::process::ExitCode {
    memory::fix_mmap_threshold();
    run()
}

#[tokio::main]
async fn run() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
