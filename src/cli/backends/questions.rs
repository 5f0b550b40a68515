//! Labelled questions for calibration: the examples of the dashboard's templates, which were written for Gavel.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use domain::{
    Error,
    operations::inference::{InstructionLimits, LabelledQuestion, QuestionGroup, parse_instructions},
};
use ports::decision::{DecisionState, Question, QuestionKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A template and its examples.
struct Source {
    template: &'static str,
    examples: &'static str,
    /// What its texts are, for a question with many options; none for texts that could be of several kinds.
    texts: Option<&'static str>,
}

macro_rules! source {
    ($name:literal, $texts:expr) => {
        Source {
            template: include_str!(concat!("../../../dashboard/src/templates/", $name, ".json")),
            examples: include_str!(concat!("../../../presets/examples/", $name, ".jsonl")),
            texts: $texts,
        }
    };
}

const SOURCES: [Source; 8] = [
    source!("content-warnings", Some("a description of a film, a book, a game or a programme")),
    source!("lead-quality", Some("a message from the contact form of a company's website")),
    source!("log-triage", Some("a line from the log of a computer program")),
    source!("prompt-injection", Some("a prompt to an AI assistant")),
    source!("rag-relevance", Some("a question and a passage of a text")),
    source!("spam-triage", None),
    source!("support-routing", Some("a ticket from a customer who needs help")),
    source!("toxicity", None),
];

#[derive(Deserialize)]
struct Template {
    instructions: Value,
}

#[derive(Deserialize)]
struct Example {
    state: Value,
    truths: Map<String, Value>,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    /// What choices are made on.
    Choose,
    /// What is reported.
    Report,
}

/// About `count` questions, as many of each group as there are.
///
/// # Errors
/// Only if the files that are compiled in do not fit each other.
pub(super) fn labelled(count: usize) -> anyhow::Result<Vec<LabelledQuestion>> {
    let mut by_group: BTreeMap<QuestionGroup, Vec<LabelledQuestion>> = BTreeMap::new();
    let kind_of_text = kind_of_text()?;
    for source in &SOURCES {
        let template: Template = serde_json::from_str(source.template)?;
        let questions = parse_instructions("instructions", &template.instructions, InstructionLimits::OWN)?;
        for line in source.examples.lines() {
            let example: Example = serde_json::from_str(line)?;
            for question in &questions {
                if let Some(truth) = example.truths.get(&question.key) {
                    let labelled = example.ask(question, truth)?;
                    by_group.entry(QuestionGroup::of(&question.kind)).or_default().push(labelled);
                }
            }
            if let Some(texts) = source.texts {
                let labelled = example.ask(&kind_of_text, &json!(texts))?;
                by_group.entry(QuestionGroup::of(&kind_of_text.kind)).or_default().push(labelled);
            }
        }
    }
    let each = count.div_ceil(by_group.len().max(1));
    Ok(by_group.into_values().flat_map(|group| evenly(group, each)).collect())
}

/// A question with an option for each kind of text.
fn kind_of_text() -> anyhow::Result<Question> {
    let kinds = SOURCES.iter().filter_map(|source| source.texts);
    let kinds: Map<String, Value> = kinds.map(|kind| (kind.to_owned(), Value::Null)).collect();
    let asked =
        json!({ "kind": { "type": "choice", "instructions": "What is this text?", "criteria": kinds } });
    let questions = parse_instructions("instructions", &asked, InstructionLimits::OWN)?;
    questions.into_iter().next().context("a question")
}

impl Example {
    fn ask(&self, question: &Question, truth: &Value) -> anyhow::Result<LabelledQuestion> {
        let value = match (&question.kind, truth) {
            (QuestionKind::Choice(_), Value::String(name)) => name.clone(),
            (_, other) => other.to_string(),
        };
        let at = question.kind.values().iter().position(|known| *known == value);
        ensure!(at.is_some(), "an example has the unknown answer {value}");
        Ok(LabelledQuestion {
            state: DecisionState::parse("state", self.state.clone()).map_err(Error::from)?,
            question: question.clone(),
            truth: at.unwrap_or_default(),
            fits: self.part == Part::Choose,
        })
    }
}

/// At most `count` of them, half to fit and half to report, from all over the list.
fn evenly(questions: Vec<LabelledQuestion>, count: usize) -> Vec<LabelledQuestion> {
    let (fit, report): (Vec<_>, Vec<_>) = questions.into_iter().partition(|question| question.fits);
    [fit, report].into_iter().flat_map(|part| spread(part, count.div_ceil(2))).collect()
}

fn spread(part: Vec<LabelledQuestion>, count: usize) -> Vec<LabelledQuestion> {
    let all = part.len().max(1);
    let taken = count.min(all);
    part.into_iter()
        .enumerate()
        .filter(|(at, _)| (at + 1) * taken / all > at * taken / all)
        .map(|(_, question)| question)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_questions_to_fit_and_to_measure() {
        let questions = labelled(300).unwrap();
        assert!((280..=310).contains(&questions.len()), "{}", questions.len());
        for group in [
            QuestionGroup::Noul,
            QuestionGroup::Score,
            QuestionGroup::ChoiceOfFew,
            QuestionGroup::ChoiceOfMany,
        ] {
            let of_group =
                questions.iter().filter(|labelled| QuestionGroup::of(&labelled.question.kind) == group);
            let fits = of_group.clone().filter(|labelled| labelled.fits).count();
            let all = of_group.count();
            assert!(fits >= 30 && all - fits >= 30, "{group:?}: {fits} of {all}");
        }
    }
}
