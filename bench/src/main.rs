//! The in-process parts of the measurements, run by the scripts in this folder. They assert nothing. They share one
//! binary, with the allocator of `gavel`, because linking takes as long as for `gavel` itself.
#![allow(clippy::print_stdout)]

#[path = "../../src/memory.rs"]
mod memory;
#[path = "../../src/process.rs"]
mod process;

mod arguments;
mod charges;
mod checkpoints;
mod decision;
mod faces;
mod hybrid;
mod image;
mod schema;
mod text;
mod usage;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    process::prepare();
    measure()
}

#[tokio::main]
async fn measure() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let measurement = arguments.next().unwrap_or_default();
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match measurement.as_str() {
        "charges" => charges::run(&arguments).await,
        "checkpoints" => checkpoints::run(&arguments).await,
        "decision" => decision::run(&arguments).await,
        "faces" => faces::run(&arguments),
        "hybrid" => hybrid::run(&arguments).await,
        "image" => image::run(&arguments).await,
        "schema" => schema::run(),
        "text" => text::run(&arguments),
        _ => bail!(
            "usage: bench charges|checkpoints|decision|faces|hybrid|image|schema|text ARGUMENTS; see bench/src"
        ),
    }
}
