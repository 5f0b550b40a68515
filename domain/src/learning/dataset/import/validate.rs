//! A line of an import, and its validation against the questions of the Judge or its own instructions. Independent
//! of the file format.

use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::{
    Detail,
    foundation::{
        actor::Actor,
        json_schema::JsonSchema,
        wrong_shape::{in_json_words, missing_field},
    },
    learning::{
        judge,
        sample::{NewAnswer, NewSample, Source},
    },
    operations::inference::{Answer, InstructionLimits, MAX_INPUT_BYTES, NONE_OF_THESE, parse_instructions},
};
use ports::decision::{DecisionState, Question, QuestionKind};
use ports::id::{DatasetId, SampleId};

/// Maximum characters of a model name.
const MAX_MODEL_CHARS: usize = 200;
/// Maximum values listed in an error message.
const LISTED_VALUES: usize = 20;
/// Tolerance for the sum of probabilities, around 1.
const SUM_TOLERANCE: f64 = 1e-3;

/// A line that is parsed and not yet validated.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ImportedLine {
    pub(super) state: Value,
    /// The sample's own instructions, when they are not the Judge's.
    pub(super) instructions: Option<Value>,
    /// Answers by key, in wire form.
    pub(super) answers: Map<String, Value>,
    /// Ground truths by key; null for none.
    pub(super) truths: Map<String, Value>,
    pub(super) model: Option<String>,
    /// Name of the field that held the state.
    pub(super) state_field: &'static str,
}

/// The dataset and the actor of an import.
pub(super) struct Target {
    pub(super) dataset: DatasetId,
    pub(super) version: i32,
    pub(super) questions: Vec<Question>,
    /// What the states must fit.
    pub(super) state_schema: Option<JsonSchema>,
    pub(super) actor: Actor,
}

/// A sample, with the index of each answer's question.
pub(super) struct ValidatedLine {
    pub(super) sample: NewSample,
    pub(super) positions: Vec<i32>,
}

/// A problem in `field`; an empty field means the whole line.
pub(super) fn problem(field: impl Into<String>, message: impl Into<String>) -> Detail {
    Detail { field: field.into(), message: message.into() }
}

impl ImportedLine {
    /// Builds the sample.
    ///
    /// # Errors
    /// All problems of the line.
    pub(super) fn validate(self, target: &Target) -> Result<ValidatedLine, Vec<Detail>> {
        let mut problems = Vec::new();
        let own = self
            .instructions
            .as_ref()
            .map(|own| parse_instructions("instructions", own, InstructionLimits::OWN));
        let own = own.transpose().map_err(|error| error.details)?;
        own.as_deref().map_or(Ok(()), judge::validate_recordable).map_err(|error| error.details)?;
        let questions = own.as_ref().unwrap_or(&target.questions);
        let state =
            self.validate_state(target.state_schema.as_ref()).map_err(|detail| problems.push(detail)).ok();
        let mut answers = Vec::new();
        let mut positions = Vec::new();
        for (question, position) in questions.iter().zip(0..) {
            match self.new_answer(question, target.actor.name()) {
                Ok(answer) => {
                    positions.extend(answer.iter().map(|_| position));
                    answers.extend(answer);
                }
                Err(detail) => problems.push(detail),
            }
        }
        for (field, members) in [("answers", &self.answers), ("ground_truth", &self.truths)] {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            for (key, _) in given.filter(|(key, _)| !questions.iter().any(|question| question.key == **key)) {
                problems.push(problem(format!("{field}.{key}"), "is not a key of the instructions"));
            }
        }
        let model = self.model.filter(|_| !self.answers.is_empty());
        if model.as_ref().is_some_and(|name| !is_model_name(name)) {
            problems
                .push(problem("model", format!("must be at most {MAX_MODEL_CHARS} characters on one line")));
        }
        match state {
            Some(state) if problems.is_empty() => Ok(ValidatedLine {
                positions,
                sample: NewSample {
                    id: SampleId::new(),
                    account: target.actor.account.clone(),
                    dataset: target.dataset.clone(),
                    version: target.version,
                    source: Source::Import,
                    state,
                    instructions: self.instructions,
                    model,
                    backend: None,
                    latency_ms: None,
                    credits: None,
                    checkpoint: None,
                    answers,
                    moderation: None,
                },
            }),
            _ => Err(problems),
        }
    }

