//! Measures an engine by language and writes the tables into the card of the native or, with `--hybrid`, the
//! multilingual model: on the devtest rows of the sources that it was trained on, and on sources that it has not met,
//! those whose terms allow measuring alone among them.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use training::data::{self, LabelledText};
use training::engines::EngineArguments;
use training::languages::{Figures, measure, read, table, write};
use training::report::into_card;

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
    /// The folder with the cards.
    #[arg(long, default_value = "models")]
    cards: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let judge = arguments.engine.judge()?;
    let card = match &arguments.engine.hybrid {
        Some(_) => "gavel-text-multilingual-1.3.0.md",
        None => "text-native.md",
    };
    let part = if arguments.dev { "dev" } else { "devtest" };
    let mut sets =
        vec![("trained", vec![format!("text_{part}")]), ("held", vec![format!("research_text_{part}")])];
    if !arguments.dev {
        sets[1].1.extend(["text_newsource".to_owned(), "research_text_newsource".to_owned()]);
    }
    for (name, files) in sets {
        let mut rows: Vec<LabelledText> = Vec::new();
        for file in &files {
            rows.extend(data::read(&arguments.languages.join(format!("{file}.jsonl.gz")))?);
        }
        let now = measure(&judge.evaluate(rows)?);
        if let Some(folder) = &arguments.figures {
            std::fs::write(folder.join(format!("{part}-{name}.tsv")), write(&now))?;
        }
        let before = match &arguments.before {
            Some(folder) => read(&std::fs::read_to_string(folder.join(format!("{part}-{name}.tsv")))?)?,
            None => Figures::new(),
        };
        let all = table(&now, &before, false)?;
        let sources = table(&now, &before, true)?;
        println!("## {name}\n\n{all}\n{sources}");
        if !arguments.dev && arguments.figures.is_none() {
            let shown = if name == "trained" { all } else { sources };
            into_card(&arguments.cards.join(card), &format!("languages, {name}"), &shown)?;
        }
    }
    Ok(())
}
