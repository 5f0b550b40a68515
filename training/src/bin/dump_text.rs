//! Writes the input of the hybrid model's scripts for each labelled row: the text that the encoder reads, the native
//! model's log-odds, and what both models say of each part that the server reads.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Parser;
use engine::text::hybrid::{PartScores, encoder_text};
use engine::text::language::TextEncoder;
use engine::text::{HybridText, NativeText};
use ports::Flow;
use ports::text::{Categories, TextInput, TextMode, links};
use serde_json::json;
use training::contrast_kept_back;
use training::data::{self, LabelledText};
use training::engines::EngineArguments;
use training::metrics;

/// Messages that the encoder is given at once.
const TOGETHER: usize = 50;

/// Writes JSON lines: `id, src, lang, chat, kept, raw, text, labels, native`, and with `--hybrid` `parts`: for the
/// whole and each part of it its language, the log-odds of both models and the penalty.
#[derive(Parser)]
struct Arguments {
    /// Labelled rows (`.jsonl`, `.jsonl.gz`) or hand-written ones (`.tsv`).
    rows: PathBuf,
    /// The output file.
    out: PathBuf,
    /// Contrast rows kept back from training alone.
    #[arg(long)]
    kept: bool,
    /// Sources alone whose rows are written, such as `dyn21_en`; all if not given.
    #[arg(long, value_delimiter = ',')]
    sources: Vec<String>,
    /// `text` and `parts` are what the multilingual encoder reads and says, not the English one.
    #[arg(long)]
    multilingual: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let native = arguments.engine.native()?;
    let hybrid = arguments.engine.hybrid()?;
    let handwritten = arguments.rows.extension().is_some_and(|end| end == "tsv");
    let mut rows =
        if handwritten { data::read_handwritten(&arguments.rows)? } else { data::read(&arguments.rows)? };
    if arguments.kept {
        rows.retain(contrast_kept_back);
    }
    if !arguments.sources.is_empty() {
        rows.retain(|row| arguments.sources.contains(&row.source));
    }
    let encoder = if arguments.multilingual { TextEncoder::Multilingual } else { TextEncoder::English };
    let mut out = BufWriter::new(File::create(&arguments.out)?);
    let runtime = tokio::runtime::Runtime::new()?;
    for some in rows.chunks(TOGETHER) {
        let parts = hybrid.as_ref().map(|engine| runtime.block_on(parts(engine, some))).transpose()?;
        for (at, row) in some.iter().enumerate() {
            let mut line = line(&native, encoder, row);
            if let Some(parts) = &parts {
                line["parts"] = parts[at].iter().map(|candidate| part(encoder, candidate)).collect();
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

async fn parts(engine: &HybridText, rows: &[LabelledText]) -> Result<Vec<Vec<PartScores>>> {
    let inputs = rows.iter().map(|row| input(row, TextMode::Hybrid)).collect();
    engine.part_scores(Flow::default(), inputs).await.map_err(|fault| anyhow!("{fault:?}"))
}

fn input(row: &LabelledText, mode: TextMode) -> TextInput {
    TextInput { content: row.text.clone(), mode, explain: false }
}

fn line(native: &NativeText, encoder: TextEncoder, row: &LabelledText) -> serde_json::Value {
    json!({
        "id": row.id,
        "src": row.source,
        "lang": row.lang,
        "chat": row.chat,
        "kept": row.source.starts_with("contrast/") && contrast_kept_back(row),
        "raw": row.text,
        "text": encoder_text(encoder, &row.text, &links::find(&row.text)),
        "labels": row.labels.map(|label| label.map(u8::from)),
        "native": log_odds(&native.score_one(&input(row, TextMode::Native)).categories),
    })
}

/// What the native model and one encoder say of a part; nothing of the encoder where it has not read it.
fn part(encoder: TextEncoder, part: &PartScores) -> serde_json::Value {
    let decoder = (part.encoder == encoder).then_some((part.decoder.harms, part.decoder.action)).unzip();
    json!({
        "language": part.language.tag(),
        "native": log_odds(&part.native),
        "decoder": decoder.0,
        "action": decoder.1,
        "penalty": part.penalty,
    })
}

fn log_odds(categories: &Categories) -> Vec<f64> {
    categories.0.iter().map(|p| metrics::log_odds(*p)).collect()
}
