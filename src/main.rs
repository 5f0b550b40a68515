//! The `gavel` binary: reads the command line and the settings, and does what it says.

mod cli;
mod compose;
mod config;

use clap::Parser;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
