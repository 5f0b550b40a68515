//! The most probable object that fits a schema.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    reader::{ReadQuestions, SchemaReader},
    shape::{Member, NamedValue, Selection, Shape},
};
use crate::{
    Error, Result,
    foundation::json_schema::JsonSchema,
    operations::inference::{
        answer::{Answer, Answers},
        instructions::{InstructionLimits, check_questions},
    },
};
use ports::decision::Question;

/// A schema whose properties are questions.
#[derive(Debug)]
pub struct OutputSchema {
    /// Where the schema is in a request.
    field: String,
    schema: JsonSchema,
    members: Vec<Member>,
}

/// A value, and whether the answers that it depends on abstained.
struct Filled {
    value: Value,
    abstained: bool,
}

/// The answers by key.
struct ByKey<'a>(HashMap<&'a str, &'a Answer>);

impl OutputSchema {
    /// Reads the schema in `field`: itself, and the questions that it asks.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the JSON pointer: no schema, one that asks what has no finite set of answers, no
    /// question or too many.
    pub(in crate::operations::inference) fn parse(
        field: &str,
        schema: &Value,
        limits: InstructionLimits,
    ) -> Result<(Self, Vec<Question>)> {
        let compiled = JsonSchema::parse(field, schema)?;
        let ReadQuestions { members, questions } = SchemaReader::new(field, schema, limits).read()?;
        if questions.is_empty() {
            return Err(Error::invalid(field, "must have a property with more than one possible value"));
        }
        check_questions(field, &questions, limits)?;
        Ok((Self { field: field.to_owned(), schema: compiled, members }, questions))
    }

    /// An estimate of its size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.schema.bytes()
    }

    /// The most probable object, given the answers to the questions. What abstains is null or left out where the schema
    /// allows it.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when it does not fit the schema, which then allows less than its own values.
    pub fn object(&self, answers: &Answers) -> Result<Value> {
        let by_key = ByKey(answers.iter().map(|(key, answer)| (key.as_str(), answer)).collect());
        let object = by_key.object(&self.members)?;
        self.schema.check("output", &object).map_err(|error| {
            let message = format!("must allow every answer to its questions; but {}", error.message);
            Error::invalid(&self.field, message)
        })?;
        Ok(object)
    }
}

impl ByKey<'_> {
    fn object(&self, members: &[Member]) -> Result<Value> {
        let mut object = Map::new();
        for Member { name, required, part } in members {
            let Filled { value, abstained } = self.fill(&part.shape)?;
            if abstained && part.nullable {
                object.insert(name.clone(), Value::Null);
            } else if *required || !abstained {
                object.insert(name.clone(), value);
            }
        }
        Ok(Value::Object(object))
    }

    fn fill(&self, shape: &Shape) -> Result<Filled> {
        match shape {
            Shape::Object(members) => Ok(Filled { value: self.object(members)?, abstained: false }),
            Shape::Fixed(value) => Ok(Filled { value: value.clone(), abstained: false }),
            Shape::Selection(selection) => self.selected(selection),
            Shape::Boolean { key } => {
                let (yes, abstained) = self.noul(key)?;
                Ok(Filled { value: (yes >= 0.5).into(), abstained })
            }
            Shape::Choice { key, options } => match self.0.get(key.as_str()) {
                Some(Answer::Choice { choice, probabilities, abstained, .. }) => {
                    let abstained = *abstained == Some(true);
                    let named = options.iter().find(|option| !abstained && option.name == *choice);
                    let option = named.or_else(|| most_probable(options, probabilities));
                    let value = option.map(|option| option.value.clone()).ok_or_else(|| unanswered(key))?;
                    Ok(Filled { value, abstained })
                }
                _ => Err(unanswered(key)),
            },
            Shape::Level { key, numbers } => match self.0.get(key.as_str()) {
                Some(Answer::Score { probabilities, abstained, .. }) => {
                    let number = numbers.iter().zip(probabilities.values().map(probability));
                    let number = number.reduce(|best, other| if other.1 > best.1 { other } else { best });
                    let number = number.ok_or_else(|| unanswered(key))?.0;
                    Ok(Filled { value: (*number).into(), abstained: *abstained == Some(true) })
                }
                _ => Err(unanswered(key)),
            },
        }
    }

    /// The values that apply, in the schema's order: those that are probable, but no fewer and no more than allowed. It
    /// abstains if the answer about one of them does.
    fn selected(&self, selection: &Selection) -> Result<Filled> {
        let mut ranked = Vec::with_capacity(selection.options.len());
        let mut abstained = false;
        for (index, option) in selection.options.iter().enumerate() {
            let (yes, abstains) = self.noul(&option.key)?;
            abstained |= abstains;
            ranked.push((index, yes));
        }
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        let applying = ranked.iter().filter(|(_, yes)| *yes >= 0.5).count();
        ranked.truncate(applying.clamp(selection.least, selection.most));
        ranked.sort_by_key(|(index, _)| *index);
        let values = ranked.into_iter().map(|(index, _)| selection.options[index].value.clone());
        Ok(Filled { value: values.collect(), abstained })
    }

    /// The probability of yes, and whether the answer abstained.
    fn noul(&self, key: &str) -> Result<(f64, bool)> {
        match self.0.get(key) {
            Some(Answer::Noul { noul, abstained }) => Ok((*noul, *abstained == Some(true))),
            _ => Err(unanswered(key)),
        }
    }
}

/// The most probable option; of equals the first by name, as in an answer.
fn most_probable<'a>(
    options: &'a [NamedValue],
    probabilities: &Map<String, Value>,
) -> Option<&'a NamedValue> {
    let ranked =
        options.iter().map(|option| (option, probabilities.get(&option.name).map_or(0.0, probability)));
    let best =
        ranked.min_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.name.cmp(&other.0.name)));
    best.map(|(option, _)| option)
}

fn probability(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn unanswered(key: &str) -> Error {
    Error::internal(format!("the property {key:?} has no answer of its type"))
}
