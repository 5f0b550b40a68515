//! Measures the CPU time of moderating each line of a file, one at a time on one thread: links, normaliser, models,
//! signals and policy. Prints the microseconds for each message.

use std::hint::black_box;

use anyhow::{Context as _, Result, anyhow, bail};
use domain::operations::moderation::{TextDraft, TextMessage, decide, read};
use engine::text::NativeText;
use ports::text::TextInput;
use ports::text::TextMode;

/// Passes over the file, since the kernel counts in milliseconds.
const PASSES: usize = 40;

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let &[path] = arguments else { bail!("usage: bench text FILE") };
    let engine = NativeText::load().map_err(|error| anyhow!(error.0))?;
    let messages: Vec<(TextMessage, TextInput)> = std::fs::read_to_string(path)?
        .lines()
        .map(|line| {
            let draft = TextDraft { content: line.to_owned(), account_age_days: 30, ..Default::default() };
            let message = TextMessage::parse("", draft).map_err(|error| anyhow!(error.message))?;
            Ok((message, TextInput { content: line.to_owned(), mode: TextMode::Native, explain: false }))
        })
        .collect::<Result<_>>()?;
    moderate(&engine, &messages);
    let start = cpu_nanoseconds()?;
    for _ in 0..PASSES {
        moderate(&engine, &messages);
    }
    println!("{:.3}", (cpu_nanoseconds()? - start) as f64 / 1e3 / (PASSES * messages.len()) as f64);
    Ok(())
}

fn moderate(engine: &NativeText, messages: &[(TextMessage, TextInput)]) {
    for (message, input) in messages {
        let scores = engine.score_one(input);
        black_box(decide(&read(message), &scores));
    }
}

/// The CPU time of this thread (Linux).
fn cpu_nanoseconds() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(stat.split_whitespace().next().context("empty schedstat")?.parse()?)
}
