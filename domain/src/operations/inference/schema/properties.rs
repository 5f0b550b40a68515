//! Property tests: whatever a schema asks and a backend answers, the output fits.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::OutputSchema;
use crate::operations::inference::{
    InstructionLimits,
    answer::{Answer, Correction},
};
use ports::decision::{Parameters, Question, QuestionKind};

/// A schema of one property.
fn property() -> impl Strategy<Value = Value> {
    let listed = prop_oneof![
        Just(json!({ "enum": ["a", "b", "c"] })),
        Just(json!({ "enum": [1, 2.5, "1.0", true] })),
        Just(json!({ "oneOf": [{ "const": "a" }, { "const": "b", "description": "B" }] })),
        Just(json!({ "enum": [true, false] })),
        Just(json!({ "$ref": "#/$defs/team" })),
        Just(json!({ "const": "only" })),
    ];
    let number = (-5_i64..5, 1_i64..4, 1_i64..9).prop_map(|(lowest, step, levels)| {
        json!({ "type": "integer", "minimum": lowest, "maximum": lowest + levels, "multipleOf": step })
    });
    let array = (listed.clone(), 0_u64..2, 1_u64..4).prop_map(|(items, least, most)| {
        json!({ "type": "array", "items": items, "minItems": least, "maxItems": most, "uniqueItems": true })
    });
    let leaf = prop_oneof![Just(json!({ "type": "boolean" })), listed, number, array];
    let nullable = (leaf, any::<bool>()).prop_map(|(schema, nullable)| match nullable {
        true => json!({ "anyOf": [schema, { "type": "null" }] }),
        false => schema,
    });
    nullable.prop_recursive(2, 12, 3, |inner| object(inner, 1..4))
}

/// A schema of an object with some of its properties required.
fn object(
    property: impl Strategy<Value = Value>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Value> {
    prop::collection::vec((property, any::<bool>()), count).prop_map(|properties| {
        let named = properties.iter().enumerate().map(|(index, one)| (format!("p{index}"), one));
        let required: Vec<String> = named.clone().filter(|(_, one)| one.1).map(|(name, _)| name).collect();
        let properties: Map<String, Value> = named.map(|(name, one)| (name, one.0.clone())).collect();
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    })
}

/// What a backend says to a question, with these weights in turn.
fn said(question: &Question, weights: &mut impl Iterator<Item = u32>) -> Value {
    let values = question.kind.values();
    let weights: Vec<f64> = values.iter().zip(weights).map(|(_, weight)| f64::from(weight) + 0.01).collect();
    let sum: f64 = weights.iter().sum();
    match question.kind {
        QuestionKind::Noul { .. } | QuestionKind::Prompt => json!({ "noul": weights[0] / sum }),
        QuestionKind::Choice(_) | QuestionKind::Score(_) => {
            let probabilities: Map<String, Value> =
                values.into_iter().zip(weights).map(|(value, weight)| (value, json!(weight / sum))).collect();
            json!({ "probabilities": probabilities })
        }
    }
}

proptest! {
    #[test]
    fn the_output_fits_its_schema(
        mut schema in object(property(), 1..5),
        weights in prop::collection::vec(0_u32..4, 1..20),
        below in prop::option::of(0.0..=1.0_f64),
    ) {
        schema["$defs"] = json!({ "team": { "enum": ["x", "y"], "description": "Which?" } });
        match OutputSchema::parse("s", &schema, InstructionLimits::OWN) {
            Ok((output, questions)) => {
                let mut weights = weights.into_iter().cycle();
                let parameters = Parameters { abstain_below: below, ..Parameters::default() };
                let answers: Vec<_> = questions
                    .iter()
                    .map(|question| {
                        let said = said(question, &mut weights);
                        let answer = Answer::read(question, &said, &parameters, Correction::default());
                        (question.key.clone(), answer.expect("an answer"))
                    })
                    .collect();
                let object = output.object(&answers);
                prop_assert!(object.is_ok(), "{schema} {answers:?} {:?}", object.err().map(|error| error.with_cause()));
            }
            // Nothing to ask, or an array of which too much is demanded.
            Err(error) => prop_assert!(
                error.message.contains("more than one possible value") || error.message.contains("that allow 1 to 10"),
                "{schema}: {}", error.message
            ),
        }
    }
}
