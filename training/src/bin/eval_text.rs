//! Measures the embedded models on devtest and on the contrast test rows, and writes the tables into the model cards.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Parser;
use domain::moderation::links;
use engine::text::{NativeText, weights};
use training::domains::{self, DomainName};
use training::metrics::{auc, recall_at_false_positives};
use training::report::{evaluate, false_actions, families, heads, into_card, sources, with_interval};
use training::{contrast_kept_back, data};

/// Measures the embedded models.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_devtest.jsonl.gz and domains_devtest.csv.gz.
    data: PathBuf,
    /// The contrast sets.
    #[arg(long, default_value = "training/text/contrast")]
    contrast: PathBuf,
    /// Look at dev and at the contrast rows kept back instead, and leave the cards alone: for choosing settings.
    #[arg(long)]
    dev: bool,
    /// Where the cards are.
    #[arg(long, default_value = "models")]
    cards: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let engine = NativeText::load().map_err(|error| anyhow!(error.0))?;
    let (public, contrast) = if arguments.dev {
        let kept = data::read(&arguments.contrast.join("train.jsonl"))?
            .into_iter()
            .filter(contrast_kept_back)
            .collect();
        (data::read(&arguments.data.join("text_dev.jsonl.gz"))?, kept)
    } else {
        let test = data::read(&arguments.contrast.join("test.jsonl"))?;
        (data::read(&arguments.data.join("text_devtest.jsonl.gz"))?, test)
    };
    let chat_hosts = chat_hosts(&public);
    let public = evaluate(&engine, public)?;
    let contrast = evaluate(&engine, contrast)?;
    let mut sections = vec![
        ("devtest by harm", heads(&public)?),
        ("devtest by source", sources(&public)?),
        ("benign chat", false_actions(&public)?),
        ("contrast by harm", heads(&contrast)?),
        ("contrast by family", families(&contrast)?),
    ];
    for (name, table) in &sections {
        println!("## {name}\n\n{table}");
        if !arguments.dev {
            into_card(&arguments.cards.join("text-native.md"), name, table)?;
        }
    }
    if arguments.dev {
        return Ok(());
    }
    sections.clear();
    let table = hosts(&domains::read(&arguments.data.join("domains_devtest.csv.gz"))?, &chat_hosts)?;
    println!("## domains\n\n{table}");
    into_card(&arguments.cards.join("domain-native.md"), "domains", &table)
}

/// The hosts linked in chat that its sources take to be clean.
fn chat_hosts(rows: &[data::Row]) -> Vec<DomainName> {
    domains::from_chat(rows)
}

fn hosts(names: &[DomainName], chat: &[DomainName]) -> Result<String> {
    let model = weights::hosts().map_err(|error| anyhow!(error))?;
    let score = |name: &DomainName| {
        // As the service reads it: through the link finder, when it finds one.
        let found = links::find(&format!("https://{}", name.host)).into_iter().next();
        (model.scam(found.as_ref().map_or(&name.host, |link| &link.host)), name.scam)
    };
    let scored: Vec<(f64, bool)> = names.iter().map(score).collect();
    let registrable: Vec<(f64, bool)> =
        names.iter().filter(|name| name.host.matches('.').count() == 1).map(score).collect();
    let chat: Vec<f64> = chat.iter().map(|name| score(name).0).collect();
    let flagged = chat.iter().filter(|scam| **scam >= 0.5).count();
    let at_one = |scored: &[(f64, bool)]| recall_at_false_positives(scored, 0.01);
    Ok(format!(
        "| | all names | names of two labels only |\n|---|---|---|\n| names (scam) | {} ({}) | {} ({}) |\n| AUC (95 % interval) | {} | {} |\n| recall at 1 % false positives (95 % interval) | {} | {} |\n\nHosts linked in devtest's benign chat with a probability of at least .5: {flagged} of {}.\n",
        scored.len(),
        scored.iter().filter(|row| row.1).count(),
        registrable.len(),
        registrable.iter().filter(|row| row.1).count(),
        with_interval(&scored, auc),
        with_interval(&registrable, auc),
        with_interval(&scored, at_one),
        with_interval(&registrable, at_one),
        chat.len(),
    ))
}
