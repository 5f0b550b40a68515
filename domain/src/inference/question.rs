//! A question as it may be asked: parsed once at the edge, valid ever after. Knows no wire and no model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One typed question about a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The key its answer is given under; never shown to a model.
    pub key: String,
    /// What is asked: a sentence, or JSON of the caller's own. Null when there is no more to say than the criteria.
    pub instructions: Value,
    /// What may be answered.
    pub kind: QuestionKind,
}

/// What may be answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// One of several options. 1 to 255, in the caller's order, which no answer depends on.
    Choice(Vec<Choice>),
    /// A level: 2 to 10 descriptions, level 0 first.
    Score(Vec<String>),
    /// True or false.
    Noul {
        /// What true means, if more needs saying.
        yes: Option<String>,
        /// What false means, if more needs saying.
        no: Option<String>,
    },
    /// A freeform prompt. A backend that writes answers in words; one that only decides, yes or no.
    Prompt,
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The name it is answered by.
    pub value: String,
    /// What it means, if more needs saying.
    pub description: Option<String>,
}

impl Question {
    /// What is asked, in words: a sentence as it is, other JSON in compact form, nothing for null.
    pub fn text(&self) -> String {
        match &self.instructions {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl QuestionKind {
    /// What can be answered, in order: the choices, the levels' numbers, `true` and `false`; nothing for words.
    pub fn values(&self) -> Vec<String> {
        match self {
            QuestionKind::Choice(choices) => choices.iter().map(|choice| choice.value.clone()).collect(),
            QuestionKind::Score(levels) => (0..levels.len()).map(|level| level.to_string()).collect(),
            QuestionKind::Noul { .. } | QuestionKind::Prompt => vec!["true".to_owned(), "false".to_owned()],
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
}
