//! Fits the weights of the cues of doxxing and prints them, for
//! `domain/src/operations/moderation/personal_data/doxxing/weights.rs`: a logistic regression on `text/doxxing.jsonl`,
//! on the half of the yardstick for choosing, and on rows of text_train, which are taken for harmless. With
//! `--report`, it also ranks the other half.
#![allow(clippy::print_stdout)]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::PathBuf,
};

use anyhow::Result;
use clap::Parser;
use domain::operations::moderation::{DoxxingCue, doxxing_cues};
use flate2::read::GzDecoder;
use serde::Deserialize;
use training::metrics::auc;

/// Fits the weights of doxxing.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_train.jsonl.gz.
    data: PathBuf,
    /// The folder with doxxing.jsonl and yardstick/.
    #[arg(long, default_value = "training/text")]
    lines: PathBuf,
    /// Rank the half of the yardstick that nothing was chosen on.
    #[arg(long)]
    report: bool,
}

/// What a row of text_train counts for, beside one that was written for this.
const BACKGROUND: f64 = 0.2;
/// Every n-th row of text_train.
const EVERY: usize = 5;
/// Longer ones are left out, in bytes.
const LONGEST: usize = 350;
/// The reciprocal of the weight of the squares of the weights.
const INVERSE_PENALTY: f64 = 0.1;
const ROUNDS: usize = 200;
/// The share of rows of text_train that may reach a probability of one half; it sets the bias.
const FALSE_ALARMS: f64 = 0.0008;

#[derive(Deserialize)]
struct Line {
    text: String,
    #[serde(default)]
    label: u8,
    #[serde(default)]
    set: String,
}

struct Row {
    /// The places of its cues among all.
    cues: Vec<usize>,
    is_doxxing: bool,
    weight: f64,
}

/// The log-odds of a cue and of none.
struct Model {
    weights: Vec<f64>,
    bias: f64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let own = fs::read_to_string(arguments.lines.join("doxxing.jsonl"))?;
    let yardstick = fs::read_to_string(arguments.lines.join("yardstick/doxxing.jsonl"))?;
    let mut rows = read(own.lines().map(str::to_owned), "", 1.0)?;
    let choose = read(yardstick.lines().map(str::to_owned), "choose", 1.0)?;
    let choose_from = rows.len();
    rows.extend(choose);
    let background_from = rows.len();
    let file = BufReader::new(GzDecoder::new(File::open(arguments.data.join("text_train.jsonl.gz"))?));
    let lines: Vec<String> = file.lines().step_by(EVERY).collect::<Result<_, _>>()?;
    rows.extend(read(lines.into_iter().filter(|line| line.len() < LONGEST + 200), "", BACKGROUND)?);
    for row in &mut rows[background_from..] {
        row.is_doxxing = false;
    }
    let mut model = fit(&rows);
    let mut background: Vec<f64> = rows[background_from..].iter().map(|row| model.log_odds(row)).collect();
    background.sort_by(|a, b| b.total_cmp(a));
    model.bias -= background[(background.len() as f64 * FALSE_ALARMS) as usize];
    print(&model);
    println!("// AUC on the training lines {:.3}", model.auc(&rows[..choose_from]));
    println!("// AUC on choose {:.3}", model.auc(&rows[choose_from..background_from]));
    if arguments.report {
        let report = read(yardstick.lines().map(str::to_owned), "report", 1.0)?;
        println!("// AUC on report {:.3}", model.auc(&report));
        println!(
            "// found {:.3}, false alarms {:.3}",
            model.share(&report, true),
            model.share(&report, false)
        );
    }
    Ok(())
}

/// The rows of JSON lines of a set.
fn read(lines: impl Iterator<Item = String>, set: &str, weight: f64) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for line in lines {
        let Line { text, label, set: of } = serde_json::from_str(&line)?;
        if of == set {
            let found = doxxing_cues(&text);
            let cues = DoxxingCue::ALL.iter().enumerate().filter(|(_, cue)| found.has(**cue));
            rows.push(Row { cues: cues.map(|(place, _)| place).collect(), is_doxxing: label == 1, weight });
        }
    }
    Ok(rows)
}

/// A logistic regression with a penalty on squares, by Newton steps along one weight after the other.
fn fit(rows: &[Row]) -> Model {
    let mut model = Model { weights: vec![0.0; DoxxingCue::ALL.len()], bias: 0.0 };
    let mut with: Vec<Vec<usize>> = vec![Vec::new(); model.weights.len()];
    for (number, row) in rows.iter().enumerate() {
        for cue in &row.cues {
            with[*cue].push(number);
        }
    }
    let all: Vec<usize> = (0..rows.len()).collect();
    let mut log_odds = vec![0.0; rows.len()];
    for _ in 0..ROUNDS {
        model.bias += step(rows, &all, &mut log_odds, None);
        for (weight, with) in model.weights.iter_mut().zip(&with) {
            *weight += step(rows, with, &mut log_odds, Some(*weight));
        }
    }
    model
}

/// By how much a weight changes that some of the rows have. It is penalised if it is given.
fn step(rows: &[Row], with: &[usize], log_odds: &mut [f64], penalised: Option<f64>) -> f64 {
    let mut slope = penalised.unwrap_or_default() / INVERSE_PENALTY;
    let mut curvature = penalised.map_or(1e-9, |_| 1.0 / INVERSE_PENALTY);
    for number in with {
        let row = &rows[*number];
        let probability = 1.0 / (1.0 + (-log_odds[*number]).exp());
        slope += row.weight * (probability - f64::from(u8::from(row.is_doxxing)));
        curvature += row.weight * probability * (1.0 - probability);
    }
    let change = (-slope / curvature).clamp(-1.0, 1.0);
    for number in with {
        log_odds[*number] += change;
    }
    change
}

impl Model {
    fn log_odds(&self, row: &Row) -> f64 {
        self.bias + row.cues.iter().map(|cue| self.weights[*cue]).sum::<f64>()
    }

    fn auc(&self, rows: &[Row]) -> f64 {
        let scored: Vec<(f64, bool)> = rows.iter().map(|row| (self.log_odds(row), row.is_doxxing)).collect();
        auc(&scored)
    }

    /// Of the rows that are doxxing, or of the others, the share with a probability of at least one half.
    fn share(&self, rows: &[Row], is_doxxing: bool) -> f64 {
        let of = rows.iter().filter(|row| row.is_doxxing == is_doxxing);
        let reached: Vec<bool> = of.map(|row| self.log_odds(row) >= 0.0).collect();
        reached.iter().filter(|reached| **reached).count() as f64 / reached.len() as f64
    }
}

fn print(model: &Model) {
    println!("pub(super) const BIAS: f64 = {:.2};", model.bias);
    println!("pub(super) const WEIGHTS: [(Cue, f64); {}] = [", model.weights.len());
    for (cue, weight) in DoxxingCue::ALL.iter().zip(&model.weights) {
        println!("    (Cue::{cue:?}, {weight:.2}),");
    }
    println!("];");
}
