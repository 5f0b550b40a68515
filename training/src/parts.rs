//! Parts of messages as rows of their own: the engine reads a message in windows and the worst counts, so the model
//! must know what harmless parts look like. What a message is not, no part of it is; what it is, its parts may be or
//! not, which stays unknown.

use std::collections::BTreeMap;

use engine::text::features::{FORM_HEADS, word_hash};
use engine::text::normalize::normalize;
use engine::text::windows::{cut_windows, sentence_windows, sentences};
use ports::text::links;

use crate::data::LabelledText;

/// Parts of a contrast row, at most. Of other rows, one is taken.
const MOST: usize = 6;

/// The parts of rows that have several.
pub fn parts(rows: &[LabelledText]) -> Vec<LabelledText> {
    rows.iter().flat_map(of_row).collect()
}

fn of_row(row: &LabelledText) -> Vec<LabelledText> {
    let mut labels = row.labels.map(|label| label.filter(|harm| !harm));
    // Their form would say that spam is long.
    FORM_HEADS.into_iter().for_each(|head| labels[head as usize] = None);
    if labels.iter().all(Option::is_none) {
        return Vec::new();
    }
    let text = normalize(&row.text, &links::find(&row.text));
    let sentences = sentences(&row.text, &text);
    let mut windows = sentence_windows(&text, &sentences, 1);
    // Quoted words too: a warning is as harmless in its parts.
    windows.extend(cut_windows("", &text, &sentences));
    let (first, most) = if row.source.starts_with("contrast/") {
        (0, MOST)
    } else {
        (word_hash(&row.id) as usize % windows.len().max(1), 1)
    };
    let part = |(at, window): (usize, engine::text::windows::TextWindow)| LabelledText {
        id: format!("{}-part-{at}", row.id),
        text: row.text[text.words[window.words.start].from..text.words[window.words.end - 1].to].to_owned(),
        labels,
        ..row.clone()
    };
    windows.into_iter().enumerate().skip(first).take(most).map(part).collect()
}

/// Lines of the texts that [`joined`] makes, in turn.
const LINES: [usize; 4] = [6, 12, 24, 48];

/// Benign rows of each source one after another, as lines of longer texts: a log of harmless messages is harmless,
/// however many words it has that some harms have too.
pub fn joined(rows: &[LabelledText]) -> Vec<LabelledText> {
    let mut sources: BTreeMap<(&str, &str), Vec<&LabelledText>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.labels.contains(&Some(true))) {
        sources.entry((&row.source, &row.lang)).or_default().push(row);
    }
    let texts = sources.into_values().flat_map(|mut left: Vec<&LabelledText>| {
        let mut texts = Vec::new();
        for lines in LINES.into_iter().cycle() {
            if left.len() < lines {
                break;
            }
            let some = left.split_off(left.len() - lines);
            texts.push(LabelledText {
                id: format!("{}-joined", some[0].id),
                text: some.iter().map(|row| row.text.as_str()).collect::<Vec<_>>().join("\n"),
                labels: std::array::from_fn(|head| {
                    some.iter().all(|row| row.labels[head] == Some(false)).then_some(false)
                }),
                ..some[0].clone()
            });
        }
        texts
    });
    texts.collect()
}
