//! Measures the CPU time of verdicts by length: messages of one to many sentences, everyday ones and ones with an
//! offence.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::yardstick::Judge;

/// Sentences of the messages that are timed.
const SENTENCES: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Messages of each length.
const MESSAGES: usize = 12;
/// Milliseconds of CPU after which a length has been timed.
const ENOUGH: f64 = 500.0;

/// A table of the mean CPU time of a verdict by number of sentences, for messages of benign sentences, and with one
/// harmful sentence among them.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn cost(judge: &Judge, benign: &[&str], harmful: &[&str]) -> Result<String> {
    let mut table =
        "| sentences | characters | CPU ms, benign | CPU ms, with an offence |\n|---|---|---|---|\n"
            .to_owned();
    for sentences in SENTENCES {
        let plain_messages = messages(sentences, benign, &[]);
        let characters: usize = plain_messages.iter().map(|text| text.chars().count()).sum();
        let plain = timed(judge, &plain_messages)?;
        let offending = timed(judge, &messages(sentences, benign, harmful))?;
        writeln!(table, "| {sentences} | {} | {plain:.2} | {offending:.2} |", characters / MESSAGES)?;
    }
    Ok(table)
}

/// Messages of benign sentences, each with one of the `harmful` sentences if there are any.
fn messages(sentences: usize, benign: &[&str], harmful: &[&str]) -> Vec<String> {
    let mut messages = Vec::with_capacity(MESSAGES);
    for at in 0..MESSAGES {
        let mut all: Vec<&str> = (0..sentences).map(|n| sentence(benign, at * sentences + n)).collect();
        if !harmful.is_empty() {
            all[at % sentences] = sentence(harmful, at);
        }
        messages.push(all.join(". "));
    }
    messages
}

fn sentence<'a>(pool: &[&'a str], at: usize) -> &'a str {
    pool[at % pool.len()].trim_end_matches('.')
}

/// The mean CPU time of a text, in milliseconds.
fn timed(judge: &Judge, texts: &[String]) -> Result<f64> {
    // The first message that needs an encoder loads it.
    judge.answers(texts)?;
    let before = cpu_milliseconds()?;
    let mut answered = 0;
    loop {
        for text in texts {
            judge.answers(std::slice::from_ref(text))?;
        }
        answered += texts.len();
        let spent = cpu_milliseconds()? - before;
        if spent >= ENOUGH {
            return Ok(spent / answered as f64);
        }
    }
}

/// The CPU time of this process so far, ended threads included (Linux, which counts in hundredths of a second).
fn cpu_milliseconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("no command in /proc/self/stat")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? * 10.0)
}
