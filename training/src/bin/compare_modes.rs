//! Compares native and hybrid mode on dev rows and on what people type: what native finds and hybrid loses. Prints
//! tables.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use training::dev_rows;
use training::engines::EngineArguments;
use training::modes::{by_harm, by_language, compare, lost, yardsticks};

/// Compares both modes.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_dev.jsonl.gz.
    data: PathBuf,
    /// The folder with the rows in many languages.
    languages: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
    /// Every n-th dev row.
    #[arg(long, default_value_t = 1)]
    every: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut judge = arguments.engine.judge()?;
    for set in ["choose", "report"] {
        println!("## what people type, {set}\n\n{}", yardsticks(&mut judge, set)?);
    }
    let rows = dev_rows(&arguments.data, &arguments.languages)?;
    let rows = compare(&mut judge, rows.into_iter().step_by(arguments.every).collect())?;
    println!("## dev by language\n\n{}", by_language(&rows)?);
    println!("## dev by harm\n\n{}", by_harm(&rows)?);
    println!("## lost\n\n{}", lost(&rows));
    Ok(())
}