    fn validate_state(&self, schema: Option<&JsonSchema>) -> Result<Value, Detail> {
        let state = DecisionState::parse(self.state_field, self.state.clone());
        let state = state.map_err(|invalid| Detail { field: invalid.field, message: invalid.message })?;
        let own = self.instructions.as_ref().map_or(0, |own| own.to_string().len());
        let bytes = self.state.to_string().len() + own;
        if bytes > MAX_INPUT_BYTES {
            let message =
                format!("must be at most {MAX_INPUT_BYTES} bytes together with instructions, not {bytes}");
            return Err(problem(self.state_field, message));
        }
        let state = state.into_value();
        match schema.map_or(Ok(()), |schema| schema.check(self.state_field, &state)) {
            Ok(()) => Ok(state),
            Err(error) => Err(error.details.into_iter().next().unwrap_or_else(|| problem("", error.message))),
        }
    }

    /// Builds the answer row of a question from an answer, a ground truth, both or neither.
    fn new_answer(&self, question: &Question, actor: &str) -> Result<Option<NewAnswer>, Detail> {
        let key = &question.key;
        let answer = given(&self.answers, key).map(|said| {
            validate_answer(question, &said).map_err(|message| problem(format!("answers.{key}"), message))
        });
        let truth = given(&self.truths, key).map(|said| {
            let value = parse_ground_truth(&question.kind, &said);
            value.map_err(|message| problem(format!("ground_truth.{key}"), message))
        });
        let answer = answer.transpose()?;
        let truth = truth.transpose()?;
        if truth.is_some() && matches!(answer, Some(Answer::Text { .. })) {
            return Err(problem(format!("ground_truth.{key}"), "must not be given: the answer is in words"));
        }
        let truth = truth.map(|value| (value, actor.to_owned()));
        Ok(match (answer, truth) {
            (None, None) => None,
            (Some(answer), truth) => Some(NewAnswer { truth, ..NewAnswer::of(key, &answer) }),
            (None, truth) => Some(NewAnswer {
                key: key.clone(),
                kind: question.kind.answer_name(),
                value: None,
                answer: None,
                probability: None,
                probabilities: None,
                server_model: None,
                truth,
            }),
        })
    }
}

fn is_model_name(name: &str) -> bool {
    name.chars().count() <= MAX_MODEL_CHARS && !name.chars().any(char::is_control)
}

/// The value under a key, unless it is null.
fn given(members: &Map<String, Value>, key: &str) -> Option<Value> {
    members.get(key).filter(|value| !value.is_null()).cloned()
}

fn is_probability(p: &f64) -> bool {
    (0.0..=1.0).contains(p)
}

/// Validates an answer: an inference could have returned it for this question.
fn validate_answer(question: &Question, said: &Value) -> Result<Answer, String> {
    let answer = Answer::deserialize(said).map_err(|error| {
        let why = answer_fault(said, &error.to_string());
        format!("must be an answer as an inference returns it: {why}")
    })?;
    let fits = match (&question.kind, &answer) {
        (QuestionKind::Prompt, Answer::Text { text }) => return reject_nul(text).map(|()| answer),
        (QuestionKind::Prompt | QuestionKind::Noul { .. }, Answer::Noul { noul, .. }) => is_probability(noul),
        (kind @ QuestionKind::Choice(_), Answer::Choice { choice, confidence, probabilities, abstained }) => {
            let values = kind.values();
            let chosen = values.contains(choice) || (choice == NONE_OF_THESE && *abstained == Some(true));
            chosen && is_probability(confidence) && is_distribution(&values, probabilities)
        }
        (
            kind @ QuestionKind::Score(levels),
            Answer::Score { score, confidence, legend, probabilities, .. },
        ) => {
            let values = kind.values();
            let top = levels.len() as f64 - 1.0;
            let named = legend.len() == levels.len() && values.iter().all(|value| legend.contains_key(value));
            legend.values().try_for_each(|words| reject_nul(words.as_str().unwrap_or_default()))?;
            (0.0..=top).contains(score)
                && is_probability(confidence)
                && named
                && is_distribution(&values, probabilities)
        }
        _ => return Err(format!("must be of the type {}", question.kind.as_str())),
    };
    if fits {
        Ok(answer)
    } else {
        Err("must fit the instructions: their values, and probabilities of them that sum to 1".to_owned())
    }
}

