//! Fits what the entries of the lexicon add to the harms, for `domain/src/operations/moderation/lexicon.rs`, and prints
//! it. Uses dev and the held-out contrast rows, which the weights have not seen.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use ports::text::Category;
use training::dev_rows;
use training::engines::EngineArguments;
use training::metrics::log_odds;

/// Fits the lexicon's weights.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_dev.jsonl.gz.
    data: PathBuf,
    /// The folder with the rows in many languages.
    languages: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
    /// Every n-th row, for the slower engine.
    #[arg(long, default_value_t = 1)]
    every: usize,
}

/// A row's log-odds of a harm, and whether it has it.
type Fact = (f64, bool);

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let rows = dev_rows(&arguments.data, &arguments.languages)?;
    let rows = rows.into_iter().step_by(arguments.every).collect();
    let mut facts: BTreeMap<(String, usize), Vec<Fact>> = BTreeMap::new();
    for evaluated in arguments.engine.judge()?.evaluate(rows)? {
        let worst = evaluated.scores.lexicon.iter().max_by_key(|hit| hit.degree);
        let Some(hit) = worst else { continue };
        let kind: &'static str = hit.kind.into();
        let english = if hit.language == "en" { "en" } else { "other" };
        for category in Category::ALL {
            let Some(label) = evaluated.row.labels[category as usize] else { continue };
            let fact = (log_odds(evaluated.scores.categories[category]), label);
            facts
                .entry((format!("{kind} {} {english}", hit.degree), category as usize))
                .or_default()
                .push(fact);
        }
    }
    for ((group, category), facts) in &facts {
        let positives = facts.iter().filter(|fact| fact.1).count();
        if positives >= 5 {
            println!(
                "{group:24} {:12} {positives:5} of {:5} {:+.2}",
                Category::ALL[*category].as_str(),
                facts.len(),
                offset(facts)
            );
        }
    }
    Ok(())
}

/// The log-odds that make the expected number of positives the counted one.
fn offset(facts: &[Fact]) -> f64 {
    let counted = facts.iter().filter(|fact| fact.1).count() as f64;
    let mut low = -10.0;
    let mut high = 10.0;
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let expected: f64 = facts.iter().map(|(log_odds, _)| 1.0 / (1.0 + (-log_odds - middle).exp())).sum();
        if expected < counted {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
