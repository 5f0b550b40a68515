//! The parameters of an inference: Gavel's own are validated, others are echoed and passed on.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{CascadeStep, DataBoundary, cascade, refuse_nul};
use crate::InvalidField;

/// The parameters that Gavel reads; one that is null is as if it were absent.
const OWN: [&str; 6] = ["temperature", "abstain_below", "steps", "model", "cascade", "data_boundary"];
/// Maximum bytes of the name of a model.
const MAX_MODEL_BYTES: usize = 300;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Flattens the probabilities above 1 and sharpens them below: `p^(1/temperature)`, normalized again. 0.05 to 20;
    /// 1 leaves them calibrated.
    pub temperature: f64,
    /// An answer abstains when its most probable outcome is less probable than this; 0 to 1.
    pub abstain_below: Option<f64>,
    /// Denoising steps in `hybrid` mode, 1 to 8.
    pub steps: Option<u8>,
    /// The backend or model for requests that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The backends to ask in turn, for requests that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cascade: Option<Vec<CascadeStep>>,
    /// Whether the request itself has the cascade, and not its Judge.
    #[serde(skip)]
    pub own_cascade: bool,
    /// Where the content may be sent.
    #[serde(default, skip_serializing_if = "DataBoundary::is_any")]
    pub data_boundary: DataBoundary,
    /// All other parameters, as submitted.
    pub others: Map<String, Value>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            abstain_below: None,
            steps: None,
            model: None,
            cascade: None,
            own_cascade: false,
            data_boundary: DataBoundary::Any,
            others: Map::new(),
        }
    }
}

impl Parameters {
    /// Parses an object from `parameters`. One of Gavel's own that is null is as if it were absent.
    ///
    /// # Errors
    /// The parameter and its range.
    pub fn parse(given: &Map<String, Value>) -> Result<Self, InvalidField> {
        let mut parameters = Self::default();
        for (name, value) in given {
            let field = format!("parameters.{name}");
            refuse_nul(&field, &Value::String(name.clone()))?;
            refuse_nul(&field, value)?;
            match name.as_str() {
                name if Self::is_absent(name, value) => {}
                "temperature" => parameters.temperature = number(&field, value, 0.05..=20.0)?,
                "abstain_below" => parameters.abstain_below = Some(number(&field, value, 0.0..=1.0)?),
                "steps" => parameters.steps = Some(steps(&field, value)?),
                "model" => parameters.model = Some(model(&field, value)?),
                "cascade" => parameters.cascade = Some(cascade::parse(&field, value)?),
                "data_boundary" => parameters.data_boundary = DataBoundary::parse(&field, value)?,
                _ => {
                    parameters.others.insert(name.clone(), value.clone());
                }
            }
        }
        parameters.own_cascade = parameters.cascade.is_some();
        if parameters.cascade.is_some() && parameters.model.is_some() {
            return Err(InvalidField::new(
                "parameters.cascade",
                "must be left out where `model` is given: each says who answers",
            ));
        }
        Ok(parameters)
    }

    /// Whether a parameter is one of Gavel's own that is null, which is as if it were absent.
    pub fn is_absent(name: &str, value: &Value) -> bool {
        value.is_null() && OWN.contains(&name)
    }

    /// The parameters in effect, as `inference_parameters` shows them.
    pub fn applied(&self) -> Map<String, Value> {
        let mut applied = Map::new();
        applied.insert("temperature".to_owned(), json!(self.temperature));
        if let Some(below) = self.abstain_below {
            applied.insert("abstain_below".to_owned(), json!(below));
        }
        if let Some(steps) = self.steps {
            applied.insert("steps".to_owned(), json!(steps));
        }
        if let Some(model) = &self.model {
            applied.insert("model".to_owned(), json!(model));
        }
        if let Some(cascade) = &self.cascade {
            applied.insert("cascade".to_owned(), json!(cascade));
        }
        if !self.data_boundary.is_any() {
            applied.insert("data_boundary".to_owned(), json!(self.data_boundary));
        }
        applied.extend(self.others.clone());
        applied
    }
}

fn number(field: &str, value: &Value, range: RangeInclusive<f64>) -> Result<f64, InvalidField> {
    let number = value.as_f64().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        InvalidField::new(field, format!("must be a number from {} to {}", range.start(), range.end()))
    })
}

fn steps(field: &str, value: &Value) -> Result<u8, InvalidField> {
    let steps = value.as_f64().filter(|steps| steps.fract() == 0.0 && (1.0..=8.0).contains(steps));
    steps
        .map(|steps| steps as u8)
        .ok_or_else(|| InvalidField::new(field, "must be a whole number from 1 to 8"))
}

fn model(field: &str, value: &Value) -> Result<String, InvalidField> {
    let name = value.as_str().filter(|name| !name.trim().is_empty() && name.len() <= MAX_MODEL_BYTES);
    name.map(str::to_owned).ok_or_else(|| {
        InvalidField::new(
            field,
            format!("must be the name of a backend or a model, of at most {MAX_MODEL_BYTES} bytes"),
        )
    })
}
