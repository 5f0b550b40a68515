//! Measures what people really type, with the native or the hybrid engine: `training/text/yardstick/`, and disguises
//! of dev rows. Prints tables.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use training::chat::{alarms, cruelty, curses, disguises, harmless, read, severity};
use training::dev_rows;
use training::engines::EngineArguments;
use training::report::{Evaluated, acted};
use training::yardstick::is_benign;

/// Measures an engine on what people really type.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_dev.jsonl.gz.
    data: PathBuf,
    /// The folder with the rows in many languages.
    languages: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
    /// Which half of the lines: choose or report.
    #[arg(long, default_value = "choose")]
    set: String,
    /// Every n-th dev row for the disguises; 0 for none.
    #[arg(long, default_value_t = 12)]
    every: usize,
    /// The number of pairs of disguises.
    #[arg(long, default_value_t = 40)]
    pairs: usize,
    /// The most harmful rows for the disguises, evenly chosen, for the slower engine.
    #[arg(long, default_value_t = usize::MAX)]
    harmful: usize,
    /// The most benign rows for the disguises, evenly chosen.
    #[arg(long, default_value_t = usize::MAX)]
    benign: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let judge = arguments.engine.judge()?;
    let set = arguments.set.as_str();
    println!("## curses\n\n{}", curses(&judge, set)?);
    println!("## severity\n\n{}", severity(&judge, set)?);
    println!("## cruelty\n\n{}\n", cruelty(&judge, set)?);
    let everyday: Vec<String> =
        read("everyday.tsv", set)?.into_iter().map(|row| row["text"].clone()).collect();
    println!("## everyday\n\n{}", harmless(&judge, "everyday", &everyday)?);
    let names = if set == "report" { "names_report.txt" } else { "names.txt" };
    let names = std::fs::read_to_string(Path::new("training/text/yardstick").join(names))?;
    let names: Vec<String> = names.lines().map(str::to_owned).collect();
    println!("## names\n\n{}", harmless(&judge, "names", &names)?);
    if arguments.every == 0 {
        return Ok(());
    }
    let rows = dev_rows(&arguments.data, &arguments.languages)?;
    let rows = rows.into_iter().filter(|row| row.text.len() < 300).step_by(arguments.every).collect();
    let rows = judge.evaluate(rows)?;
    let harmful: Vec<&Evaluated> =
        rows.iter().filter(|row| acted(row) && row.row.labels.contains(&Some(true))).collect();
    let benign: Vec<&Evaluated> = rows.iter().filter(|row| is_benign(&row.row)).collect();
    println!("## benign rows acted upon\n\n{}\n", alarms(&benign));
    let harmful = evenly(harmful, arguments.harmful);
    let benign = evenly(benign, arguments.benign);
    println!("## disguises of {} and {} rows\n", harmful.len(), benign.len());
    println!("{}", disguises(&judge, &harmful, &benign, arguments.pairs)?);
    Ok(())
}

/// At most `most` of the rows, evenly chosen.
fn evenly<T: Copy>(rows: Vec<T>, most: usize) -> Vec<T> {
    if rows.len() <= most {
        return rows;
    }
    (0..most).map(|at| rows[at * rows.len() / most]).collect()
}
