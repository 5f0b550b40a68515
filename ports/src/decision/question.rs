//! A validated question: parsed once at the edge, valid from then on. Knows neither the wire format nor a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One typed question about a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The key of the answer; never shown to a model.
    pub key: String,
    /// A sentence, or JSON from the client. Null when the criteria say everything.
    pub instructions: Value,
    pub kind: QuestionKind,
}

/// The type of a question and its possible answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// One of 1 to 255 options, in the client's order. No answer depends on the order.
    Choice(Vec<Choice>),
    /// A level: 2 to 10 descriptions, level 0 first.
    Score(Vec<String>),
    /// True or false.
    Noul {
        /// The meaning of true, if it needs an explanation.
        yes: Option<String>,
        /// The meaning of false, if it needs an explanation.
        no: Option<String>,
    },
    /// A freeform prompt. A backend that generates text answers with text; one that only decides answers yes or no.
    Prompt,
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The name in answers.
    pub value: String,
    /// The meaning, if it needs an explanation.
    pub description: Option<String>,
}

impl Question {
    /// The question as text: a sentence as it is, other JSON in compact form, empty for null.
    pub fn text(&self) -> String {
        match &self.instructions {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl QuestionKind {
    /// The possible values, in order: the choices, the levels' numbers, or `true` and `false`.
    pub fn values(&self) -> Vec<String> {
        self.options().into_iter().map(|option| option.value).collect()
    }

    /// The possible values with their meanings, in the same order. A level's meaning is its description.
    pub fn options(&self) -> Vec<Choice> {
        match self {
            QuestionKind::Choice(choices) => choices.clone(),
            QuestionKind::Score(levels) => levels
                .iter()
                .enumerate()
                .map(|(level, words)| Choice { value: level.to_string(), description: Some(words.clone()) })
                .collect(),
            QuestionKind::Noul { yes, no } => true_and_false(yes.clone(), no.clone()),
            QuestionKind::Prompt => true_and_false(None, None),
        }
    }

    /// The name of the type on the wire.
    pub fn as_str(&self) -> &'static str {
        match self {
            QuestionKind::Choice(_) => "choice",
            QuestionKind::Score(_) => "score",
            QuestionKind::Noul { .. } => "noul",
            QuestionKind::Prompt => "prompt",
        }
    }

    /// The name of the type of its answers: a prompt is answered like a yes-or-no question.
    pub fn answer_name(&self) -> &'static str {
        match self {
            QuestionKind::Prompt => "noul",
            kind => kind.as_str(),
        }
    }
}

fn true_and_false(yes: Option<String>, no: Option<String>) -> Vec<Choice> {
    vec![
        Choice { value: "true".to_owned(), description: yes },
        Choice { value: "false".to_owned(), description: no },
    ]
}
