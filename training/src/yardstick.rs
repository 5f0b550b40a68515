//! Measures a text engine on dev rows: padding, false alarms by length, languages, contrast families.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use domain::operations::moderation::Verdict;
use domain::operations::moderation::{Action, TextDraft, TextMessage, decide, read};
use ports::Flow;
use ports::text::TextEngine;
use ports::text::{Category, TextInput, TextMode};
use tokio::runtime::Runtime;

use crate::data::LabelledText;
use crate::metrics::auc;
use crate::padding::PADDINGS;
use crate::report::Evaluated;

/// An engine and the mode to ask it for.
pub struct Judge {
    pub engine: Box<dyn TextEngine>,
    pub mode: TextMode,
    pub runtime: Runtime,
}

impl Judge {
    /// The service's answer to each text for an account that is 30 days old.
    ///
    /// # Errors
    /// A text that the service refuses, or a failure of the engine.
    pub fn answers(&self, texts: &[String]) -> Result<Vec<(ports::text::TextScores, Verdict)>> {
        let mut answers = Vec::with_capacity(texts.len());
        for some in texts.chunks(50) {
            let inputs = some.iter().map(|text| self.input(text)).collect();
            let scores = self.runtime.block_on(self.engine.score(Flow::default(), inputs));
            for (text, scores) in some.iter().zip(scores.map_err(|fault| anyhow!("{fault:?}"))?) {
                let draft = TextDraft { content: text.clone(), account_age_days: 30, ..Default::default() };
                let message = TextMessage::parse("", draft).map_err(|error| anyhow!(error.message))?;
                let verdict = decide(&read(&message), &scores);
                answers.push((scores, verdict));
            }
        }
        Ok(answers)
    }

    fn input(&self, text: &str) -> TextInput {
        TextInput { content: text.to_owned(), mode: self.mode, explain: false }
    }

    /// The service's answer to each row.
    ///
    /// # Errors
    /// Like [`answers`](Self::answers).
    pub fn evaluate(&self, rows: Vec<LabelledText>) -> Result<Vec<Evaluated>> {
        let texts: Vec<String> = rows.iter().map(|row| row.text.clone()).collect();
        let answers = self.answers(&texts)?;
        let joined = rows.into_iter().zip(answers);
        Ok(joined.map(|(row, (scores, verdict))| Evaluated { row, scores, verdict }).collect())
    }
}

/// A table by way of padding: of rows that are acted upon alone, the share that still is, and with at least the same
/// action. Of the `most` first ways.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn padding(
    judge: &Judge,
    acted: &[&Evaluated],
    fillers: &[(String, String)],
    most: usize,
) -> Result<String> {
    let mut table =
        "| padding | rows | acted upon still | at least the same action |\n|---|---|---|---|\n".to_owned();
    let english: Vec<&str> =
        fillers.iter().filter(|(lang, _)| lang == "en").map(|(_, text)| text.as_str()).collect();
    let foreign: Vec<&str> =
        fillers.iter().filter(|(lang, _)| lang != "en").map(|(_, text)| text.as_str()).collect();
    let ways = PADDINGS.iter().map(|(name, pad)| ((*name).to_owned(), &english, pad));
    let abroad =
        [4, 5].map(|way| (format!("{}, another language", PADDINGS[way].0), &foreign, &PADDINGS[way].1));
    for (name, fillers, pad) in ways.chain(abroad).take(most) {
        let texts: Vec<String> = acted
            .iter()
            .enumerate()
            .map(|(at, row)| pad(&row.row.text, fillers[at % fillers.len()]).chars().take(10_000).collect())
            .collect();
        let mut still = 0;
        let mut same = 0;
        for (row, (_, verdict)) in acted.iter().zip(judge.answers(&texts)?) {
            still += u32::from(verdict.action != Action::None);
            same += u32::from(verdict.action >= row.verdict.action);
        }
        let rows = acted.len() as f64;
        writeln!(
            table,
            "| {name} | {} | {still} ({:.1} %) | {same} ({:.1} %) |",
            acted.len(),
            100.0 * f64::from(still) / rows,
            100.0 * f64::from(same) / rows,
        )?;
    }
    Ok(table)
}

/// The upper ends of the length buckets, in characters.
const LENGTHS: [usize; 5] = [100, 500, 1_000, 2_000, 5_000];

