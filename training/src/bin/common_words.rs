//! Writes the most frequent words of the training rows in a language, the most frequent first, as the reader reads
//! them: `common_words MOST LANGUAGE FILES... > engine/lexicon/common/LANGUAGE.txt`.
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use ports::text::reader::glyphs;
use training::data;

/// The fewest times that a word is in the rows.
const LEAST: usize = 3;
/// The fewest letters of a word, and the first words of the list, among which there may be shorter ones.
const MIN_LETTERS: usize = 2;
const FIRST: usize = 40;

/// Lists the most frequent words of a language.
#[derive(Parser)]
struct Arguments {
    /// The most words.
    most: usize,
    /// The language of the rows, such as `de`.
    language: String,
    /// Files of training rows.
    files: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for file in &arguments.files {
        for row in data::read(file)?.iter().filter(|row| row.lang == arguments.language) {
            words(&row.text, &mut counts);
        }
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count >= LEAST).collect();
    ranked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let words = ranked.iter().map(|(word, _)| word).enumerate();
    let words = words.filter(|(at, word)| *at < FIRST || word.chars().count() >= MIN_LETTERS);
    words.take(arguments.most).for_each(|(_, word)| println!("{word}"));
    Ok(())
}

/// Counts the words of a message that are letters alone, without mentions and links.
fn words(text: &str, counts: &mut HashMap<String, usize>) {
    for word in text.split_whitespace().filter(|word| !word.starts_with(['@', '<']) && !word.contains("//")) {
        let read = glyphs(word);
        for letters in read.split(|glyph| !glyph.char.is_alphabetic() && !matches!(glyph.char, '\'' | '’'))
        {
            let letters: String =
                letters.iter().map(|glyph| glyph.char).filter(|char| char.is_alphabetic()).collect();
            if !letters.is_empty() {
                *counts.entry(letters).or_insert(0) += 1;
            }
        }
    }
}
