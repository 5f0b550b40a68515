//! Trains the text model and writes it with its manifest. Calibrates on dev and the held-out contrast rows; never
//! reads devtest or the contrast test rows.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use engine::model_files::sha256;
use engine::text::features::{BUCKETS, FIRST_FORM_BUCKET, FORM_HEADS};
use engine::text::language::LanguagePenalties;
use engine::text::linear::{HEADS, LinearHead, quantize};
use engine::text::weights::NativeManifest;
use ports::text::Category;
use training::balance::{Balance, assume_benign};
use training::calibration::{Windows, calibrate, penalties};
use training::data::{self, LabelledText};
use training::metrics::{auc, average_precision};
use training::parts::{joined, parts};
use training::sgd::{Problem, SgdSettings, Weights, train};
use training::yardstick::is_benign;
use training::{contrast_kept_back, corpus};

/// The sources that are left out by default.
const LEFT_OUT: [&str; 4] = ["mlma:en", "dyn21_en:en", "ken20_en:en", "multijail"];

/// Trains the text model.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_train.jsonl.gz and text_dev.jsonl.gz.
    data: PathBuf,
    /// The folder with the rows in many languages, of which only text_train.jsonl.gz, with its permissive licences, is
    /// read.
    languages: PathBuf,
    /// Sources among these rows that are left out, each with its language, such as `mlma:en`: English hate of other
    /// guidelines, with which dev's own was ranked worse, and requests to an assistant, which have harmful rows alone.
    #[arg(long, value_delimiter = ',', default_values_t = LEFT_OUT.map(String::from))]
    without: Vec<String>,
    /// Whether what a message is not is learnt from its parts too.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    parts: bool,
    /// Whether what many harmless messages are not is learnt from them joined.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    joined: bool,
    /// The weight of benign contrast rows relative to harmful ones.
    #[arg(long, default_value_t = 1.0)]
    benign: f32,
    /// Our own contrast rows.
    #[arg(long, default_value = "training/text/contrast/train.jsonl")]
    contrast: PathBuf,
    /// Our own hand-written rows.
    #[arg(long, default_value = "training/text/handwritten.tsv")]
    handwritten: PathBuf,
    /// The output folder for the weights and their manifest.
    #[arg(long, default_value = "models")]
    out: PathBuf,
    /// For each head, the weight of a contrast row relative to a row of the public sources.
    #[arg(long, value_delimiter = ',', default_values_t = [1.2, 0.75, 1.0, 1.5, 0.4, 1.3, 0.6, 1.2, 1.5, 1.5, 1.5])]
    contrast_weights: Vec<f32>,
    /// The weight of a contrast row kept back relative to a dev row in calibration: nearly half of them are harmful,
    /// far more than messages are.
    #[arg(long, default_value_t = 0.6)]
    kept: f64,
    /// Passes over the data.
    #[arg(long, default_value_t = 6)]
    epochs: usize,
    /// L2 regularization.
    #[arg(long, default_value_t = 1e-4)]
    l2: f32,
    /// Learning rate of each head: small where the labels are many and noisy, large where they are few.
    #[arg(long, value_delimiter = ',', default_values_t = [0.4, 0.8, 0.3, 0.5, 2.0, 0.8, 1.0, 3.0, 2.0, 2.0, 2.0])]
    learning_rates: Vec<f32>,
    /// Share of the log-count ratio in each head's feature values.
    #[arg(long, value_delimiter = ',', default_values_t = [0.5, 0.5, 0.8, 0.0, 0.0, 0.0, 0.3, 0.3, 0.0, 0.0, 0.0])]
    ratios: Vec<f32>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut rows = data::read(&arguments.data.join("text_train.jsonl.gz"))?;
    let (kept, used): (Vec<LabelledText>, Vec<LabelledText>) =
        data::read(&arguments.contrast)?.into_iter().partition(contrast_kept_back);
    println!(
        "{} public rows, {} contrast rows, {} contrast rows kept back",
        rows.len(),
        used.len(),
        kept.len()
    );
    let dev = data::read(&arguments.data.join("text_dev.jsonl.gz"))?;
    let mut foreign = data::read(&arguments.languages.join("text_train.jsonl.gz"))?;
    foreign.retain(|row| {
        let named = [row.source.clone(), format!("{}:{}", row.source, row.lang)];
        !named.iter().any(|name| arguments.without.contains(name))
    });
    assume_benign(&mut foreign);
    println!("{} rows in many languages", foreign.len());
    let balance = Balance::of(&rows, &foreign);
    rows.extend(foreign);

    rows.extend(used);
    rows.extend(data::read_handwritten(&arguments.handwritten)?);
    let (weights, mut heads) = fit(&arguments, &balance, &rows);
    report(&dev, &sums(&weights, &dev), &kept, &sums(&weights, &kept));
    let [dev_windows, kept_windows] = [&dev, &kept].map(|rows| Windows::of(&weights, rows));
    calibrate(&mut heads, &[(&dev_windows, 1.0), (&kept_windows, arguments.kept)]);
    let dev = data::read(&arguments.languages.join("text_dev.jsonl.gz"))?;
    report_languages(&heads, &dev, &sums(&weights, &dev));
    let languages = penalties(&heads, &Windows::of(&weights, &dev))?;
    println!("lost by language: {:?}", languages.0);
    write(&arguments.out, &weights, heads, languages)
}

