//! Evaluates the native or the hybrid engine on devtest and the contrast test rows, and writes the tables into the
//! model cards.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Parser;
use engine::text::weights;
use ports::text::links;
use training::domains::{self, DomainName};
use training::engines::EngineArguments;
use training::metrics::{auc, recall_at_false_positives};
use training::report::{false_actions, families, heads, into_card, sources, with_interval};
use training::{contrast_kept_back, data};

/// The hybrid model, whose card has this name.
const HYBRID: &str = "gavel-text-hybrid-1.9.0";

/// Evaluates an engine.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_devtest.jsonl.gz and domains_devtest.csv.gz.
    data: PathBuf,
    /// The contrast sets.
    #[arg(long, default_value = "training/text/contrast")]
    contrast: PathBuf,
    /// Use dev and the held-out contrast rows instead, and leave the cards alone, to choose hyperparameters.
    #[arg(long)]
    dev: bool,
    /// The folder with the cards.
    #[arg(long, default_value = "models")]
    cards: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let judge = arguments.engine.judge()?;
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
    let public = judge.evaluate(public)?;
    let contrast = judge.evaluate(contrast)?;
    let mut sections =
        vec![("benign chat", false_actions(&public)?), ("contrast by family", families(&contrast)?)];
    if !arguments.dev {
        let held = judge.evaluate(data::read(&arguments.contrast.join("held.jsonl"))?)?;
        sections.push(("families held out", families(&held)?));
    }
    let card = match &arguments.engine.hybrid {
        Some(_) => format!("{HYBRID}.md"),
        None => {
            sections.push(("devtest by harm", heads(&public)?));
            sections.push(("devtest by source", sources(&public)?));
            sections.push(("contrast by harm", heads(&contrast)?));
            "text-native.md".to_owned()
        }
    };
    for (name, table) in &sections {
        println!("## {name}\n\n{table}");
        if !arguments.dev {
            into_card(&arguments.cards.join(&card), name, table)?;
        }
    }
    if arguments.dev || arguments.engine.hybrid.is_some() {
        return Ok(());
    }
    let table = hosts(&domains::read(&arguments.data.join("domains_devtest.csv.gz"))?, &chat_hosts)?;
    println!("## domains\n\n{table}");
    into_card(&arguments.cards.join("domain-native.md"), "domains", &table)
}

/// Hosts that are linked in chat which its sources label as clean.
fn chat_hosts(rows: &[data::LabelledText]) -> Vec<DomainName> {
    domains::from_chat(rows)
}

fn hosts(names: &[DomainName], chat: &[DomainName]) -> Result<String> {
    let model = weights::hosts().map_err(|error| anyhow!(error))?;
    let score = |name: &DomainName| {
        // As the service reads it: through the link finder, if it finds one.
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
        "| | all names | names of two labels only |\n|---|---|---|\n\
         | names (scam) | {} ({}) | {} ({}) |\n\
         | AUC (95 % interval) | {} | {} |\n\
         | recall at 1 % false positives (95 % interval) | {} | {} |\n\n\
         Hosts linked in devtest's benign chat with a probability of at least .5: {flagged} of {}.\n",
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
