//! Measures an engine by language, beside the figures of other weights on the same rows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use ports::text::Category;

use crate::data::LabelledText;
use crate::metrics::auc;
use crate::report::{Evaluated, acted, labelled};
use crate::yardstick::is_benign;

/// Rows of each kind with which an AUC is given.
const MIN_ROWS: usize = 20;

/// Figures by language and source; the source is empty for all of a language.
pub type Figures = BTreeMap<(String, String), Measured>;

/// The figures of a language, or of a source in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Abusive and benign rows.
    pub rows: [usize; 2],
    /// The shares of them that are acted upon, in percent.
    pub acted: [f64; 2],
    /// The share of the abusive rows that are acted upon or sent to review.
    pub reviewed: f64,
    /// The AUC of `toxic` and of `hate`; 0 where there are too few rows.
    pub auc: [f64; 2],
}

/// Measures rows by language, and by source in each.
pub fn measure(rows: &[Evaluated]) -> Figures {
    let mut groups: BTreeMap<(String, String), Vec<&Evaluated>> = BTreeMap::new();
    for evaluated in rows {
        let row = &evaluated.row;
        groups.entry((row.lang.clone(), String::new())).or_default().push(evaluated);
        groups.entry((row.lang.clone(), row.source.clone())).or_default().push(evaluated);
    }
    groups.into_iter().map(|(group, rows)| (group, measured(&rows))).collect()
}

/// Whether a row is abusive: toxic, or hate where its source says nothing of other abuse.
fn is_abusive(row: &LabelledText) -> bool {
    row.labels[..3].contains(&Some(true))
}

/// Whether a source calls a row benign, or at least not hateful where it says nothing else.
pub(crate) fn is_harmless(row: &LabelledText) -> bool {
    is_benign(row) || row.labels[0].is_none() && row.labels[2] == Some(false) && !is_abusive(row)
}

fn measured(rows: &[&Evaluated]) -> Measured {
    let kinds: [Vec<&Evaluated>; 2] = [is_abusive, is_harmless].map(|kind: fn(&LabelledText) -> bool| {
        rows.iter().copied().filter(|evaluated| kind(&evaluated.row)).collect()
    });
    Measured {
        rows: [kinds[0].len(), kinds[1].len()],
        acted: [percentage(&kinds[0], acted), percentage(&kinds[1], acted)],
        reviewed: percentage(&kinds[0], |one| acted(one) || one.verdict.requires_mod_review >= 0.5),
        auc: [area(rows, Category::Toxic), area(rows, Category::Hate)],
    }
}

fn percentage(rows: &[&Evaluated], test: impl Fn(&Evaluated) -> bool) -> f64 {
    100.0 * rows.iter().filter(|evaluated| test(evaluated)).count() as f64 / rows.len().max(1) as f64
}

/// The AUC of a harm, or 0 with too few rows.
fn area(rows: &[&Evaluated], head: Category) -> f64 {
    let scored = labelled(rows.iter().copied(), head);
    let positives = scored.iter().filter(|row| row.1).count();
    if positives.min(scored.len() - positives) < MIN_ROWS { 0.0 } else { auc(&scored) }
}

/// A Markdown table of the languages, or of the sources of each, with the figures before in brackets.
///
/// # Errors
/// None besides those of writing.
pub fn table(now: &Figures, before: &Figures, by_source: bool) -> Result<String> {
    let source = if by_source { (" source |", "---|") } else { ("", "") };
    let mut table = format!(
        "| language |{} abusive / benign rows | AUC toxic | AUC hate | abusive acted upon | or sent to review \
         | benign acted upon |\n|---|{}---|---|---|---|---|---|\n",
        source.0, source.1
    );
    let none = Measured::default();
    for ((lang, name), now) in now.iter().filter(|((_, name), _)| name.is_empty() != by_source) {
        if now.rows == [0, 0] {
            continue;
        }
        let before = before.get(&(lang.clone(), name.clone())).unwrap_or(&none);
        let known = before.rows != [0, 0];
        let source = if by_source { format!(" {name} |") } else { String::new() };
        writeln!(
            table,
            "| {lang} |{source} {} / {} | {} | {} | {} | {} | {} |",
            now.rows[0],
            now.rows[1],
            area_cell(now.auc[0], before.auc[0]),
            area_cell(now.auc[1], before.auc[1]),
            share_cell(now.rows[0], now.acted[0], known.then_some(before.acted[0])),
            share_cell(now.rows[0], now.reviewed, known.then_some(before.reviewed)),
            share_cell(now.rows[1], now.acted[1], known.then_some(before.acted[1])),
        )?;
    }
    Ok(table)
}

fn area_cell(now: f64, before: f64) -> String {
    match (now, before) {
        (0.0, _) => String::new(),
        (now, 0.0) => format!("{now:.3}"),
        (now, before) => format!("{now:.3} ({before:.3})"),
    }
}

fn share_cell(rows: usize, now: f64, before: Option<f64>) -> String {
    match (rows, before) {
        (0, _) => String::new(),
        (_, None) => format!("{now:.2} %"),
        (_, Some(before)) => format!("{now:.2} % ({before:.2})"),
    }
}

/// Tab-separated figures, for comparing with other weights.
pub fn write(figures: &Figures) -> String {
    let lines = figures.iter().map(|((lang, source), measured)| {
        let Measured { rows, acted, reviewed, auc } = measured;
        format!(
            "{lang}\t{source}\t{}\t{}\t{}\t{}\t{reviewed}\t{}\t{}\n",
            rows[0], rows[1], acted[0], acted[1], auc[0], auc[1]
        )
    });
    lines.collect()
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// A line of another shape.
pub fn read(text: &str) -> Result<Figures> {
    let figures = text.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [lang, source, numbers @ ..] = &fields[..] else { anyhow::bail!("no figures: {line}") };
        let numbers: Vec<f64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
        let [abusive, benign, harm, false_alarms, reviewed, toxic, hate] = numbers[..] else {
            anyhow::bail!("seven figures are wanted: {line}")
        };
        let measured = Measured {
            rows: [abusive as usize, benign as usize],
            acted: [harm, false_alarms],
            reviewed,
            auc: [toxic, hate],
        };
        Ok(((lang.to_string(), source.to_string()), measured))
    });
    figures.collect::<Result<_>>().context("not figures by language")
}
