//! Texts: how a state, a question and its options are written before they are tokenised. Writes what
//! `training/decision/render.py` writes, byte for byte, since the model was trained on that; a golden file of that
//! script's is the test. Cuts nothing; what would become longer than anything that can be read is given up early, since a
//! path is written out before each value below it: a hundred KiB of JSON can come to gigabytes.

use domain::inference::{Choice, QuestionKind};
use serde_json::Value;

/// An option as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The name it is answered by: an option, a level from `0`, or `true` and `false`.
    pub key: String,
    /// What is read.
    pub text: String,
}

/// Bytes that a state may come to in words. What a client may send in JSON is a quarter of that.
pub const LONGEST: usize = 1 << 20;

/// A state: a text as it is; an object as `key: value; nested.key: value`; an array of scalars as `a, b`, any other as
/// `[0] key: value, key: value | [1] ...`; empty ones as `{}` and `[]`. None when it would be longer than [`LONGEST`].
pub fn state(state: &Value) -> Option<String> {
    let mut text = String::new();
    Leaves::new("; ").write(state, &mut text)?;
    Some(text)
}

/// A question: nothing for null, otherwise as a state.
pub fn question(instructions: &Value) -> Option<String> {
    if instructions.is_null() { Some(String::new()) } else { state(instructions) }
}

/// What may be answered, in the question's order; true before false. A prompt is answered as a plain yes/no question.
pub fn outcomes(kind: &QuestionKind) -> Vec<Outcome> {
    let yes_no = |yes: Option<&str>, no: Option<&str>| {
        [("true", "yes", yes), ("false", "no", no)]
            .map(|(key, word, description)| Outcome { key: key.into(), text: word_option(word, description) })
            .into()
    };
    match kind {
        QuestionKind::Choice(choices) => choices
            .iter()
            .map(|choice| Outcome { key: choice.value.clone(), text: choice_option(choice) })
            .collect(),
        QuestionKind::Score(levels) => levels
            .iter()
            .enumerate()
            .map(|(i, level)| Outcome { key: i.to_string(), text: format!("{i}: {level}") })
            .collect(),
        QuestionKind::Noul { yes, no } => yes_no(yes.as_deref(), no.as_deref()),
        QuestionKind::Prompt => yes_no(None, None),
    }
}

/// The question with answers that are settled already, each a question's and an outcome's text.
pub fn with_given(question: &str, given: &[(String, String)]) -> String {
    if given.is_empty() {
        return question.to_owned();
    }
    let said: Vec<_> = given.iter().map(|(question, answer)| format!("{question} = {answer}")).collect();
    format!("{question} | given: {}", said.join("; "))
}

fn choice_option(choice: &Choice) -> String {
    let name = humanize(&choice.value);
    match choice.description.as_deref() {
        Some(text) if !is_blank(text) && !same_words(&choice.value, text) && !same_words(&name, text) => {
            format!("{name}: {text}")
        }
        _ => name,
    }
}

fn word_option(word: &str, description: Option<&str>) -> String {
    match description {
        Some(text) if !is_blank(text) && !same_words(word, text) => format!("{word}: {text}"),
        _ => word.to_owned(),
    }
}

/// `order_status`, `order-status`, `OrderStatus` and `orderStatus` as words. A key of separators alone stays itself.
fn humanize(key: &str) -> String {
    let chars: Vec<char> = key.chars().collect();
    let mut apart = String::with_capacity(key.len() + 8);
    for (i, char) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let new_word = char.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let after_lower = before.is_ascii_lowercase() || before.is_ascii_digit();
                let ends_capitals =
                    before.is_ascii_uppercase() && chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
                after_lower || ends_capitals
            });
        if new_word {
            apart.push(' ');
        }
        apart.push(*char);
    }
    let words = words(&apart);
    if words.is_empty() { key.to_owned() } else { words }
}

