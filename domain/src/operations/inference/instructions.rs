//! Parses instructions in every form of the API but JSON Schema into questions. Each error names
//! the field and what is allowed.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{Error, Result};
use ports::decision::{Choice, Question, QuestionKind, refuse_nul};

/// The key of the answer to a freeform prompt.
pub const PROMPT_KEY: &str = "answer";

/// Limits on the instructions of a request.
#[derive(Clone, Copy, Debug)]
pub struct InstructionLimits {
    /// Maximum number of questions.
    pub questions: usize,
    /// Minimum and maximum of a choice's options.
    pub choices: (usize, usize),
    /// Minimum and maximum of a score's levels.
    pub levels: (usize, usize),
    /// Whether a JSON Schema may take the questions' place.
    pub schemas: bool,
}

impl InstructionLimits {
    /// Limits of Gavel's own routes.
    pub const OWN: InstructionLimits =
        InstructionLimits { questions: 64, choices: (2, 255), levels: (2, 10), schemas: true };
    /// Limits of System One and of OpenAI's decisions.
    pub const COMPATIBLE: InstructionLimits =
        InstructionLimits { questions: 400, choices: (1, 255), levels: (2, 10), schemas: false };
}

/// Parses instructions from `field`: an object of questions by key, an array of questions, or a prompt.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field: no questions, too many, an unknown type, criteria of the wrong shape, a
/// duplicate key.
pub(super) fn parse(field: &str, instructions: &Value, limits: InstructionLimits) -> Result<Vec<Question>> {
    refuse_nul(field, instructions)?;
    let questions = match instructions {
        Value::String(prompt) if !prompt.trim().is_empty() => vec![Question {
            key: PROMPT_KEY.to_owned(),
            instructions: Value::String(prompt.clone()),
            kind: QuestionKind::Prompt,
        }],
        Value::Object(by_key) => {
            count(field, by_key.len(), limits)?;
            let named = by_key.iter().map(|(key, value)| (format!("{field}.{key}"), key, value));
            named.map(|(path, key, value)| question(&path, key, value, limits)).collect::<Result<_>>()?
        }
        Value::Array(items) => {
            count(field, items.len(), limits)?;
            let items = items.iter().enumerate();
            items.map(|(index, item)| parse_item(field, index, item, limits)).collect::<Result<_>>()?
        }
        Value::String(_) | Value::Null => return Err(Error::invalid(field, "must not be empty")),
        _ => {
            let message = "must be an object of questions by key, an array of questions, or a prompt";
            return Err(Error::invalid(field, message));
        }
    };
    unique(field, &questions)?;
    Ok(questions)
}

/// Checks that there are neither too few nor too many questions, and no two with the same key.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field.
pub(super) fn check_questions(field: &str, questions: &[Question], limits: InstructionLimits) -> Result<()> {
    count(field, questions.len(), limits)?;
    unique(field, questions)
}

fn count(field: &str, questions: usize, limits: InstructionLimits) -> Result<()> {
    if questions == 0 {
        return Err(Error::invalid(field, "must not be empty"));
    }
    if questions > limits.questions {
        let message = format!("must have 1 to {} questions, not {questions}", limits.questions);
        return Err(Error::invalid(field, message));
    }
    Ok(())
}

fn unique(field: &str, questions: &[Question]) -> Result<()> {
    let mut seen = HashSet::new();
    match questions.iter().find(|question| !seen.insert(question.key.as_str())) {
        Some(twice) => Err(Error::invalid(field, format!("has the key {:?} twice", twice.key))),
        None => Ok(()),
    }
}

/// Parses an item of an array: a typed object with its key, or a yes/no question with its index as key.
fn parse_item(field: &str, index: usize, item: &Value, limits: InstructionLimits) -> Result<Question> {
    let path = format!("{field}[{index}]");
    let key = match item {
        Value::String(text) if !text.trim().is_empty() => format!("q{}", index + 1),
        Value::Object(typed) => match typed.get("key") {
            Some(Value::String(key)) => key.clone(),
            Some(_) => return Err(Error::invalid(format!("{path}.key"), "must be a string")),
            None => {
                return Err(Error::invalid(format!("{path}.key"), "is required in an array of questions"));
            }
        },
        _ => return Err(Error::invalid(path, "must be a typed question or a yes/no question in words")),
    };
    question(&path, &key, item, limits)
}

fn question(path: &str, key: &str, value: &Value, limits: InstructionLimits) -> Result<Question> {
    if key.trim().is_empty() {
        return Err(Error::invalid(path, "must have a key that is not empty"));
    }
    let (instructions, kind) = match value {
        Value::String(text) if !text.trim().is_empty() => {
            (value.clone(), QuestionKind::Noul { yes: None, no: None })
        }
        Value::Array(choices) => (asked_by_key(key), shorthand(path, choices, limits)?),
        Value::Object(typed) => {
            let kind = kind(path, typed, limits)?;
            (question_text(path, typed)?.unwrap_or_else(|| asked_by_key(key)), kind)
        }
        _ => {
            let message = "must be an array of choices, a typed question, or a yes/no question in words";
            return Err(Error::invalid(path, message));
        }
    };
    Ok(Question { key: key.to_owned(), instructions, kind })
}

/// The text of a question that consists of its key alone.
fn asked_by_key(key: &str) -> Value {
    Value::String(key.replace(['_', '-'], " "))
}

