//! Renders a state, a question and its options as text, byte for byte like `training/decision/render.py`, on whose
//! output the model was trained; a golden file is the test. Nothing is truncated. Rendering stops when the text becomes
//! longer than [`LONGEST`]: each value's whole path is written before it, so 100 KiB of JSON can become gigabytes.

use ports::decision::{Choice, QuestionKind};
use serde_json::Value;

/// A possible answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerOption {
    /// The key in the answer: an option, a level counted from `0`, or `true` and `false`.
    pub key: String,
    /// The text that the model reads.
    pub text: String,
}

/// The answer to another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledAnswer {
    /// The question's text.
    pub question: String,
    /// The outcome's text.
    pub answer: String,
}

/// The most bytes of a rendered text: four times what a client may send as JSON.
pub const LONGEST: usize = 1 << 20;

/// Renders a state: a string as it is; an object as `key: value; nested.key: value`; an array of scalars as `a, b`,
/// any other as `[0] key: value, key: value | [1] ...`; empty ones as `{}` and `[]`. `None` when the text would be
/// longer than [`LONGEST`].
pub fn state(state: &Value) -> Option<String> {
    let mut text = String::new();
    Leaves::new("; ").write(state, &mut text)?;
    Some(text)
}

/// Renders a question: null as nothing, anything else like a state.
pub fn question(instructions: &Value) -> Option<String> {
    if instructions.is_null() { Some(String::new()) } else { state(instructions) }
}

/// The possible answers, in the question's order; true before false. A prompt is rendered as a yes/no question.
pub fn outcomes(kind: &QuestionKind) -> Vec<AnswerOption> {
    match kind {
        QuestionKind::Choice(choices) => choices
            .iter()
            .map(|choice| AnswerOption { key: choice.value.clone(), text: choice_option(choice) })
            .collect(),
        QuestionKind::Score(levels) => levels
            .iter()
            .enumerate()
            .map(|(i, level)| AnswerOption { key: i.to_string(), text: format!("{i}: {level}") })
            .collect(),
        QuestionKind::Noul { yes, no } => yes_no(yes.as_deref(), no.as_deref()),
        QuestionKind::Prompt => yes_no(None, None),
    }
}

fn yes_no(yes: Option<&str>, no: Option<&str>) -> Vec<AnswerOption> {
    vec![
        AnswerOption { key: "true".into(), text: word_option("yes", yes) },
        AnswerOption { key: "false".into(), text: word_option("no", no) },
    ]
}

/// Appends the answers to other questions.
pub fn with_given(question: &str, given: &[SettledAnswer]) -> String {
    if given.is_empty() {
        return question.to_owned();
    }
    let given = given.iter().map(|SettledAnswer { question, answer }| format!("{question} = {answer}"));
    format!("{question} | given: {}", given.collect::<Vec<_>>().join("; "))
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

/// Splits `order_status`, `order-status`, `OrderStatus` and `orderStatus` into words. A key of separators only is left
/// unchanged.
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

/// Replaces `_`, `-` and runs of white space by single spaces.
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

/// Python's `str.isspace`, which includes the ASCII separators.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// Writes the leaves of a value, each after its path.
struct Leaves {
    joint: &'static str,
    path: String,
    first: bool,
}

impl Leaves {
    fn new(joint: &'static str) -> Self {
        Self { joint, path: String::new(), first: true }
    }

    /// Writes every leaf of `value`, in order. `None` when `text` becomes too long.
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

    /// Written by `training/decision/render.py`.
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
                    let given: Vec<[String; 2]> = serde_json::from_value(input["given"].clone()).unwrap();
                    let given =
                        given.into_iter().map(|[question, answer]| SettledAnswer { question, answer });
                    with_given(input["question"].as_str().unwrap(), &given.collect::<Vec<_>>())
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

    /// An object of `leaves` members below `levels` long names.
    fn nested(levels: usize, leaves: usize) -> Value {
        let leaves: serde_json::Map<_, _> = (0..leaves).map(|n| (n.to_string(), n.into())).collect();
        (0..levels).fold(Value::Object(leaves), |below, _| serde_json::json!({ "k".repeat(1_000): below }))
    }

    #[test]
    fn rendering_stops_when_paths_make_the_text_too_long() {
        assert_eq!(state(&nested(50, 1)).unwrap().len(), 50 * 1_001 + "0: 0".len());
        assert_eq!(state(&nested(50, 10_000)), None);
        assert_eq!(state(&serde_json::json!([{ "a": nested(50, 5_000) }, nested(50, 5_000)])), None);
        assert_eq!(state(&"x".repeat(LONGEST).into()).unwrap().len(), LONGEST);
        assert_eq!(state(&"x".repeat(LONGEST + 1).into()), None);
    }

    fn kind(kind: &str, criteria: &Value) -> QuestionKind {
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

    fn text(value: &Value) -> Option<String> {
        value.as_str().map(str::to_owned)
    }
}