/// What is wrong with the shape of an answer, from a message of serde, which does not name the member.
fn answer_fault(said: &Value, message: &str) -> String {
    if let Some(member) = missing_field(message) {
        return format!("`{member}` is required");
    }
    let words = in_json_words(message);
    let Some(members) = said.as_object() else {
        return words.strip_prefix("must be ").unwrap_or(&words).to_owned();
    };
    let wrong = members.iter().find_map(|(name, value)| {
        let (wanted, fits) = match name.as_str() {
            "noul" | "score" | "confidence" => ("a number", value.is_number()),
            "choice" | "text" => ("a string", value.is_string()),
            "legend" | "probabilities" => ("an object", value.is_object()),
            "abstained" => ("true or false", value.is_boolean() || value.is_null()),
            _ => return None,
        };
        (!fits).then(|| format!("`{name}` must be {wanted}"))
    });
    wrong.unwrap_or_else(|| format!("`type` {words}"))
}

/// Checks that each value has a probability, that nothing else has one, and that they sum to 1.
fn is_distribution(values: &[String], probabilities: &Map<String, Value>) -> bool {
    let each = values.iter().map(|value| probabilities.get(value).and_then(Value::as_f64));
    let each: Option<Vec<f64>> = each.map(|p| p.filter(is_probability)).collect();
    let sum = each.map(|each| each.iter().sum::<f64>());
    probabilities.len() == values.len() && sum.is_some_and(|sum| (sum - 1.0).abs() <= SUM_TOLERANCE)
}

fn reject_nul(text: &str) -> Result<(), String> {
    if text.contains('\0') { Err("must not contain a NUL character".to_owned()) } else { Ok(()) }
}

/// Parses a ground truth into its stored form: one of the values of the question. A choice that is a number may be
/// given as a number, and a level by its description.
pub(super) fn parse_ground_truth(kind: &QuestionKind, said: &Value) -> Result<String, String> {
    let values = kind.values();
    let text = match said {
        Value::String(text) => text.clone(),
        Value::Number(number) if matches!(kind, QuestionKind::Score(_) | QuestionKind::Choice(_)) => {
            number.to_string()
        }
        Value::Bool(side) if matches!(kind, QuestionKind::Noul { .. } | QuestionKind::Prompt) => {
            side.to_string()
        }
        _ => String::new(),
    };
    let position = match kind {
        QuestionKind::Score(levels) => level_index(levels, &values, &text),
        // Spreadsheets write TRUE and FALSE.
        QuestionKind::Noul { .. } | QuestionKind::Prompt => {
            values.iter().position(|value| value.eq_ignore_ascii_case(&text))
        }
        QuestionKind::Choice(_) => value_index(&values, &text).or_else(|| value_index(&values, whole(&text))),
    };
    position.map(|position| values[position].clone()).ok_or_else(|| {
        let more = if values.len() > LISTED_VALUES { ", …" } else { "" };
        let named = values[..values.len().min(LISTED_VALUES)].join(", ");
        format!("must be one of: {named}{more}")
    })
}

fn value_index(values: &[String], said: &str) -> Option<usize> {
    values.iter().position(|value| value == said)
}

/// A number without `.0`, with which tables with empty cells write integers.
fn whole(said: &str) -> &str {
    let number = said.strip_suffix(".0").filter(|number| number.parse::<i64>().is_ok());
    number.unwrap_or(said)
}

