//! The `gavel` binary: reads the command line and the settings, and does what it says.

mod cli;
mod compose;
mod config;
mod memory;

use clap::Parser;

fn main() -> std::process::ExitCode {
    memory::fix_mmap_threshold();
    run()
}

#[tokio::main]
async fn run() -> std::process::ExitCode {
    cli::Cli::parse().run().await
}
