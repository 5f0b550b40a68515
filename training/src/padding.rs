//! Ways to pad a message with harmless text, for measuring whether padding changes a verdict.

use std::path::Path;

use anyhow::{Context, Result};

/// The name of a way of padding, and the padded message of a message and a harmless sentence.
pub type Padding = (&'static str, fn(&str, &str) -> String);

/// Every way of padding, with the two of the stated targets first.
pub const PADDINGS: [Padding; 18] = [
    ("sentence before", |text, filler| format!("{filler}. {text}")),
    ("sentence behind", |text, filler| format!("{}. {filler}", ended(text))),
    ("sentence before, no full stop", |text, filler| format!("{filler} {text}")),
    ("sentence behind, no full stop", |text, filler| format!("{text} {filler}")),
    ("line before", |text, filler| format!("{filler}\n{text}")),
    ("line behind", |text, filler| format!("{text}\n{filler}")),
    ("lines around", |text, filler| format!("{filler}\n{text}\n{filler}")),
    ("line in the middle", between),
    ("ten lines before", |text, filler| format!("{}{text}", format!("{filler}\n").repeat(10))),
    ("ten sentences behind", |text, filler| format!("{}.{}", ended(text), format!(" {filler}.").repeat(10))),
    ("fifty lines around", |text, filler| {
        let lines = format!("{filler}\n").repeat(25);
        format!("{lines}{text}\n{lines}")
    }),
    ("said three times", |text, _| format!("{text}\n{text}\n{text}")),
    ("as a code block", |text, filler| format!("{filler}\n```\n{text}\n```")),
    ("behind a code block", |text, _| {
        format!("```rust\nfn main() {{\n    println!(\"{{}}\", 40 + 2);\n}}\n```\n{text}")
    }),
    ("as a markdown quote", |text, filler| format!("> {}\n\n{filler}", text.replace('\n', "\n> "))),
    ("in quotation marks, alone", |text, filler| format!("\"{text}\"\n{filler}")),
    ("in bold and spoiler marks", |text, filler| format!("{filler}\n**||{text}||**")),
    ("zero-width characters", |text, filler| {
        let hidden: String = text.chars().flat_map(|char| [char, '\u{200b}']).collect();
        format!("{filler}\n{hidden}")
    }),
];

/// The message without punctuation at its end.
fn ended(text: &str) -> &str {
    text.trim_end_matches(|char: char| char.is_whitespace() || ".!?,;".contains(char))
}

/// The filler as a line between two sentences of the message, or between its halves if it has one sentence only.
fn between(text: &str, filler: &str) -> String {
    let middle = text.len() / 2;
    let sentence = text.match_indices(['.', '!', '?', '\n']).map(|(at, mark)| at + mark.len());
    let sentence = sentence.filter(|at| !text[*at..].trim().is_empty());
    let sentence = sentence.min_by_key(|at| at.abs_diff(middle));
    let spaces = text.match_indices(' ').map(|(at, _)| at);
    match sentence.or_else(|| spaces.min_by_key(|at| at.abs_diff(middle))) {
        Some(at) => format!("{}\n{filler}\n{}", &text[..at], text[at..].trim_start()),
        None => format!("{text}\n{filler}"),
    }
}

/// Reads harmless sentences: language, a tab, the sentence; `#` begins a comment.
///
/// # Errors
/// A line without a tab.
pub fn read_fillers(path: &Path) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot open {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (lang, text) = line.split_once('\t').with_context(|| format!("no tab: {line}"))?;
            Ok((lang.to_owned(), text.to_owned()))
        })
        .collect()
}