/// Index of a level: by its number; or by its description, unless a description is itself a number, which would be
/// ambiguous.
fn level_index(levels: &[String], numbers: &[String], said: &str) -> Option<usize> {
    if let Some(index) = value_index(numbers, whole(said)) {
        return Some(index);
    }
    let by_words = levels.iter().all(|words| words.trim().parse::<f64>().is_err());
    if by_words { levels.iter().position(|words| words == said) } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::foundation::actor::{Identity, Role};
    use ports::decision::Choice;
    use ports::id::{AccountId, KeyId};

    fn target(instructions: Value) -> Target {
        Target {
            dataset: DatasetId::new(),
            version: 1,
            state_schema: None,
            questions: parse_instructions("instructions", &instructions, InstructionLimits::OWN).unwrap(),
            actor: Actor {
                account: AccountId::new(),
                identity: Identity::Key(KeyId::new()),
                role: Role::Editor,
                operator: false,
            },
        }
    }

    #[test]
    fn a_level_is_known_by_its_number_and_by_its_words_and_a_truth_value_in_any_case() {
        let score = QuestionKind::Score(vec!["calm".to_owned(), "angry".to_owned()]);
        for said in [json!(1), json!(1.0), json!("1"), json!("1.0"), json!("angry")] {
            assert_eq!(parse_ground_truth(&score, &said), Ok("1".to_owned()), "{said}");
        }
        assert_eq!(parse_ground_truth(&score, &json!(2)), Err("must be one of: 0, 1".to_owned()));
        assert!(parse_ground_truth(&score, &json!(0.5)).is_err());
        let stars = QuestionKind::Score(["1", "2", "3"].map(str::to_owned).to_vec());
        assert_eq!(
            parse_ground_truth(&stars, &json!("1")),
            Ok("1".to_owned()),
            "the number of a level, not its words"
        );
        assert!(parse_ground_truth(&stars, &json!("3")).is_err(), "words that are numbers are never words");
        let noul = QuestionKind::Noul { yes: None, no: None };
        for said in [json!(true), json!("true"), json!("TRUE")] {
            assert_eq!(parse_ground_truth(&noul, &said), Ok("true".to_owned()), "{said}");
        }
        assert!(parse_ground_truth(&noul, &json!(1)).is_err());
    }

    #[test]
    fn a_choice_that_is_a_number_may_be_given_as_one() {
        let stars = QuestionKind::Choice(
            ["1", "2", "2.0", "-3", "v1.0"]
                .map(|value| Choice { value: value.to_owned(), description: None })
                .into(),
        );
        for (said, truth) in [
            (json!(1), "1"),
            (json!(1.0), "1"),
            (json!("1.0"), "1"),
            (json!(2), "2"),
            (json!(2.0), "2.0"),
            (json!(-3.0), "-3"),
            (json!("v1.0"), "v1.0"),
        ] {
            assert_eq!(parse_ground_truth(&stars, &said), Ok(truth.to_owned()), "{said}");
        }
        for wrong in [json!(3), json!(1.5), json!(true), json!("v1"), json!("1.0.0")] {
            assert!(parse_ground_truth(&stars, &wrong).is_err(), "{wrong}");
        }
    }

    fn line(answers: &Value) -> ImportedLine {
        ImportedLine {
            state: json!("hello"),
            answers: answers.as_object().unwrap().clone(),
            state_field: "state",
            ..ImportedLine::default()
        }
    }

    fn choice(choice: &str, p: f64) -> Value {
        json!({ "team": { "type": "choice", "choice": choice, "confidence": 0.2,
            "probabilities": { "billing": p, "tech": 1.0 - p } } })
    }

    #[test]
    fn answers_must_be_such_as_an_inference_could_give() {
        let target = target(json!({ "team": ["billing", "tech"], "spam": "is it spam?" }));
        let sample = line(&choice("billing", 0.6)).validate(&target).ok().unwrap().sample;
        assert_eq!(sample.answers[0].value.as_deref(), Some("billing"));
        for bad in [
            choice("sales", 0.6),
            choice("billing", 1.6),
            json!({ "team": { "type": "noul", "noul": 0.5 } }),
            json!({ "team": "billing" }),
            json!({ "spam": { "type": "noul", "noul": 2 } }),
            json!({ "other": { "type": "noul", "noul": 0.5 } }),
        ] {
            let problems = line(&bad).validate(&target).err().unwrap();
            assert!(problems.len() == 1 && problems[0].field.starts_with("answers."), "{bad}: {problems:?}");
        }
    }
}
