//! Chooses the backend and model of a request and validates that they are available.

use super::backend::{Backend, Inference};
use crate::{Error, Result};

/// The names of the default model.
pub(super) const DEFAULT_MODEL: [&str; 2] = ["auto", "gavel-latest"];

/// The chosen backend and model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// True when OpenRouter is called first.
    pub(super) openrouter: bool,
    /// True when OpenRouter is called after a local answer below the escalation threshold.
    pub(super) escalates: bool,
    /// The exact model; `None` for the backend's default.
    pub(super) model: Option<String>,
}

impl Route {
    /// Chooses the route.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`: OpenRouter is not configured; `model` is not a possible model name; the model is
    /// unknown here (unless `lenient`).
    pub(super) fn find(inference: &Inference, backend: Backend, model: &str, lenient: bool) -> Result<Self> {
        let asked = (!DEFAULT_MODEL.contains(&model)).then(|| model.to_owned());
        if backend == Backend::Openrouter {
            if inference.openrouter.is_none() {
                let message = "cannot be openrouter: this server has no OpenRouter key; its operator sets \
                               openrouter_api_key (GAVEL_OPENROUTER_API_KEY)";
                return Err(Error::invalid("backend", message));
            }
            if !is_name(model) {
                return Err(Error::invalid("model", "must be the name of a model, or auto"));
            }
            return Ok(Self { openrouter: true, escalates: false, model: asked });
        }
        let known = inference.local.models();
        let passes_on = inference.local.takes_any_model();
        let model = match asked {
            Some(name) if known.iter().any(|model| model.name == name) => Some(name),
            Some(_) if lenient => None,
            Some(name) if passes_on && is_name(&name) => Some(name),
            Some(_) => {
                let names: Vec<&str> = known.iter().map(|model| model.name.as_str()).collect();
                let message = format!("must be one of: {}, {}", DEFAULT_MODEL.join(", "), names.join(", "));
                return Err(Error::invalid("model", message));
            }
            None => None,
        };
        let escalates = backend == Backend::Auto
            && model.is_none()
            && inference.openrouter.is_some()
            && inference.escalate_below.is_some();
        Ok(Self { openrouter: false, escalates, model })
    }
}

/// Checks that a model could have this name: a name that is passed on is not validated further, but it is recorded.
fn is_name(model: &str) -> bool {
    !model.trim().is_empty() && !model.contains('\0')
}
