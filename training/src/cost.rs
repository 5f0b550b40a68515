//! Measures the CPU time of verdicts by length: messages of one to many sentences, everyday ones and ones with an offence.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::yardstick::Judge;

/// Sentences of the messages that are timed.
const SENTENCES: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Messages of each length.
const MESSAGES: usize = 12;
/// Milliseconds of CPU after which a length has been timed.
const ENOUGH: f64 = 500.0;

/// A table of the mean CPU time of a verdict by the number of sentences, of messages joined from these benign sentences, and with one of
/// these offences among them.
///
/// # Errors
/// Like [`Judge::answers`].
pub fn cost(judge: &Judge, benign: &[&str], harmful: &[&str]) -> Result<String> {
    let mut table =
        "| sentences | characters | CPU ms, benign | CPU ms, with an offence |\n|---|---|---|---|\n"
            .to_owned();
    for sentences in SENTENCES {
        let message = |at: usize, offence: bool| {
            let from = |pool: &[&str], at: usize| pool[at % pool.len()].trim_end_matches('.').to_owned();
            let mut all: Vec<String> = (0..sentences).map(|n| from(benign, at * sentences + n)).collect();
            if offence {
                all[at % sentences] = from(harmful, at);
            }
            all.join(". ")
        };
        let messages = |offence| (0..MESSAGES).map(|at| message(at, offence)).collect::<Vec<_>>();
        let characters: usize = messages(false).iter().map(|text| text.chars().count()).sum();
        let [plain, offending] = [timed(judge, &messages(false))?, timed(judge, &messages(true))?];
        writeln!(table, "| {sentences} | {} | {plain:.2} | {offending:.2} |", characters / MESSAGES)?;
    }
    Ok(table)
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
