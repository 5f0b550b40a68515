//! Measures what people really type: curses in many languages, abuse by degree, names, everyday lines, polite cruelty,
//! and disguises.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use domain::operations::moderation::Action;

use crate::disguises::{DISGUISES, Disguise};
use crate::report::Evaluated;
use crate::yardstick::Judge;

/// The least probability of a review that counts as a moderator's look.
const LOOK: f64 = 0.5;
/// The share of harmful rows, in percent, that should be acted upon still in a pair of disguises.
const ENOUGH: f64 = 95.0;

/// A line of a yardstick file, by the names of its columns.
pub type YardstickRow = BTreeMap<String, String>;

/// Reads a file of tab-separated values with a line of column names, of one set (`choose` or `report`).
///
/// # Errors
/// A file that cannot be read.
pub fn read(name: &str, set: &str) -> Result<Vec<YardstickRow>> {
    let path = Path::new("training/text/yardstick").join(name);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let rows = lines.map(|line| {
        let cells = columns.iter().zip(line.split('\t'));
        cells.map(|(column, cell)| ((*column).to_owned(), cell.to_owned())).collect::<YardstickRow>()
    });
    Ok(rows.filter(|row| row.get("set").is_none_or(|of| of == set)).collect())
}

/// The lines that are not acted upon, and a table by language.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn curses(judge: &Judge, set: &str) -> Result<String> {
    let rows = read("curses.tsv", set)?;
    let mut found: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut missed = String::new();
    for (row, (_, verdict)) in rows.iter().zip(judge.answers(&texts(&rows))?) {
        let count = found.entry(&row["lang"]).or_default();
        count[0] += 1;
        count[1] += usize::from(verdict.action != Action::None);
        if verdict.action == Action::None {
            writeln!(missed, "- {} {:.2} {}", row["lang"], verdict.threat_score, row["text"])?;
        }
    }
    let all = found.values().fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    let cells: Vec<String> =
        found.iter().map(|(lang, [all, acted])| format!("{lang} {acted}/{all}")).collect();
    Ok(format!("{} of {} acted upon: {}\n{missed}", all[1], all[0], cells.join(", ")))
}

/// The rank correlation of threat score and degree, and what is done by degree.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn severity(judge: &Judge, set: &str) -> Result<String> {
    let rows = read("severity.tsv", set)?;
    let mut degrees = Vec::new();
    let mut threats = Vec::new();
    let mut actions: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut wrong = String::new();
    for (row, (_, verdict)) in rows.iter().zip(judge.answers(&texts(&rows))?) {
        degrees.push(row["degree"].parse()?);
        threats.push(verdict.threat_score);
        actions.entry(&row["degree"]).or_default()[verdict.action as usize] += 1;
        let expected = match row["degree"].as_str() {
            "0" => verdict.action == Action::None,
            "4" | "5" => verdict.action >= Action::Timeout,
            _ => verdict.action != Action::None,
        };
        if !expected {
            let Some(action) = Some(verdict.action.as_str()) else { continue };
            writeln!(
                wrong,
                "- {} {} {} {action} {:.2} {}",
                row["degree"], row["lang"], row["kind"], verdict.threat_score, row["text"]
            )?;
        }
    }
    let mut table = format!(
        "rank correlation {:.3}\n\n| degree | none | warn | timeout | ban |\n|---|---|---|---|---|\n",
        rank_correlation(&degrees, &threats)
    );
    for (degree, [none, warn, timeout, ban]) in actions {
        writeln!(table, "| {degree} | {none} | {warn} | {timeout} | {ban} |")?;
    }
    Ok(format!("{table}\n{wrong}"))
}

/// Harmless lines that are acted upon, and the share.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn harmless(judge: &Judge, name: &str, texts: &[String]) -> Result<String> {
    let mut acted = String::new();
    let mut count = 0;
    for (text, (_, verdict)) in texts.iter().zip(judge.answers(texts)?) {
        if verdict.action != Action::None {
            count += 1;
            writeln!(acted, "- {} {:.2} {text}", verdict.action.as_str(), verdict.threat_score)?;
        }
    }
    Ok(format!("{name}: {count} of {} acted upon ({:.2} %)\n{acted}", texts.len(), share(count, texts.len())))
}

