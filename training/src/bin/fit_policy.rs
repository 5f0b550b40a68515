//! Fits the policy's constants for scams and reviews, and prints them for
//! `domain/src/operations/moderation/policy.rs`. Uses dev and the held-out contrast rows, which the weights have not
//! seen.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use domain::operations::moderation::{TextDraft, TextMessage, link_evidence, read};
use ports::text::Category;
use training::engines::EngineArguments;
use training::report::{Evaluated, is_harmful};
use training::{contrast_kept_back, data};

/// Fits the policy.
#[derive(Parser)]
struct Arguments {
    /// The folder with text_dev.jsonl.gz.
    data: PathBuf,
    /// Our own contrast rows.
    #[arg(long, default_value = "training/text/contrast/train.jsonl")]
    contrast: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut rows = data::read(&arguments.data.join("text_dev.jsonl.gz"))?;
    rows.extend(data::read(&arguments.contrast)?.into_iter().filter(contrast_kept_back));
    let evaluated = arguments.engine.judge()?.evaluate(rows)?;

    let scam: Vec<Fact> = evaluated
        .iter()
        .filter_map(|evaluated| {
            let draft =
                TextDraft { content: evaluated.row.text.clone(), account_age_days: 30, ..Default::default() };
            let link = link_evidence(&read(&TextMessage::parse("", draft).ok()?), &evaluated.scores);
            let words = evaluated.scores.categories[Category::Scam].clamp(1e-6, 1.0 - 1e-6);
            Some((
                (words / (1.0 - words)).ln().max(WORDS_FLOOR),
                vec![link],
                evaluated.row.labels[Category::Scam as usize]?,
            ))
        })
        .collect();
    println!("scam: [link, offset] = {:.2?} on {} rows", logistic(&scam), scam.len());

    let review: Vec<Fact> = evaluated.iter().filter_map(review_row).collect();
    println!(
        "review: [harms in order after toxic, offset] = {:.2?} on {} rows",
        logistic(&review),
        review.len()
    );
    Ok(())
}

/// Harmful rows, and rows that all labels call benign; the rest are unknown.
fn review_row(evaluated: &Evaluated) -> Option<Fact> {
    let harmful = is_harmful(&evaluated.row);
    let known = harmful || evaluated.row.labels.iter().all(|label| *label == Some(false));
    let harms = Category::ALL[1..].iter().map(|category| match category {
        Category::Scam => evaluated.verdict.is_phishing_or_scam,
        _ => evaluated.scores.categories[*category],
    });
    // Toxic words alone are not harm, but most rows that have only them are unknown here: their weight is set, not
    // fitted.
    known.then(|| (TOXIC * evaluated.scores.categories[Category::Toxic], harms.collect(), harmful))
}

/// The known log-odds, the features to fit, and the label.
type Fact = (f64, Vec<f64>, bool);

/// The policy's lower bound of the words' log-odds.
const WORDS_FLOOR: f64 = -5.0;

/// The log-odds of review that toxic words add.
const TOXIC: f64 = 1.5;

/// Logistic regression with non-negative weights, so that evidence never lowers a score; the intercept comes last.
fn logistic(rows: &[Fact]) -> Vec<f64> {
    let width = rows[0].1.len();
    let mut weights = vec![0.0; width + 1];
    let mut squares = vec![1e-9; width + 1];
    for _ in 0..3_000 {
        let mut slope = vec![0.0; width + 1];
        for (known, features, truth) in rows {
            let sum: f64 =
                known + weights[width] + features.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            let error = 1.0 / (1.0 + (-sum).exp()) - f64::from(u8::from(*truth));
            features.iter().chain([&1.0]).zip(&mut slope).for_each(|(x, slope)| *slope += error * x);
        }
        for at in 0..=width {
            let slope = slope[at] / rows.len() as f64 + 1e-4 * weights[at] * f64::from(u8::from(at < width));
            squares[at] += slope * slope;
            weights[at] -= 0.5 * slope / f64::sqrt(squares[at]);
            if at < width {
                weights[at] = weights[at].max(0.0);
            }
        }
    }
    weights
}
