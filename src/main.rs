//! The `gavel` binary: reads the command line and the settings, and runs the command.

mod cli;
mod compose;
mod config;
mod memory;

use clap::Parser;

fn main() -> std::process::ExitCode {
    memory::give_back_large_blocks();
    run()
}

#[tokio::main]
async fn run() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
