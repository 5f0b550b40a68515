//! A cascade: backends that are asked in turn, each about the questions that the one before was unsure of; and where
//! content may be sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::InvalidField;

/// Maximum steps of a cascade.
const MAX_STEPS: usize = 5;
const MAX_NAME_BYTES: usize = 300;

/// A step of a cascade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CascadeStep {
    /// The name of a backend, or `NAME/model`.
    pub backend: String,
    /// The certainty below which the next step is asked too. The last step has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

/// Where content may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataBoundary {
    /// To any backend.
    #[default]
    Any,
    /// Only to backends that the operator runs.
    Local,
}

impl DataBoundary {
    pub fn is_any(&self) -> bool {
        *self == Self::Any
    }

    /// The narrower one.
    pub fn and(self, other: Self) -> Self {
        if self.is_any() { other } else { self }
    }

    /// Parses the name from `field`.
    ///
    /// # Errors
    /// The field, with the allowed values.
    pub fn parse(field: &str, value: &Value) -> Result<Self, InvalidField> {
        match value.as_str() {
            Some("any") => Ok(Self::Any),
            Some("local") => Ok(Self::Local),
            _ => Err(InvalidField::new(field, "must be one of: any, local")),
        }
    }
}

/// Parses the steps of a cascade from `field`.
///
/// # Errors
/// The step and what it may be.
pub fn parse(field: &str, value: &Value) -> Result<Vec<CascadeStep>, InvalidField> {
    let steps = value.as_array().filter(|steps| (1..=MAX_STEPS).contains(&steps.len()));
    let steps = steps.ok_or_else(|| {
        InvalidField::new(
            field,
            format!("must be an array of 1 to {MAX_STEPS} steps such as {{\"backend\": \"gavel\", \"below\": 0.7}}"),
        )
    })?;
    let parsed: Result<Vec<_>, _> =
        steps.iter().enumerate().map(|(at, step)| parse_step(&format!("{field}[{at}]"), step)).collect();
    let parsed = parsed?;
    check(field, &parsed)?;
    Ok(parsed)
}

/// Checks that every step but the last hands on, and that none is asked twice.
///
/// # Errors
/// The step at fault.
pub fn check(field: &str, steps: &[CascadeStep]) -> Result<(), InvalidField> {
    if steps.len() > MAX_STEPS {
        return Err(InvalidField::new(field, format!("must have at most {MAX_STEPS} items")));
    }
    for (at, step) in steps.iter().enumerate() {
        let last = at + 1 == steps.len();
        if step.below.is_some_and(|below| !(0.0..=1.0).contains(&below)) {
            return Err(InvalidField::new(format!("{field}[{at}].below"), "must be a number from 0 to 1"));
        }
        if step.below.is_none() && !last {
            return Err(InvalidField::new(
                format!("{field}[{at}].below"),
                "is required, from 0 to 1, in every step but the last: no step after this one would be asked",
            ));
        }
        if let Some(first) = steps[..at].iter().position(|earlier| earlier.backend == step.backend) {
            return Err(InvalidField::new(
                format!("{field}[{at}].backend"),
                format!(
                    "must not be `{}` again, which {field}[{first}] asks: a cascade has no cycle",
                    step.backend
                ),
            ));
        }
    }
    Ok(())
}

fn parse_step(field: &str, value: &Value) -> Result<CascadeStep, InvalidField> {
    let members = value.as_object().ok_or_else(|| {
        InvalidField::new(field, "must be an object such as {\"backend\": \"gavel\", \"below\": 0.7}")
    })?;
    if let Some(name) = members.keys().find(|name| !["backend", "below"].contains(&name.as_str())) {
        return Err(InvalidField::new(
            format!("{field}.{name}"),
            "is not a member of a step: backend, below",
        ));
    }
    let backend = members.get("backend").and_then(Value::as_str);
    let backend = backend.filter(|name| !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES);
    let backend = backend.ok_or_else(|| {
        InvalidField::new(format!("{field}.backend"), "must be the name of a backend, or NAME/model")
    })?;
    let below =
        match members.get("below") {
            None | Some(Value::Null) => None,
            Some(below) => Some(below.as_f64().ok_or_else(|| {
                InvalidField::new(format!("{field}.below"), "must be a number from 0 to 1")
            })?),
        };
    Ok(CascadeStep { backend: backend.to_owned(), below })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(cascade: &Value) -> Option<String> {
        parse("cascade", cascade).err().map(|error| error.field)
    }

    #[test]
    fn a_cascade_hands_on_and_ends() {
        let good = json!([{ "backend": "gavel", "below": 0.7 }, { "backend": "ollama/x", "below": null }]);
        assert_eq!(fault(&good), None);
        for (bad, field) in [
            (json!([]), "cascade"),
            (json!("gavel"), "cascade"),
            (json!([{ "backend": "a" }, { "backend": "b" }]), "cascade[0].below"),
            (json!([{ "backend": "a", "below": 1.1 }]), "cascade[0].below"),
            (json!([{ "backend": "a", "below": "0.5" }]), "cascade[0].below"),
            (json!([{ "backend": "" }]), "cascade[0].backend"),
            (json!([{ "backend": "a", "under": 0.5 }]), "cascade[0].under"),
            (json!([{ "backend": "a", "below": 0.5 }, { "backend": "a" }]), "cascade[1].backend"),
            (json!(vec![json!({ "backend": "a", "below": 0.5 }); 6]), "cascade"),
        ] {
            assert_eq!(fault(&bad).as_deref(), Some(field), "{bad}");
        }
    }
}