/// Reads the text of a question, or JSON in its place.
fn question_text(path: &str, typed: &Map<String, Value>) -> Result<Option<Value>> {
    let path = format!("{path}.instructions");
    match typed.get("instructions") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => {
            Err(Error::invalid(path, "must not be empty; leave it out to ask by the key alone"))
        }
        Some(value @ (Value::String(_) | Value::Object(_) | Value::Array(_))) => Ok(Some(value.clone())),
        Some(_) => Err(Error::invalid(path, "must be a string, an object or an array")),
    }
}

fn kind(path: &str, typed: &Map<String, Value>, limits: InstructionLimits) -> Result<QuestionKind> {
    let allowed = "must be one of: choice, score, noul";
    let criteria = typed.get("criteria").filter(|criteria| !criteria.is_null());
    let at = format!("{path}.criteria");
    match typed.get("type") {
        Some(Value::String(name)) => match name.as_str() {
            "choice" => choice(&at, criteria, limits),
            "score" => score(&at, criteria, limits),
            "noul" => noul(&at, criteria),
            _ => Err(Error::invalid(format!("{path}.type"), allowed)),
        },
        Some(_) => Err(Error::invalid(format!("{path}.type"), allowed)),
        None => Err(Error::invalid(format!("{path}.type"), format!("is required and {allowed}"))),
    }
}

fn shorthand(path: &str, choices: &[Value], limits: InstructionLimits) -> Result<QuestionKind> {
    let choices = choices.iter().enumerate().map(|(index, choice)| match choice {
        Value::String(value) => Ok(Choice { value: value.clone(), description: None }),
        _ => Err(Error::invalid(format!("{path}[{index}]"), "must be a string, the name of a choice")),
    });
    choices_of(path, choices.collect::<Result<_>>()?, limits)
}

fn choice(path: &str, criteria: Option<&Value>, limits: InstructionLimits) -> Result<QuestionKind> {
    let Some(Value::Object(options)) = criteria else {
        return Err(Error::invalid(
            path,
            "must be an object that maps each choice to its description or null",
        ));
    };
    let options = options.iter().map(|(value, description)| {
        let description = described(&format!("{path}.{value}"), description)?;
        Ok(Choice { value: value.clone(), description })
    });
    choices_of(path, options.collect::<Result<_>>()?, limits)
}

/// Builds a choice from the options in `path`.
///
/// # Errors
/// `VALIDATION_FAILED`: too few or too many options, one without a name, a duplicate.
pub fn choices_of(path: &str, choices: Vec<Choice>, limits: InstructionLimits) -> Result<QuestionKind> {
    let (least, most) = limits.choices;
    if !(least..=most).contains(&choices.len()) {
        let message = format!("must have {least} to {most} choices, not {}", choices.len());
        return Err(Error::invalid(path, message));
    }
    if choices.iter().any(|choice| choice.value.trim().is_empty()) {
        return Err(Error::invalid(path, "must not have a choice without a name"));
    }
    let mut seen = HashSet::new();
    match choices.iter().find(|choice| !seen.insert(choice.value.as_str())) {
        Some(twice) => Err(Error::invalid(path, format!("has the choice {:?} twice", twice.value))),
        None => Ok(QuestionKind::Choice(choices)),
    }
}

fn score(path: &str, criteria: Option<&Value>, limits: InstructionLimits) -> Result<QuestionKind> {
    let Some(Value::Array(levels)) = criteria else {
        return Err(Error::invalid(path, "must be an array of levels in words, the lowest first"));
    };
    let levels = levels.iter().enumerate().map(|(index, level)| match level {
        Value::String(text) => Ok(text.clone()),
        _ => Err(Error::invalid(format!("{path}[{index}]"), "must be a level in words")),
    });
    levels_of(path, levels.collect::<Result<_>>()?, limits)
}

/// Builds a score from the levels in `path`, the lowest first.
///
/// # Errors
/// `VALIDATION_FAILED`: too few or too many levels, one without a description.
pub fn levels_of(path: &str, levels: Vec<String>, limits: InstructionLimits) -> Result<QuestionKind> {
    let (least, most) = limits.levels;
    if !(least..=most).contains(&levels.len()) {
        let message = format!("must have {least} to {most} levels, not {}", levels.len());
        return Err(Error::invalid(path, message));
    }
    match levels.iter().position(|level| level.trim().is_empty()) {
        Some(index) => Err(Error::invalid(format!("{path}[{index}]"), "must be a level in words")),
        None => Ok(QuestionKind::Score(levels)),
    }
}

fn noul(path: &str, criteria: Option<&Value>) -> Result<QuestionKind> {
    let shape = "must be an object with the keys true and false, each a description";
    let mut yes = None;
    let mut no = None;
    match criteria {
        None => {}
        Some(Value::Object(sides)) => {
            for (side, description) in sides {
                let description = described(&format!("{path}.{side}"), description)?;
                match side.as_str() {
                    "true" => yes = description,
                    "false" => no = description,
                    _ => return Err(Error::invalid(path, shape)),
                }
            }
        }
        Some(_) => return Err(Error::invalid(path, shape)),
    }
    Ok(QuestionKind::Noul { yes, no })
}

fn described(path: &str, description: &Value) -> Result<Option<String>> {
    match description {
        Value::Null => Ok(None),
        Value::String(text) => Ok((!text.trim().is_empty()).then(|| text.clone())),
        _ => Err(Error::invalid(path, "must be a description in words, or null")),
    }
}