/// Words with one space between them: `_`, `-` and any run of white space are spaces.
fn words(text: &str) -> String {
    let words = text.split(|char| is_space(char) || char == '_' || char == '-');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn same_words(one: &str, other: &str) -> bool {
    words(&one.to_lowercase()) == words(&other.to_lowercase())
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// White space as Python has it, which counts the separators of ASCII too.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// The leaves of a value, each with its path before it, one after another.
struct Leaves {
    joint: &'static str,
    path: String,
    first: bool,
}

impl Leaves {
    fn new(joint: &'static str) -> Self {
        Self { joint, path: String::new(), first: true }
    }

    /// Writes every leaf of `value`, in order. None when `text` gets too long.
    fn write(&mut self, value: &Value, text: &mut String) -> Option<()> {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (key, value) in members {
                    let above = self.path.len();
                    if above > 0 {
                        self.path.push('.');
                    }
                    self.path.push_str(key);
                    self.write(value, text)?;
                    self.path.truncate(above);
                }
            }
            leaf => {
                if !self.first {
                    text.push_str(self.joint);
                }
                self.first = false;
                if !self.path.is_empty() {
                    text.push_str(&self.path);
                    text.push_str(": ");
                }
                write_leaf(leaf, text)?;
            }
        }
        (text.len() <= LONGEST).then_some(())
    }
}

fn write_leaf(leaf: &Value, text: &mut String) -> Option<()> {
    match leaf {
        Value::Object(_) => text.push_str("{}"),
        Value::Array(items) if items.is_empty() => text.push_str("[]"),
        Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
            for (i, item) in items.iter().enumerate() {
                let apart = if i > 0 { " | " } else { "" };
                text.push_str(&format!("{apart}[{i}] "));
                Leaves::new(", ").write(item, text)?;
            }
        }
        Value::Array(items) => text.push_str(&items.iter().map(scalar).collect::<Vec<_>>().join(", ")),
        other => text.push_str(&scalar(other)),
    }
    Some(())
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `training/decision/render.py` writes.
    const GOLDEN: &str = include_str!("../../../training/decision/golden_render.jsonl");

    #[test]
    fn texts_are_those_the_model_was_trained_on() {
        let mut cases = 0;
        for line in GOLDEN.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let input = &case["input"];
            let text = match case["kind"].as_str().unwrap() {
                "state" => state(input).unwrap(),
                "question" => question(input).unwrap(),
                "given" => {
                    let given: Vec<(String, String)> =
                        serde_json::from_value(input["given"].clone()).unwrap();
                    with_given(input["question"].as_str().unwrap(), &given)
                }
                "options" => {
                    let outcomes = outcomes(&kind(case["type"].as_str().unwrap(), input));
                    let pairs: Vec<_> = outcomes.into_iter().map(|o| [o.key, o.text]).collect();
                    assert_eq!(serde_json::json!(pairs), case["options"], "{line}");
                    cases += 1;
                    continue;
                }
                other => panic!("{other}"),
            };
            assert_eq!(text, case["text"].as_str().unwrap(), "{line}");
            cases += 1;
        }
        assert!(cases >= 200, "{cases}");
    }

    #[test]
    fn what_its_paths_make_too_long_is_given_up() {
        let below = |levels: usize, leaves: usize| {
            let leaves: serde_json::Map<_, _> = (0..leaves).map(|n| (n.to_string(), n.into())).collect();
            (0..levels)
                .fold(Value::Object(leaves), |below, _| serde_json::json!({ "k".repeat(1_000): below }))
        };
        assert_eq!(state(&below(50, 1)).unwrap().len(), 50 * 1_001 + "0: 0".len());
        assert_eq!(state(&below(50, 10_000)), None);
        assert_eq!(state(&serde_json::json!([{ "a": below(50, 5_000) }, below(50, 5_000)])), None);
        assert_eq!(state(&"x".repeat(LONGEST).into()).unwrap().len(), LONGEST);
        assert_eq!(state(&"x".repeat(LONGEST + 1).into()), None);
    }

    fn kind(kind: &str, criteria: &Value) -> QuestionKind {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match kind {
            "choice" => QuestionKind::Choice(
                criteria
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(value, description)| Choice {
                        value: value.clone(),
                        description: text(description),
                    })
                    .collect(),
            ),
            "score" => QuestionKind::Score(serde_json::from_value(criteria.clone()).unwrap()),
            _ => QuestionKind::Noul { yes: text(&criteria["true"]), no: text(&criteria["false"]) },
        }
    }
}