/// Prints, by language, how well the model ranks dev rows as wholes, and how many benign ones two harms that lead to
/// actions reach.
fn report_languages(heads: &[LinearHead], dev: &[LabelledText], sums: &[[f32; HEADS]]) {
    let mut languages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, row) in dev.iter().enumerate() {
        languages.entry(&row.lang).or_default().push(at);
    }
    for (language, rows) in languages {
        let (rows_of, sums_of): (Vec<&LabelledText>, Vec<&[f32; HEADS]>) =
            rows.iter().map(|at| (&dev[*at], &sums[*at])).unzip();
        let benign: Vec<&[f32; HEADS]> =
            rows.iter().filter(|at| is_benign(&dev[**at])).map(|at| &sums[*at]).collect();
        let harassment = Category::Harassment as usize;
        let hate = Category::Hate as usize;
        println!(
            "{language:<8} AUC toxic {} hate {}, {} benign: {} of hate over .6, {} of harassment over .8",
            area(&rows_of, &sums_of, 0),
            area(&rows_of, &sums_of, hate),
            benign.len(),
            alarms(&heads[hate], &benign, hate, 0.6),
            alarms(&heads[harassment], &benign, harassment, 0.8)
        );
    }
}

/// The AUC of a head, or blanks with too few rows.
fn area(rows: &[&LabelledText], sums: &[&[f32; HEADS]], head: usize) -> String {
    let scored: Vec<(f64, bool)> = rows
        .iter()
        .zip(sums)
        .filter_map(|(row, sums)| Some((f64::from(sums[head]), row.labels[head]?)))
        .collect();
    let positives = scored.iter().filter(|row| row.1).count();
    if positives.min(scored.len() - positives) < 10 {
        return "    ".to_owned();
    }
    format!("{:.3}", auc(&scored))
}

/// How many rows have a probability of at least `least`.
fn alarms(head: &LinearHead, sums: &[&[f32; HEADS]], at: usize, least: f64) -> usize {
    let odds = sums.iter().map(|sums| f64::from(-(head.slope * sums[at] + head.intercept)).exp());
    odds.filter(|odds| 1.0 / (1.0 + odds) >= least).count()
}

