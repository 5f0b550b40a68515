//! Trains the domain-name model and writes it with its manifest. Never reads the devtest names.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use engine::model_files::sha256;
use engine::text::host::{HOST_BUCKETS, HostHead, quantize_table};
use engine::text::language::LanguagePenalties;
use engine::text::weights::NativeManifest;
use training::domains::{DomainName, from_chat, neighbours, problem, read};
use training::metrics::{auc, platt, recall_at_false_positives};
use training::sgd::{SgdSettings, Weights, train};
use training::{data, domains};

/// Trains the domain-name model.
#[derive(Parser)]
struct Arguments {
    /// The folder with domains_train.csv.gz and text_train.jsonl.gz.
    data: PathBuf,
    /// The output folder for the weights and their manifest.
    #[arg(long, default_value = "models")]
    out: PathBuf,
    /// Passes over the data.
    #[arg(long, default_value_t = 8)]
    epochs: usize,
    /// Learning rate.
    #[arg(long, default_value_t = 0.5)]
    rate: f32,
    /// L2 regularization.
    #[arg(long, default_value_t = 1e-5)]
    l2: f32,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let listed = read(&arguments.data.join("domains_train.csv.gz"))?;
    let chat = from_chat(&data::read(&arguments.data.join("text_train.jsonl.gz"))?);
    // One name in ten is held out for calibration.
    let (kept, mut used): (Vec<DomainName>, Vec<DomainName>) = listed.into_iter().partition(|name| {
        u8::from_str_radix(&sha256(name.host.as_bytes())[..2], 16).is_ok_and(|byte| byte < 26)
    });
    println!("{} names to train on, {} kept back, {} hosts from chat", used.len(), kept.len(), chat.len());
    let made = neighbours(&used);
    used.extend(made);
    used.extend(chat);
    let settings = SgdSettings {
        epochs: arguments.epochs,
        learning_rates: [arguments.rate],
        l2: arguments.l2,
        ratio: [0.0],
        restricted: (HOST_BUCKETS, [true]),
    };
    let weights = train(&problem(&used), HOST_BUCKETS, settings);
    let scored = score(&weights, &kept);
    println!(
        "kept back: AUC {:.4}, recall at 1 % false positives {:.4}",
        auc(&scored),
        recall_at_false_positives(&scored, 0.01)
    );
    write(&arguments.out, &weights, &scored)
}

fn score(weights: &Weights<1>, names: &[DomainName]) -> Vec<(f64, bool)> {
    let problem = domains::problem(names);
    let scored = names.iter().zip(&problem.examples).map(|(name, example)| {
        let stretch = example.start..example.end;
        let [sum] = weights.sums(&problem.indices[stretch.clone()], &problem.values[stretch]);
        (f64::from(sum), name.scam)
    });
    scored.collect()
}

fn write(out: &std::path::Path, weights: &Weights<1>, scored: &[(f64, bool)]) -> Result<()> {
    // Scams and benign names have the same total weight, so that the prior is one half.
    let scams = scored.iter().filter(|row| row.1).count() as f64;
    let all = scored.len() as f64;
    let [benign_weight, scam_weight] = [0.5 / (all - scams), 0.5 / scams];
    let weighted: Vec<(f64, bool, f64)> = scored
        .iter()
        .map(|&(sum, scam)| (sum, scam, if scam { scam_weight } else { benign_weight } * all))
        .collect();
    let (slope, intercept) = platt(&weighted);
    let flat: Vec<f32> = weights.table.iter().map(|row| row[0]).collect();
    let scale = flat.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let table = quantize_table(&flat, scale);
    let manifest = NativeManifest {
        name: "gavel-domain-native".to_owned(),
        version: "1.0.0".to_owned(),
        file: "domain-native.bin".to_owned(),
        sha256: sha256(&table),
        heads: HostHead { scale, bias: weights.bias[0], slope: slope as f32, intercept: intercept as f32 },
        languages: LanguagePenalties::default(),
    };
    std::fs::write(out.join("domain-native.bin"), &table)?;
    std::fs::write(out.join("domain-native.json"), serde_json::to_string_pretty(&manifest)? + "\n")?;
    Ok(())
}
