//! Writes what the hybrid model's trainer needs of each labelled row: the text as an encoder reads it, and the native
//! model's log-odds. Trains nothing and judges nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Parser;
use domain::moderation::Mode;
use domain::moderation::TextInput;
use domain::moderation::links;
use engine::text::NativeText;
use engine::text::features::Features;
use engine::text::hybrid::encoder_text;
use engine::text::linear::{HEADS, Head, Linear};
use engine::text::normalize::normalize;
use engine::text::weights::Manifest;
use serde_json::json;
use training::contrast_kept_back;
use training::data::{self, Row};

/// Log-odds further from 0 than those of this probability are cut off.
const SUREST: f64 = 1e-6;

/// Writes JSON lines: `id, src, chat, kept, raw, text, labels, native`.
#[derive(Parser)]
struct Arguments {
    /// Labelled rows (`.jsonl`, `.jsonl.gz`) or hand-written ones (`.tsv`).
    rows: PathBuf,
    /// Where the lines go.
    out: PathBuf,
    /// A folder with other native weights (`train_text --trial`), to score rows that the embedded ones have met. These
    /// read a message as a whole, not also in stretches.
    #[arg(long)]
    weights: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let native = Native::load(arguments.weights.as_deref())?;
    let handwritten = arguments.rows.extension().is_some_and(|end| end == "tsv");
    let rows =
        if handwritten { data::read_handwritten(&arguments.rows)? } else { data::read(&arguments.rows)? };
    let mut out = BufWriter::new(File::create(&arguments.out)?);
    for row in &rows {
        writeln!(out, "{}", line(&native, row))?;
    }
    Ok(out.flush()?)
}

/// Where log-odds come from: the server's own engine, or weights in a folder.
enum Native {
    Embedded(Box<NativeText>),
    Other(Box<Linear>),
}

impl Native {
    fn load(folder: Option<&Path>) -> Result<Self> {
        let Some(folder) = folder else {
            return Ok(Self::Embedded(Box::new(NativeText::load().map_err(|error| anyhow!(error.0))?)));
        };
        let manifest: Manifest<Vec<Head>> =
            serde_json::from_slice(&std::fs::read(folder.join("text-native.json"))?)?;
        let table = std::fs::read(folder.join(&manifest.file))?.leak();
        let linear =
            Linear::new(table, manifest.heads).ok_or_else(|| anyhow!("a table of the wrong length"))?;
        Ok(Self::Other(Box::new(linear)))
    }

    fn log_odds(&self, content: &str) -> [f64; HEADS] {
        let probabilities: [f64; HEADS] = match self {
            Self::Embedded(engine) => {
                let input = TextInput { content: content.to_owned(), mode: Mode::Native, explain: false };
                engine.score_one(&input).categories.0
            }
            Self::Other(linear) => {
                let text = normalize(content, &links::find(content));
                let sums = linear.sums(&Features::read(&text, 0..text.words.len()));
                std::array::from_fn(|head| linear.probability(head, sums[head]))
            }
        };
        probabilities.map(|probability| {
            let p = probability.clamp(SUREST, 1.0 - SUREST);
            (p / (1.0 - p)).ln()
        })
    }
}

fn line(native: &Native, row: &Row) -> serde_json::Value {
    json!({
        "id": row.id,
        "src": row.source,
        "chat": row.chat,
        "kept": row.source.starts_with("contrast/") && contrast_kept_back(row),
        "raw": row.text,
        "text": encoder_text(&row.text, &links::find(&row.text)),
        "labels": row.labels.map(|label| label.map(u8::from)),
        "native": native.log_odds(&row.text),
    })
}