/// The benign rows that are acted upon, each with the entries of the lexicon in it.
pub fn alarms(benign: &[&Evaluated]) -> String {
    let acted = benign.iter().filter(|row| row.verdict.action != Action::None);
    let lines = acted.map(|row| {
        let hits = row.scores.lexicon.iter().map(|hit| &row.row.text[hit.start..hit.end]);
        let hits = hits.collect::<Vec<_>>().join(", ");
        format!("- {:.2} {} [{hits}] {}", row.verdict.threat_score, row.row.source, row.row.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How many polite cruelties and harmless twins a moderator would see, and how many are acted upon.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn cruelty(judge: &Judge, set: &str) -> Result<String> {
    let rows = read("cruelty.tsv", set)?;
    let mut seen: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (row, (_, verdict)) in rows.iter().zip(judge.answers(&texts(&rows))?) {
        let count = seen.entry(&row["label"]).or_default();
        count[0] += 1;
        count[1] += usize::from(verdict.requires_mod_review >= LOOK);
        count[2] += usize::from(verdict.action != Action::None);
    }
    let lines = seen.iter().map(|(label, [all, seen, acted])| {
        format!("label {label}: {seen} of {all} reviewed, {acted} acted upon")
    });
    Ok(lines.collect::<Vec<_>>().join("; "))
}

/// A table by disguise: of harmful rows that are acted upon, the share that still is; of benign rows, how many points
/// more are acted upon. Then the worst of `pairs` pairs.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn disguises(judge: &Judge, acted: &[&Evaluated], benign: &[&Evaluated], pairs: usize) -> Result<String> {
    let mut table =
        "| disguise | acted upon still | benign rows acted upon, more |\n|---|---|---|\n".to_owned();
    let before = benign.iter().filter(|row| row.verdict.action != Action::None).count();
    for disguise in &DISGUISES {
        let still = acted_share(judge, acted, disguise.apply)?;
        let alarms = acted_share(judge, benign, disguise.apply)?;
        writeln!(
            table,
            "| {} | {still:.1} % | {:+.2} |",
            disguise.name,
            alarms - share(before, benign.len())
        )?;
    }
    for disguise in &DISGUISES {
        write!(table, "{}", lost(judge, acted, disguise.name, disguise.apply)?)?;
    }
    let mut found = Vec::new();
    for at in 0..pairs {
        // Every disguise is in as many pairs as any other.
        let first = &DISGUISES[at % DISGUISES.len()];
        let second =
            &DISGUISES[(at % DISGUISES.len() + 1 + (at / DISGUISES.len()) * 7 + at * 3) % DISGUISES.len()];
        if first.name == second.name {
            continue;
        }
        let (first, second) = if first.is_code() { (second, first) } else { (first, second) };
        let name = format!("{}, then {}", first.name, second.name);
        let still = acted_share(judge, acted, then(first, second))?;
        if still < ENOUGH {
            write!(table, "{}", lost(judge, acted, &name, then(first, second))?)?;
        }
        found.push((still, name));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = found.iter().map(|pair| pair.0).sum::<f64>() / found.len().max(1) as f64;
    let enough = found.iter().filter(|pair| pair.0 >= ENOUGH).count();
    writeln!(
        table,
        "\n{} pairs: mean {mean:.1} %, {enough} of them at least 95 %; the worst:\n",
        found.len()
    )?;
    for (still, names) in found.iter().take(12) {
        writeln!(table, "- {still:.1} % {names}")?;
    }
    Ok(table)
}

/// Applies two disguises, one after the other.
fn then<'a>(first: &'a Disguise, second: &'a Disguise) -> impl Fn(&str) -> String + 'a {
    |text| (second.apply)(&(first.apply)(text))
}

/// The rows that a disguise saves from being acted upon, with the threat without and with it.
fn lost(judge: &Judge, acted: &[&Evaluated], name: &str, apply: impl Fn(&str) -> String) -> Result<String> {
    let texts: Vec<String> = acted.iter().map(|row| disguised(&row.row.text, &apply)).collect();
    let mut lines = String::new();
    for (row, (text, (_, verdict))) in acted.iter().zip(texts.iter().zip(judge.answers(&texts)?)) {
        if verdict.action == Action::None {
            let [before, after] = [row.verdict.threat_score, verdict.threat_score];
            writeln!(lines, "- {name}: {} {before:.2} {after:.2} {text:?}", row.row.lang)?;
        }
    }
    Ok(lines)
}

fn disguised(text: &str, apply: impl Fn(&str) -> String) -> String {
    apply(text).chars().take(10_000).collect()
}

/// The share of rows that is acted upon in disguise, in percent.
fn acted_share(judge: &Judge, rows: &[&Evaluated], apply: impl Fn(&str) -> String) -> Result<f64> {
    let texts: Vec<String> = rows.iter().map(|row| disguised(&row.row.text, &apply)).collect();
    let answers = judge.answers(&texts)?;
    Ok(share(answers.iter().filter(|(_, verdict)| verdict.action != Action::None).count(), rows.len()))
}

fn texts(rows: &[YardstickRow]) -> Vec<String> {
    rows.iter().map(|row| row["text"].clone()).collect()
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// Spearman's rank correlation, with mean ranks for equal values.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let a = ranks(a);
    let b = ranks(b);
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product: f64 = a.iter().zip(&b).map(|(a, b)| (a - mean) * (b - mean)).sum();
    product / (squares(&a, mean) * squares(&b, mean)).sqrt()
}

fn squares(ranks: &[f64], mean: f64) -> f64 {
    ranks.iter().map(|rank| (rank - mean).powi(2)).sum()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let first = order.iter().position(|at| *at == equal[0]).unwrap_or(0);
        let rank = first as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|at| ranks[*at] = rank);
    }
    ranks
}
