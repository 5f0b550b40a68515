//! CPU time to judge each message of a file of lines: links, normaliser, models, signals and policy, one at a time on one
//! thread. Prints microseconds a message, one number. Times nothing but this process's own work.
#![allow(clippy::print_stdout)]

use std::hint::black_box;

use anyhow::{Context, Result, anyhow};
use domain::moderation::TextInput;
use domain::moderation::{Mode, TextDraft, TextMessage, decide, read};
use engine::text::NativeText;

/// Times the file is read through: the kernel counts in ticks of milliseconds.
const PASSES: usize = 40;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("usage: bench_text FILE")?;
    let engine = NativeText::load().map_err(|error| anyhow!(error.0))?;
    let messages: Vec<(TextMessage, TextInput)> = std::fs::read_to_string(path)?
        .lines()
        .map(|line| {
            let draft = TextDraft { content: line.to_owned(), account_age_days: 30, ..Default::default() };
            let message = TextMessage::parse("", draft).map_err(|error| anyhow!(error.message))?;
            Ok((message, TextInput { content: line.to_owned(), mode: Mode::Native, explain: false }))
        })
        .collect::<Result<_>>()?;
    let pass = || {
        for (message, input) in &messages {
            let scores = engine.score_one(input);
            black_box(decide(&read(message), &scores));
        }
    };
    pass();
    let start = cpu_nanoseconds()?;
    (0..PASSES).for_each(|_| pass());
    println!("{:.3}", (cpu_nanoseconds()? - start) as f64 / 1e3 / (PASSES * messages.len()) as f64);
    Ok(())
}

/// Time this thread has spent on a processor (Linux).
fn cpu_nanoseconds() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(stat.split_whitespace().next().context("empty schedstat")?.parse()?)
}
