//! How the decision model is asked about a rule in plain language. It is small, and tells which of two descriptions
//! fits a message far better than whether the message breaks a rule: on the half `choose` of
//! `training/text/yardstick/rules.jsonl` the mean AUC is .74, against .39 (on 18 of the 30 rules). So the sentences of
//! a rule are told apart: those that forbid, and those that permit or demand. English is known; a rule in another
//! language forbids as a whole.

use serde_json::{Value, json};

use crate::operations::moderation::{
    TextMessage,
    rules::{Examples, PlainRule},
};
use ports::decision::{Question, QuestionKind};

/// How sentences begin that forbid something, and that demand something. What follows is what they are about.
const FORBIDS: [&str; 11] = [
    "no",
    "don't",
    "do not",
    "never",
    "please do not",
    "please don't",
    "please no",
    "avoid",
    "this is not a",
    "this is not an",
    "not even",
];
const DEMANDS: [&str; 8] =
    ["keep it", "keep this channel", "keep", "stay", "only", "use", "be", "this channel is for"];
/// Parts of sentences that forbid, wherever they stand.
const PROHIBITS: [&str; 14] = [
    "not allowed",
    "n't allowed",
    "not permitted",
    "n't permitted",
    "not okay",
    "n't okay",
    "not welcome",
    "n't welcome",
    "be tolerated",
    "can't",
    "cannot",
    "may not",
    "forbidden",
    "prohibited",
];
/// Words of sentences that permit.
const PERMITS: [&str; 10] =
    ["fine", "okay", "ok", "welcome", "tolerated", "allowed", "permitted", "don't count", "can", "may"];
/// Examples of each side that a model reads beside a rule: with more, the context of a small one would not hold them.
const EXAMPLES_SHOWN: usize = 5;
/// What stands for the side that a rule does not describe.
const ANYTHING_ELSE: &str = "something else";

/// The question whether a message breaks a rule: true when it does.
pub(super) fn question(number: usize, rule: &str) -> Question {
    let RuleSides { forbidden, permitted } = RuleSides::read(&rule.replace('’', "'"));
    Question {
        key: number.to_string(),
        instructions: Value::Null,
        kind: QuestionKind::Noul { yes: Some(forbidden), no: Some(permitted) },
    }
}

/// The same question for a model that follows instructions, with the newest examples of each side.
pub(super) fn instruction(number: usize, rule: &PlainRule) -> Question {
    let mut text = format!("A community has this rule: {}\nDoes the message break it?", rule.text);
    let Examples { allowed, not_allowed } = &rule.examples;
    for (what, examples) in [("break it", not_allowed), ("do not break it", allowed)] {
        let newest = &examples[examples.len().saturating_sub(EXAMPLES_SHOWN)..];
        if newest.is_empty() {
            continue;
        }
        text.push_str(&format!("\nMessages that {what}:"));
        for example in newest {
            text.push_str(&format!("\n- {}", example.replace('\n', " ")));
        }
    }
    Question {
        key: number.to_string(),
        instructions: text.into(),
        kind: QuestionKind::Noul { yes: None, no: None },
    }
}

/// What is told about a message: its text, and the name and topic of its channel.
pub(super) fn state(content: &str, message: Option<&TextMessage>) -> Value {
    let mut state = json!({ "message": content });
    let channel = message.and_then(TextMessage::shown_channel);
    let topic = message.and_then(TextMessage::topic);
    for (field, value) in [("channel", channel), ("topic", topic)] {
        if let Some(value) = value {
            state[field] = value.into();
        }
    }
    state
}

/// What a rule forbids, and what it permits or demands.
struct RuleSides {
    forbidden: String,
    permitted: String,
}

/// What a sentence does. One that says nothing of it goes on with what the one before said.
#[derive(Clone, Copy, PartialEq)]
enum Sense {
    Forbids,
    Permits,
}

impl RuleSides {
    fn read(rule: &str) -> Self {
        let mut forbidden: Vec<&str> = Vec::new();
        let mut permitted: Vec<&str> = Vec::new();
        let mut sense = Sense::Forbids;
        for sentence in sentences(rule) {
            let lower = sentence.to_lowercase();
            let mut about = sentence;
            if let Some(rest) = after(sentence, &lower, &FORBIDS) {
                sense = Sense::Forbids;
                about = rest;
            } else if PROHIBITS.iter().any(|words| lower.contains(words)) {
                sense = Sense::Forbids;
            } else if PERMITS.iter().any(|words| has_words(&lower, words)) {
                permitted.push(sentence);
                continue;
            } else if let Some(rest) = after(sentence, &lower, &DEMANDS) {
                sense = Sense::Permits;
                about = rest;
            }
            if sense == Sense::Forbids { forbidden.push(about) } else { permitted.push(about) }
        }
        Self { forbidden: joined(&forbidden), permitted: joined(&permitted) }
    }
}

/// The sentences of a text, without the signs that end them.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let pieces = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().zip(rest.chars().skip(1));
        let mut ends = ends.filter(|((_, sign), next)| ".!?".contains(*sign) && next.is_whitespace());
        let end = ends.next().map_or(rest.len(), |((at, _), _)| at + 1);
        let (sentence, others) = rest.split_at(end);
        rest = others;
        Some(sentence.trim().trim_end_matches(['.', '!', '。', '！']))
    });
    pieces.filter(|sentence| !sentence.is_empty())
}

/// What follows the longest of some beginnings. `lower` is the sentence in lower case.
fn after<'a>(sentence: &'a str, lower: &str, beginnings: &[&str]) -> Option<&'a str> {
    let longest =
        beginnings.iter().filter(|words| has_words_at(lower, words, 0)).map(|words| words.len()).max()?;
    // Lower case keeps the lengths of these words.
    sentence.get(longest..).map(|rest| rest.trim_start_matches([' ', ':', ',']))
}

fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| has_words_at(text, words, at))
}

/// Whether whole words stand at a place.
fn has_words_at(text: &str, words: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let Some(rest) = text[at..].strip_prefix(words) else { return false };
    let after = rest.chars().next();
    !before.is_some_and(char::is_alphanumeric)
        && !after.is_some_and(|next| next.is_alphanumeric() || next == '\'')
}

fn joined(sentences: &[&str]) -> String {
    let joined = sentences.join("; ");
    if joined.trim().is_empty() { ANYTHING_ELSE.to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_forbids_is_told_from_what_it_permits() {
        for (rule, forbidden, permitted) in [
            ("No trading outside #market", "trading outside #market", ANYTHING_ELSE),
            ("Don’t beg. Giveaways by staff are fine.", "beg", "Giveaways by staff are fine"),
            ("Keep it PG. No sexual jokes.", "sexual jokes", "PG"),
            (
                "Keep this channel on topic: photography. Cameras, lenses!",
                ANYTHING_ELSE,
                "on topic: photography; Cameras, lenses",
            ),
            ("Trading is not allowed here.", "Trading is not allowed here", ANYTHING_ELSE),
            ("Nobody sells accounts", "Nobody sells accounts", ANYTHING_ELSE),
            ("Keine Werbung für eigene Kanäle.", "Keine Werbung für eigene Kanäle", ANYTHING_ELSE),
            ("No.", ANYTHING_ELSE, ANYTHING_ELSE),
        ] {
            let sides = RuleSides::read(&rule.replace('’', "'"));
            assert_eq!(
                (sides.forbidden.as_str(), sides.permitted.as_str()),
                (forbidden, permitted),
                "{rule}"
            );
        }
    }
}
