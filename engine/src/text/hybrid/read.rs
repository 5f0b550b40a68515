//! What the encoder reads of a message: its words with disguises undone, in their order and with their punctuation. So
//! neither a link nor a name can become a label. Scores nothing.

use std::ops::Range;

use domain::moderation::links::Link;

use crate::text::normalize::normalize;

/// A message as the encoder reads it: the native model's words, in the message's own spelling where they are equal to it
/// but for case and apostrophes; one space for each link; no mention and no markup.
pub fn encoder_text(content: &str, links: &[Link]) -> String {
    let read = normalize(content, links);
    let mut out = String::with_capacity(content.len());
    let mut at = 0;
    for word in &read.words {
        push_gap(&mut out, content, at.min(word.from)..word.from, links);
        let original = &content[word.from..word.to];
        let plain: String =
            original.chars().filter(|char| !"'’`".contains(*char)).flat_map(char::to_lowercase).collect();
        out.push_str(if plain == read.word(word) { original } else { read.word(word) });
        at = word.to;
    }
    push_gap(&mut out, content, at..content.len(), links);
    out
}

/// What stands between two words: no letters or digits (those belong to links, mentions and markup), one space a link.
fn push_gap(out: &mut String, content: &str, gap: Range<usize>, links: &[Link]) {
    for (offset, char) in content[gap.clone()].char_indices() {
        let at = gap.start + offset;
        // Links are in order and do not overlap.
        let next = links.partition_point(|link| link.end <= at);
        match links.get(next).filter(|link| link.start <= at) {
            Some(link) if link.start == at => out.push(' '),
            Some(_) => {}
            None if char.is_alphanumeric() || "@<>_".contains(char) => {}
            None => out.push(char),
        }
    }
}
