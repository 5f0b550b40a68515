//! Validation of the answers of a backend against the questions. An answer that does not fit its question is no answer.

use serde_json::{Map, Value};

use ports::EngineError;
use ports::decision::{Choice, Question, QuestionKind};

/// Refuses answers that the questions do not allow. Ignores answers to other keys, and other members.
///
/// # Errors
/// The first question whose answer does not fit, and what the answer lacks, for the log. Never the answer itself: it
/// may repeat the client's content.
pub(super) fn validate(questions: &[Question], answers: &Map<String, Value>) -> Result<(), EngineError> {
    questions.iter().enumerate().try_for_each(|(index, question)| {
        let answer = answers.get(&question.key).and_then(Value::as_object).ok_or("an object");
        answer.and_then(|answer| fits(&question.kind, answer)).map_err(|expected| {
            EngineError(format!(
                "an answer does not fit its question: that to question {index} lacks {expected}"
            ))
        })
    })
}

/// Checks that an answer has the members of its kind; the error says what it lacks.
fn fits(kind: &QuestionKind, answer: &Map<String, Value>) -> Result<(), &'static str> {
    let (fits, expected) = match kind {
        QuestionKind::Noul { .. } => (is_noul(answer), "`noul`, a probability"),
        QuestionKind::Prompt => (is_noul(answer) || is_text(answer), "`text`, or `noul`, a probability"),
        QuestionKind::Choice(choices) => (is_choice(answer, choices), "`probabilities` of the options"),
        QuestionKind::Score(levels) => (is_score(answer, levels.len()), "`probabilities` of the levels"),
    };
    if fits { Ok(()) } else { Err(expected) }
}

/// Whether an answer names this type, or none.
fn may_be(answer: &Map<String, Value>, name: &str) -> bool {
    answer.get("type").is_none_or(|given| given == name)
}

fn is_noul(answer: &Map<String, Value>) -> bool {
    may_be(answer, "noul") && answer.get("noul").is_some_and(is_probability)
}

fn is_text(answer: &Map<String, Value>) -> bool {
    may_be(answer, "text") && answer.get("text").is_some_and(Value::is_string)
}

fn is_choice(answer: &Map<String, Value>, choices: &[Choice]) -> bool {
    let is_option = |name: &str| choices.iter().any(|choice| choice.value == name);
    may_be(answer, "choice")
        && answer.get("choice").is_none_or(|chosen| chosen.as_str().is_some_and(is_option))
        && are_probabilities(answer, is_option)
}

fn is_score(answer: &Map<String, Value>, levels: usize) -> bool {
    may_be(answer, "score")
        && are_probabilities(answer, |name| (0..levels).any(|level| level.to_string() == name))
}

/// Whether `probabilities` is an object of one or more probabilities, each under a name of the question.
fn are_probabilities(answer: &Map<String, Value>, is_name: impl Fn(&str) -> bool) -> bool {
    let Some(probabilities) = answer.get("probabilities").and_then(Value::as_object) else { return false };
    !probabilities.is_empty() && probabilities.iter().all(|(name, p)| is_name(name) && is_probability(p))
}

fn is_probability(value: &Value) -> bool {
    value.as_f64().is_some_and(|p| (0.0..=1.0).contains(&p))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn choice(value: &str) -> Choice {
        Choice { value: value.to_owned(), description: None }
    }

    #[test]
    fn only_answers_that_a_question_allows_fit_it() {
        let noul = QuestionKind::Noul { yes: None, no: None };
        let choices = QuestionKind::Choice(vec![choice("a"), choice("b")]);
        let score = QuestionKind::Score(vec!["low".to_owned(), "high".to_owned()]);
        let fitting = [
            (&noul, json!({ "noul": 0 })),
            (&noul, json!({ "type": "noul", "noul": 1.0, "more": [] })),
            (&QuestionKind::Prompt, json!({ "text": "" })),
            (&QuestionKind::Prompt, json!({ "type": "noul", "noul": 0.5 })),
            (&choices, json!({ "choice": "b", "probabilities": { "b": 0.7, "a": 0.3 } })),
            (&choices, json!({ "type": "choice", "probabilities": { "a": 1 } })),
            (&score, json!({ "probabilities": { "0": 0.5, "1": 0.5 } })),
        ];
        let unfit = [
            (&noul, json!(0.5)),
            (&noul, json!({})),
            (&noul, json!({ "noul": 1.1 })),
            (&noul, json!({ "noul": "0.5" })),
            (&noul, json!({ "type": "choice", "noul": 0.5 })),
            (&QuestionKind::Prompt, json!({ "text": 1 })),
            (&QuestionKind::Prompt, json!({ "type": "text", "noul": 0.5 })),
            (&choices, json!({ "choice": "a" })),
            (&choices, json!({ "choice": "c", "probabilities": { "a": 1 } })),
            (&choices, json!({ "choice": null, "probabilities": { "a": 1 } })),
            (&choices, json!({ "probabilities": {} })),
            (&choices, json!({ "probabilities": { "c": 1 } })),
            (&choices, json!({ "probabilities": { "a": null } })),
            (&score, json!({ "probabilities": { "2": 1 } })),
            (&score, json!({ "probabilities": { "0": -0.1 } })),
            (&score, json!({ "type": "noul", "noul": 0.5 })),
        ];
        for (fits, cases) in [(true, &fitting[..]), (false, &unfit[..])] {
            for (kind, answer) in cases {
                let question =
                    Question { key: "k".to_owned(), instructions: json!("?"), kind: (*kind).clone() };
                let answers = [("k".to_owned(), answer.clone()), ("other".to_owned(), json!(1))];
                assert_eq!(validate(&[question], &answers.into_iter().collect()).is_ok(), fits, "{answer}");
            }
        }
    }
}
