//! Measures the embedded native model by language and writes the tables into its card: on the devtest rows of the sources that it was
//! trained on, and on sources that it has not met, those whose terms allow measuring alone among them.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Parser;
use engine::text::NativeText;
use training::data::{self, Row};
use training::languages::{Figures, measure, read, table, write};
use training::report::{evaluate, into_card};

/// Measures by language.
#[derive(Parser)]
struct Arguments {
    /// The folder with the rows in many languages.
    languages: PathBuf,
    /// Use dev instead, and leave the card alone.
    #[arg(long)]
    dev: bool,
    /// A folder in which figures of other weights were left with --figures.
    #[arg(long)]
    before: Option<PathBuf>,
    /// A folder for the figures; the card is left alone.
    #[arg(long)]
    figures: Option<PathBuf>,
    /// The card.
    #[arg(long, default_value = "models/text-native.md")]
    card: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let engine = NativeText::load().map_err(|error| anyhow!(error.0))?;
    let part = if arguments.dev { "dev" } else { "devtest" };
    let mut sets =
        vec![("trained", vec![format!("text_{part}")]), ("held", vec![format!("research_text_{part}")])];
    if !arguments.dev {
        sets[1].1.extend(["text_newsource".to_owned(), "research_text_newsource".to_owned()]);
    }
    for (name, files) in sets {
        let mut rows: Vec<Row> = Vec::new();
        for file in &files {
            rows.extend(data::read(&arguments.languages.join(format!("{file}.jsonl.gz")))?);
        }
        let now = measure(&evaluate(&engine, rows)?);
        if let Some(folder) = &arguments.figures {
            std::fs::write(folder.join(format!("{part}-{name}.tsv")), write(&now))?;
        }
        let before = match &arguments.before {
            Some(folder) => read(&std::fs::read_to_string(folder.join(format!("{part}-{name}.tsv")))?)?,
            None => Figures::new(),
        };
        let (all, sources) = (table(&now, &before, false)?, table(&now, &before, true)?);
        println!("## {name}\n\n{all}\n{sources}");
        if !arguments.dev && arguments.figures.is_none() {
            let shown = if name == "trained" { all } else { sources };
            into_card(&arguments.card, &format!("languages, {name}"), &shown)?;
        }
    }
    Ok(())
}
