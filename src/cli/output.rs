//! The output of commands: text, or one JSON object with `--json`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use domain::Error;
use serde_json::{Value, json};

/// Prints results and errors.
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a result, as text or as JSON.
    pub(super) fn show(&self, text: &str, value: Value) {
        if self.json { println!("{value}") } else { println!("{}", text.trim_end()) }
    }

    /// Prints a document as it is.
    pub(super) fn raw(&self, document: &str) {
        print!("{document}");
    }

    /// Prints progress to stderr, unless the output is JSON.
    pub(super) fn note(&self, line: &str) {
        if !self.json {
            eprintln!("{line}");
        }
    }

    /// Prints an error to stderr.
    pub(super) fn fail(&self, error: &anyhow::Error) {
        let known = error.downcast_ref::<Error>();
        let text = known.map_or_else(|| format!("{error:#}"), |known| known.message.clone());
        let code = known.map_or("INTERNAL_ERROR", |known| known.code.as_str());
        // An error of ours keeps its cause for the operator, who is the one reading this.
        let text = match known.and_then(|known| known.cause.as_ref()) {
            Some(cause) => format!("{text}: {cause}"),
            None => text,
        };
        if self.json {
            eprintln!("{}", json!({ "error": text, "code": code }))
        } else {
            eprintln!("error: {text}")
        }
    }
}

/// Lines up columns with two spaces between them.
pub(super) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = header.map(|cell| cell.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[String; N]| -> String {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    std::iter::once(line(&header.map(str::to_owned))).chain(rows.iter().map(line)).collect()
}
