//! Measures the embedded native or hybrid engine on dev rows, never on a test set: padding, false alarms by length,
//! languages and contrast families. Prints tables.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use training::cost::cost;
use training::engines::EngineArguments;
use training::report::{Evaluated, acted, false_actions, families, is_harmful};
use training::yardstick::{Judge, is_benign, languages, lengths, long_texts, padding};
use training::{contrast_kept_back, data, padding::read_fillers};

/// Measures an engine on dev rows.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_dev.jsonl.gz.
    data: PathBuf,
    /// The folder with the rows in many languages.
    #[arg(long)]
    languages: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArguments,
    /// Every n-th dev row and every n-th long text, for the slower engine.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The ways of padding that are measured, from the first on.
    #[arg(long, default_value_t = usize::MAX)]
    ways: usize,
    /// What to measure: padding, length, families, languages, cost; all without.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let judge = arguments.engine.judge()?;
    let contrast: Vec<data::LabelledText> = data::read(Path::new("training/text/contrast/train.jsonl"))?
        .into_iter()
        .filter(contrast_kept_back)
        .collect();
    let public = data::read(&arguments.data.join("text_dev.jsonl.gz"))?;
    if arguments.wants("padding") || arguments.wants("families") {
        print_families(&arguments, &judge, &public, &contrast)?;
    }
    if arguments.wants("cost") {
        print_cost(&judge, &public, &contrast)?;
    }
    if arguments.wants("length") {
        print_lengths(&arguments, &judge, &public)?;
    }
    if let Some(folder) = arguments.languages.as_ref().filter(|_| arguments.wants("languages")) {
        for name in ["text_dev", "research_text_dev", "research_text_newsource"] {
            let rows = data::read(&folder.join(format!("{name}.jsonl.gz")))?;
            let rows = judge.evaluate(arguments.every_nth(rows))?;
            println!("## languages, {name}\n\n{}", languages(&rows, false)?);
            println!("## languages by source, {name}\n\n{}", languages(&rows, true)?);
        }
    }
    Ok(())
}

impl Arguments {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    fn every_nth(&self, rows: Vec<data::LabelledText>) -> Vec<data::LabelledText> {
        rows.into_iter().step_by(self.every).collect()
    }
}

fn print_families(
    arguments: &Arguments,
    judge: &Judge,
    public: &[data::LabelledText],
    contrast: &[data::LabelledText],
) -> Result<()> {
    let contrast = judge.evaluate(contrast.to_vec())?;
    let dev = judge.evaluate(arguments.every_nth(public.to_vec()))?;
    println!("## families\n\n{}", families(&contrast)?);
    println!("## benign chat\n\n{}", false_actions(&dev)?);
    if arguments.wants("padding") {
        let fillers = read_fillers(Path::new("training/text/yardstick/harmless.txt"))?;
        let harmful = dev.iter().chain(&contrast);
        let harmful = harmful.filter(|row| acted(row) && row.row.labels.contains(&Some(true)));
        let rows: Vec<&Evaluated> = harmful.step_by(arguments.every.min(4)).collect();
        println!("## padding\n\n{}", padding(judge, &rows, &fillers, arguments.ways)?);
    }
    Ok(())
}

fn print_cost(judge: &Judge, public: &[data::LabelledText], contrast: &[data::LabelledText]) -> Result<()> {
    let benign: Vec<&str> =
        public.iter().filter(|row| is_short(row) && is_benign(row)).map(|row| row.text.as_str()).collect();
    let harmful: Vec<&str> =
        contrast.iter().filter(|row| is_short(row) && is_harmful(row)).map(|row| row.text.as_str()).collect();
    println!("## cost\n\n{}", cost(judge, &benign, &harmful)?);
    Ok(())
}

fn is_short(row: &data::LabelledText) -> bool {
    row.chat && (40..120).contains(&row.text.len())
}

fn print_lengths(arguments: &Arguments, judge: &Judge, public: &[data::LabelledText]) -> Result<()> {
    let mut rows = public.to_vec();
    if let Some(folder) = &arguments.languages {
        let chat = ["xed", "xpersona", "chatterbot", "songys_chat"];
        let more = data::read(&folder.join("text_dev.jsonl.gz"))?;
        rows.extend(more.into_iter().filter(|row| chat.contains(&row.source.as_str())));
    }
    let mut texts = long_texts(&rows, &files()?);
    texts.extend(
        rows.iter().filter(|row| row.chat && is_benign(row)).map(|row| ("chat".to_owned(), row.text.clone())),
    );
    texts.extend(
        public
            .iter()
            .filter(|row| row.source == "wiki_context_toxicity" && is_benign(row))
            .map(|row| ("Wikipedia talk".to_owned(), row.text.clone())),
    );
    let texts: Vec<_> = texts.into_iter().step_by(arguments.every).collect();
    println!("## benign texts by length\n\n{}", lengths(judge, &texts)?);
    Ok(())
}

/// Files of this repository, each with its kind.
fn files() -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for (name, folder, end) in [
        ("documentation", "docs", "md"),
        ("documentation", ".", "md"),
        ("Rust", "engine/src/encoder", "rs"),
        ("Rust", "domain/src/learning/dataset", "rs"),
        ("Rust", "domain/src/money/credits", "rs"),
        ("Python", "training/decision", "py"),
        ("Python", "bench", "py"),
        ("documentation", "models", "md"),
    ] {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|found| found == end)) {
            let text = std::fs::read_to_string(path)?;
            // Files about moderation quote lures and insults.
            let quotes = ["nitro", "idiot", "kys", "kill"].iter().any(|word| text.contains(word));
            let name = if quotes { "files that quote abuse" } else { name };
            files.push((name.to_owned(), text));
        }
    }
    Ok(files)
}
