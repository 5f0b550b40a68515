//! Evaluates the engine with its embedded weights and writes the results into the model cards.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use domain::operations::moderation::{Action, Verdict};
use ports::text::{Category, TextScores};

use crate::data::LabelledText;
use crate::metrics::{auc, average_precision, bootstrap, expected_calibration_error};

/// Resamplings for each bootstrap interval.
const ROUNDS: usize = 1_000;

/// A row with the service's answer for an account that is 30 days old.
#[derive(Debug)]
pub struct Evaluated {
    pub row: LabelledText,
    pub scores: TextScores,
    pub verdict: Verdict,
}

/// The scores and labels of one head, for the rows that have its label.
pub fn labelled<'a>(rows: impl IntoIterator<Item = &'a Evaluated>, head: Category) -> Vec<(f64, bool)> {
    rows.into_iter()
        .filter_map(|evaluated| {
            Some((evaluated.scores.categories[head], evaluated.row.labels[head as usize]?))
        })
        .collect()
}

/// A table of ranking and calibration by head.
pub fn heads(rows: &[Evaluated]) -> Result<String> {
    let mut table = "| harm | rows | positives | AP (95 % interval) | AUC | ECE (95 % interval) |\n\
                     |---|---|---|---|---|---|\n"
        .to_owned();
    for head in Category::ALL {
        let scored = labelled(rows, head);
        let positives = scored.iter().filter(|row| row.1).count();
        if positives == 0 {
            writeln!(table, "| {} | {} | 0 | not measurable | | |", head.as_str(), scored.len())?;
            continue;
        }
        writeln!(
            table,
            "| {} | {} | {positives} | {} | {:.3} | {} |",
            head.as_str(),
            scored.len(),
            with_interval(&scored, average_precision),
            auc(&scored),
            with_interval(&scored, expected_calibration_error),
        )?;
    }
    Ok(table)
}

/// A table of average precision by source and head, where a source has at least ten positives and ten negatives.
pub fn sources(rows: &[Evaluated]) -> Result<String> {
    let mut table =
        "| source | harm | rows | positives | AP (95 % interval) |\n|---|---|---|---|---|\n".to_owned();
    for (source, rows) in by_source(rows) {
        for head in Category::ALL {
            let scored = labelled(rows.iter().copied(), head);
            let positives = scored.iter().filter(|row| row.1).count();
            if positives >= 10 && scored.len() - positives >= 10 {
                let measured = with_interval(&scored, average_precision);
                writeln!(
                    table,
                    "| {source} | {} | {} | {positives} | {measured} |",
                    head.as_str(),
                    scored.len()
                )?;
            }
        }
    }
    Ok(table)
}

/// A table by source or contrast family: how often harm is acted upon or sent to review, and how often what is benign
/// is.
pub fn families(rows: &[Evaluated]) -> Result<String> {
    let mut table =
        "| family | harmful rows | acted upon | review >= .5 | either | benign rows | acted upon \
                     | review >= .5 |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for (source, rows) in by_source(rows) {
        let (harmful, benign): (Vec<&Evaluated>, Vec<&Evaluated>) =
            rows.into_iter().partition(|evaluated| is_harmful(&evaluated.row));
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            source.trim_start_matches("contrast/"),
            harmful.len(),
            share(&harmful, acted),
            share(&harmful, reviewed),
            share(&harmful, |evaluated| acted(evaluated) || reviewed(evaluated)),
            benign.len(),
            share(&benign, acted),
            share(&benign, reviewed),
        )?;
    }
    Ok(table)
}

/// The share of benign chat rows (chat, with all labels 0) that get an action, by source and in total.
pub fn false_actions(rows: &[Evaluated]) -> Result<String> {
    let benign = |evaluated: &&Evaluated| {
        evaluated.row.chat && evaluated.row.labels.iter().all(|label| *label != Some(true))
    };
    let mut table =
        "| source | benign chat rows | acted upon | share (95 % interval) |\n|---|---|---|---|\n".to_owned();
    let all: Vec<&Evaluated> = rows.iter().filter(benign).collect();
    let mut groups: Vec<(String, Vec<&Evaluated>)> = by_source(rows)
        .into_iter()
        .map(|(source, rows)| (source, rows.into_iter().filter(benign).collect()))
        .collect();
    groups.push(("**all**".to_owned(), all));
    for (source, rows) in groups.into_iter().filter(|group| !group.1.is_empty()) {
        let hits = rows.iter().filter(|evaluated| acted(evaluated)).count();
        writeln!(table, "| {source} | {} | {hits} | {} |", rows.len(), share(&rows, acted))?;
    }
    Ok(table)
}

/// Whether any harm besides toxicity is labelled; swearing alone is not harm.
pub fn is_harmful(row: &LabelledText) -> bool {
    row.labels[1..].contains(&Some(true))
}

/// Whether the action is not `none`.
pub fn acted(evaluated: &Evaluated) -> bool {
    evaluated.verdict.action != Action::None
}

fn reviewed(evaluated: &Evaluated) -> bool {
    evaluated.verdict.requires_mod_review >= 0.5
}

fn by_source(rows: &[Evaluated]) -> BTreeMap<String, Vec<&Evaluated>> {
    let mut groups: BTreeMap<String, Vec<&Evaluated>> = BTreeMap::new();
    for evaluated in rows {
        groups.entry(evaluated.row.source.clone()).or_default().push(evaluated);
    }
    groups
}

/// A share in percent with its Wilson score interval.
fn share(rows: &[&Evaluated], test: impl Fn(&Evaluated) -> bool) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let n = rows.len() as f64;
    let z = 1.96_f64;
    let p = rows.iter().filter(|evaluated| test(evaluated)).count() as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    format!(
        "{:.2} % ({:.2}–{:.2})",
        100.0 * p,
        100.0 * (middle - half).max(0.0),
        100.0 * (middle + half).min(1.0)
    )
}

/// A measure with its bootstrap interval.
pub fn with_interval(scored: &[(f64, bool)], measure: fn(&[(f64, bool)]) -> f64) -> String {
    let (low, high) = bootstrap(scored, ROUNDS, measure);
    format!("{:.3} ({low:.3}–{high:.3})", measure(scored))
}

/// Replaces the text between `<!-- measured: name -->` and `<!-- end -->` in a card.
pub fn into_card(card: &Path, name: &str, text: &str) -> Result<()> {
    let old = std::fs::read_to_string(card).with_context(|| format!("cannot read {}", card.display()))?;
    let open = format!("<!-- measured: {name} -->\n");
    let start = old.find(&open).with_context(|| format!("{} lacks {open}", card.display()))? + open.len();
    let end = start + old[start..].find("<!-- end -->").context("a measured section lacks its end")?;
    std::fs::write(card, format!("{}{text}{}", &old[..start], &old[end..]))?;
    Ok(())
}
