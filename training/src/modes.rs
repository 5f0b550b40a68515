//! Compares native and hybrid mode on the same rows: what native finds and hybrid loses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use domain::operations::moderation::{Action, Verdict};
use ports::text::{Category, TextMode};

use crate::chat::read;
use crate::data::LabelledText;
use crate::yardstick::{Judge, is_benign};

/// A row with what each mode answers.
pub struct Compared {
    pub row: LabelledText,
    pub native: Verdict,
    pub hybrid: Verdict,
}

/// How many rows each mode acts upon.
#[derive(Default)]
struct Counts {
    rows: usize,
    native: usize,
    hybrid: usize,
    lost: usize,
}

impl Counts {
    fn add(&mut self, row: &Compared) {
        let native = row.native.action != Action::None;
        let hybrid = row.hybrid.action != Action::None;
        self.rows += 1;
        self.native += usize::from(native);
        self.hybrid += usize::from(hybrid);
        self.lost += usize::from(native && !hybrid);
    }

    /// The cells of harmful rows.
    fn harmful(&self) -> String {
        let share = 100.0 * self.lost as f64 / self.native.max(1) as f64;
        format!("{} | {} | {} | {} ({share:.1} %)", self.rows, self.native, self.hybrid, self.lost)
    }

    /// The cells of benign rows.
    fn benign(&self) -> String {
        format!("{} | {} | {}", self.rows, self.native, self.hybrid)
    }
}

/// Asks for both answers to each row, of an engine that knows both modes.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn compare(judge: &mut Judge, rows: Vec<LabelledText>) -> Result<Vec<Compared>> {
    let texts: Vec<String> = rows.iter().map(|row| row.text.clone()).collect();
    let native = verdicts(judge, TextMode::Native, &texts)?;
    let hybrid = verdicts(judge, TextMode::Hybrid, &texts)?;
    let answers = native.into_iter().zip(hybrid);
    Ok(rows
        .into_iter()
        .zip(answers)
        .map(|(row, (native, hybrid))| Compared { row, native, hybrid })
        .collect())
}

fn verdicts(judge: &mut Judge, mode: TextMode, texts: &[String]) -> Result<Vec<Verdict>> {
    judge.mode = mode;
    Ok(judge.answers(texts)?.into_iter().map(|(_, verdict)| verdict).collect())
}

/// Whether any harm is labelled.
fn is_bad(row: &LabelledText) -> bool {
    row.labels.contains(&Some(true))
}

/// A table by language.
///
/// # Errors
/// None besides those of writing.
pub fn by_language(rows: &[Compared]) -> Result<String> {
    let mut groups: BTreeMap<&str, [Counts; 2]> = BTreeMap::new();
    for row in rows {
        for lang in [row.row.lang.as_str(), "~all"] {
            let [harmful, benign] = groups.entry(lang).or_default();
            if is_bad(&row.row) {
                harmful.add(row);
            } else if is_benign(&row.row) {
                benign.add(row);
            }
        }
    }
    let mut table =
        "| language | harmful rows | native acts upon | hybrid | found by native, lost by hybrid \
                     | benign rows | native acts upon | hybrid |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for (lang, [harmful, benign]) in groups {
        writeln!(
            table,
            "| {} | {} | {} |",
            lang.trim_start_matches('~'),
            harmful.harmful(),
            benign.benign()
        )?;
    }
    Ok(table)
}

/// A table by harm.
///
/// # Errors
/// None besides those of writing.
pub fn by_harm(rows: &[Compared]) -> Result<String> {
    let mut table = "| harm | harmful rows | native acts upon | hybrid | found by native, lost by hybrid |\n\
                     |---|---|---|---|---|\n"
        .to_owned();
    for head in Category::ALL {
        let mut counts = Counts::default();
        rows.iter().filter(|row| row.row.labels[head as usize] == Some(true)).for_each(|row| counts.add(row));
        writeln!(table, "| {} | {} |", head.as_str(), counts.harmful())?;
    }
    Ok(table)
}

/// The rows that native finds and hybrid loses, with both threat scores.
pub fn lost(rows: &[Compared]) -> String {
    let lost = rows.iter().filter(|row| {
        is_bad(&row.row) && row.native.action != Action::None && row.hybrid.action == Action::None
    });
    let lines = lost.map(|row| {
        let [native, hybrid] = [row.native.threat_score, row.hybrid.threat_score];
        let start: String = row.row.text.chars().take(160).collect();
        format!("- {} {} {native:.2} {hybrid:.2} {start:?}", row.row.lang, row.row.source)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The same of the lines of abuse that are ours, of one half.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn yardsticks(judge: &mut Judge, set: &str) -> Result<String> {
    let mut table =
        "| lines | harmful rows | native acts upon | hybrid | found by native, lost by hybrid |\n\
                     |---|---|---|---|---|\n"
            .to_owned();
    for name in ["curses", "severity"] {
        let lines = read(&format!("{name}.tsv"), set)?;
        let lines = lines.into_iter().filter(|line| line.get("degree").is_none_or(|degree| degree != "0"));
        let rows = lines.map(|line| LabelledText {
            id: String::new(),
            text: line["text"].clone(),
            source: name.to_owned(),
            chat: true,
            lang: line["lang"].clone(),
            labels: [Some(true); Category::ALL.len()],
            sexual_weak: false,
        });
        let compared = compare(judge, rows.collect())?;
        let mut counts = Counts::default();
        compared.iter().for_each(|row| counts.add(row));
        writeln!(table, "| {name} | {} |", counts.harmful())?;
    }
    Ok(table)
}