/// A table by source and length: how many benign texts there are and how many are acted upon.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn lengths(judge: &Judge, texts: &[(String, String)]) -> Result<String> {
    let contents: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
    let mut counts: BTreeMap<&str, [[usize; 2]; LENGTHS.len()]> = BTreeMap::new();
    for ((source, text), (_, verdict)) in texts.iter().zip(judge.answers(&contents)?) {
        let length = text.chars().count();
        let Some(bucket) = LENGTHS.iter().position(|most| length <= *most) else { continue };
        let acted = verdict.action != Action::None;
        let quotes = source == "files that quote abuse";
        for source in [source.as_str(), if quotes { "~files that quote abuse, not in all" } else { "~all" }] {
            let count = &mut counts.entry(source).or_default()[bucket];
            count[0] += 1;
            count[1] += usize::from(acted);
        }
    }
    let mut table = "| benign texts | up to 100 | to 500 | to 1,000 | to 2,000 | to 5,000 | 500 to 5,000 |\n\
                     |---|---|---|---|---|---|---|\n"
        .to_owned();
    for (source, counts) in counts {
        let cells: Vec<String> = counts.iter().map(|count| acted_cell(*count)).collect();
        let long = counts[2..].iter().fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
        writeln!(
            table,
            "| {} | {} | {} |",
            source.trim_start_matches('~'),
            cells.join(" | "),
            acted_cell(long)
        )?;
    }
    Ok(table)
}

fn acted_cell([all, acted]: [usize; 2]) -> String {
    if all == 0 {
        return String::new();
    }
    format!("{acted} of {all} ({:.1} %)", 100.0 * acted as f64 / all as f64)
}

/// Whether a row has no harm and is known not to be toxic.
pub fn is_benign(row: &LabelledText) -> bool {
    row.labels[0] == Some(false) && !row.labels.contains(&Some(true))
}

/// Long honest texts: chat rows of each source as pasted logs of growing length, and pieces of the given files.
pub fn long_texts(rows: &[LabelledText], files: &[(String, String)]) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut logs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.chat && is_benign(row) && row.text.len() < 500) {
        logs.entry((&row.source, &row.lang)).or_default().push(&row.text);
    }
    let names = ["anna", "bo", "chris_p", "dee42", "emil", "farah"];
    for ((source, _), lines) in logs {
        let mut log = String::new();
        let mut target = 600;
        for (at, line) in lines.iter().enumerate() {
            writeln!(log, "<{}> {line}", names[at % names.len()]).ok();
            if log.chars().count() >= target {
                texts.push((format!("log of {source}"), std::mem::take(&mut log)));
                target = if target > 4_000 { 600 } else { target * 5 / 3 };
            }
        }
    }
    for (name, text) in files {
        let mut piece = String::new();
        let mut target = 600;
        for line in text.split_inclusive('\n') {
            piece.push_str(line);
            if piece.chars().count() >= target {
                texts.push((name.clone(), std::mem::take(&mut piece)));
                target = if target > 4_000 { 600 } else { target * 5 / 3 };
            }
        }
    }
    texts.retain(|(_, text)| !text.trim().is_empty() && text.chars().count() <= 5_000);
    texts
}

/// A table by language and source: AUC of `toxic` and of `hate`, and benign rows acted upon.
///
/// # Errors
/// None besides those of writing.
pub fn languages(rows: &[Evaluated], by_source: bool) -> Result<String> {
    let mut groups: BTreeMap<(String, String), Vec<&Evaluated>> = BTreeMap::new();
    for evaluated in rows {
        let source = if by_source { evaluated.row.source.clone() } else { String::new() };
        groups.entry((evaluated.row.lang.clone(), source)).or_default().push(evaluated);
    }
    let mut table = "| language | source | toxic + / - | AUC toxic | hate + / - | AUC hate | benign rows \
                     | acted upon | abusive rows | acted upon |\n|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for ((lang, source), rows) in groups {
        writeln!(
            table,
            "| {lang} | {source} | {} | {} | {} | {} |",
            area_cells(&rows, Category::Toxic),
            area_cells(&rows, Category::Hate),
            acted_cells(&rows, is_benign),
            acted_cells(&rows, |row| row.labels[0] == Some(true)),
        )?;
    }
    Ok(table)
}

/// The rows with and without a harm, and its AUC.
fn area_cells(rows: &[&Evaluated], head: Category) -> String {
    let scored = crate::report::labelled(rows.iter().copied(), head);
    let positives = scored.iter().filter(|row| row.1).count();
    let negatives = scored.len() - positives;
    let area =
        if positives >= 20 && negatives >= 20 { format!("{:.3}", auc(&scored)) } else { String::new() };
    format!("{positives} / {negatives} | {area}")
}

/// The rows that pass a test, and the share of them that is acted upon.
fn acted_cells(rows: &[&Evaluated], test: impl Fn(&LabelledText) -> bool) -> String {
    let of: Vec<&&Evaluated> = rows.iter().filter(|evaluated| test(&evaluated.row)).collect();
    if of.is_empty() {
        return "0 | ".to_owned();
    }
    let acted = of.iter().filter(|evaluated| crate::report::acted(evaluated)).count();
    format!("{} | {:.2} %", of.len(), 100.0 * acted as f64 / of.len() as f64)
}
