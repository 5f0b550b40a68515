//! OpenAI's questions as Gavel's questions, with what their answers must repeat.

use domain::{
    Error, Result,
    operations::inference::{InstructionLimits, choices_of, levels_of},
};
use ports::decision::{Choice, Question, QuestionKind};
use serde_json::{Map, Value};

use super::part::{INSTRUCTION_PARTS, content, object, optional, string};

/// A question with what its answer must repeat.
pub(super) struct DecisionQuestion {
    /// Keyed by its position, since names may be missing or repeated.
    pub(super) question: Question,
    pub(super) name: Option<String>,
    /// The values of a choice as they were sent; the labels of a score.
    pub(super) outcomes: Vec<Value>,
}

/// Parses `questions`.
///
/// # Errors
/// `VALIDATION_FAILED` naming the question and the field.
pub(super) fn parse(questions: &[Value]) -> Result<Vec<DecisionQuestion>> {
    let count = questions.len();
    let most = InstructionLimits::COMPATIBLE.questions;
    if !(1..=most).contains(&count) {
        return Err(Error::invalid("questions", format!("must have 1 to {most} items, not {count}")));
    }
    questions.iter().enumerate().map(|(index, question)| parse_one(index, question)).collect()
}

fn parse_one(index: usize, question: &Value) -> Result<DecisionQuestion> {
    let path = format!("questions[{index}]");
    let question = object(&path, question)?;
    let (kind, outcomes) = match string(&path, question, "type")? {
        "predicate" => (QuestionKind::Noul { yes: None, no: None }, Vec::new()),
        "choice" => choice(&path, question)?,
        "score" => score(&path, question)?,
        _ => {
            let message = "must be one of: predicate, choice, score";
            return Err(Error::invalid(format!("{path}.type"), message));
        }
    };
    let at = format!("{path}.instructions");
    let instructions = question.get("instructions").ok_or_else(|| Error::invalid(&at, "is required"))?;
    let instructions = content(&at, instructions, &INSTRUCTION_PARTS)?;
    if instructions.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err(Error::invalid(at, "must not be empty"));
    }
    let name = optional(&path, question, "name")?.map(str::to_owned);
    Ok(DecisionQuestion {
        question: Question { key: format!("q{}", index + 1), instructions, kind },
        name,
        outcomes,
    })
}

fn choice(path: &str, question: &Map<String, Value>) -> Result<(QuestionKind, Vec<Value>)> {
    let at = format!("{path}.choices");
    let choices = array(&at, question.get("choices"))?;
    let mut values = Vec::new();
    let mut options = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        let at = format!("{at}[{index}]");
        let choice = object(&at, choice)?;
        let value = match choice.get("value") {
            Some(value @ (Value::String(_) | Value::Bool(_))) => value.clone(),
            _ => return Err(Error::invalid(format!("{at}.value"), "must be a string or a boolean")),
        };
        let description = optional(&at, choice, "description")?.map(str::to_owned);
        options.push(Choice { value: choice_name(&value, choices), description });
        values.push(value);
    }
    Ok((choices_of(&at, options, InstructionLimits::COMPATIBLE)?, values))
}

/// The name of a choice's value. A boolean's name is marked when a string among the choices is the same.
fn choice_name(value: &Value, choices: &[Value]) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let name = other.to_string();
            let taken = choices.iter().any(|choice| choice["value"] == name.as_str());
            if taken { format!("{name} (boolean)") } else { name }
        }
    }
}

fn score(path: &str, question: &Map<String, Value>) -> Result<(QuestionKind, Vec<Value>)> {
    let at = format!("{path}.levels");
    let levels = array(&at, question.get("levels"))?.iter().enumerate().map(|(index, level)| {
        let at = format!("{at}[{index}]");
        let level = object(&at, level)?;
        let label = string(&at, level, "label")?;
        let words = match optional(&at, level, "description")? {
            Some(description) if !description.trim().is_empty() => format!("{label}: {description}"),
            _ => label.to_owned(),
        };
        Ok((words, Value::from(label)))
    });
    let (words, labels): (Vec<_>, Vec<_>) = levels.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((levels_of(&at, words, InstructionLimits::COMPATIBLE)?, labels))
}

fn array<'a>(path: &str, value: Option<&'a Value>) -> Result<&'a Vec<Value>> {
    value.and_then(Value::as_array).ok_or_else(|| Error::invalid(path, "must be an array"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_and_a_boolean_with_the_same_text_are_distinct() {
        let choices = json!([{ "value": "true" }, { "value": true }, { "value": false }]);
        let question = json!({ "type": "choice", "instructions": "which?", "choices": choices });
        let parsed = parse(&[question]).unwrap().remove(0);
        let QuestionKind::Choice(options) = parsed.question.kind else { panic!("a choice") };
        let names: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
        assert_eq!(names, ["true", "true (boolean)", "false"]);
        assert_eq!(parsed.outcomes, [json!("true"), json!(true), json!(false)]);
    }
}