fn fit(arguments: &Arguments, balance: &Balance, rows: &[LabelledText]) -> (Weights<HEADS>, Vec<LinearHead>) {
    let mut rows = rows.to_vec();
    let logs = if arguments.joined { joined(&rows) } else { Vec::new() };
    if arguments.parts {
        rows.extend(parts(&rows));
    }
    println!("{} rows and parts of them, {} of several joined", rows.len(), logs.len());
    rows.extend(logs);
    let problem =
        corpus::problem(&rows, &corpus::features(&rows), |row, head| weight(arguments, balance, row, head));
    let learning_rates = std::array::from_fn(|head| arguments.learning_rates[head]);
    let ratio = std::array::from_fn(|head| arguments.ratios[head]);
    let restricted = (FIRST_FORM_BUCKET, Category::ALL.map(|head| FORM_HEADS.contains(&head)));
    let settings =
        SgdSettings { epochs: arguments.epochs, learning_rates, l2: arguments.l2, ratio, restricted };
    quantized(train(&problem, BUCKETS, settings))
}

fn weight(arguments: &Arguments, balance: &Balance, row: &LabelledText, head: usize) -> f32 {
    if row.source.starts_with("contrast/") {
        let benign = !row.labels.contains(&Some(true));
        arguments.contrast_weights[head] * if benign { arguments.benign } else { 1.0 }
    } else {
        balance.weight(row, head)
    }
}

fn report(
    dev: &[LabelledText],
    dev_sums: &[[f32; HEADS]],
    kept: &[LabelledText],
    kept_sums: &[[f32; HEADS]],
) {
    for category in Category::ALL {
        let head = category as usize;
        println!(
            "{:<11} AP on dev {:.4}, on contrast rows kept back {:.4}",
            category.as_str(),
            average_precision(&labelled(dev, dev_sums, head)),
            average_precision(&labelled(kept, kept_sums, head))
        );
    }
}

fn sums(weights: &Weights<HEADS>, rows: &[LabelledText]) -> Vec<[f32; HEADS]> {
    let problem: Problem<HEADS> = corpus::problem(rows, &corpus::features(rows), |_, _| 1.0);
    let sums = problem.examples.iter().map(|example| {
        let stretch = example.start..example.end;
        weights.sums(&problem.indices[stretch.clone()], &problem.values[stretch])
    });
    sums.collect()
}

fn labelled(rows: &[LabelledText], sums: &[[f32; HEADS]], head: usize) -> Vec<(f64, bool)> {
    rows.iter().zip(sums).filter_map(|(row, sums)| Some((f64::from(sums[head]), row.labels[head]?))).collect()
}

/// Rounds every weight to its quantised value, so that calibration uses what the server will use.
fn quantized(mut weights: Weights<HEADS>) -> (Weights<HEADS>, Vec<LinearHead>) {
    let heads = (0..HEADS)
        .map(|head| {
            let scale = weights.table.iter().fold(0.0_f32, |most, row| most.max(row[head].abs()));
            for row in &mut weights.table {
                let share = f32::from(quantize(row[head], scale) as i8) / 127.0;
                row[head] = share * share.abs() * scale;
            }
            let name = Category::ALL[head].as_str().to_owned();
            LinearHead { name, scale, bias: weights.bias[head], slope: 1.0, intercept: 0.0 }
        })
        .collect();
    (weights, heads)
}

fn write(
    out: &Path,
    weights: &Weights<HEADS>,
    heads: Vec<LinearHead>,
    languages: LanguagePenalties,
) -> Result<()> {
    let mut table = Vec::with_capacity(weights.table.len() * HEADS);
    for row in &weights.table {
        table.extend(row.iter().zip(&heads).map(|(weight, head)| quantize(*weight, head.scale)));
    }
    let manifest = NativeManifest {
        name: "gavel-text-native".to_owned(),
        version: "1.10.0".to_owned(),
        file: "text-native.bin".to_owned(),
        sha256: sha256(&table),
        heads,
        languages,
    };
    std::fs::write(out.join("text-native.bin"), &table)?;
    std::fs::write(out.join("text-native.json"), serde_json::to_string_pretty(&manifest)? + "\n")?;
    println!("{} bytes, sha256 {}", table.len(), manifest.sha256);
    Ok(())
}
