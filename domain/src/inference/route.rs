//! Who is to answer: what the client asked for, checked against what there is.

use serde::Serialize;

use super::infer::Inference;
use crate::{Error, Result};

/// The inference backend asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Backend {
    /// The local one, and another when escalation is on and the local one is unsure.
    #[default]
    Auto,
    /// The model in process, or the System One server that stands in for it.
    Local,
    /// The Decisions API of OpenRouter.
    Openrouter,
}

impl Backend {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Local => "local",
            Backend::Openrouter => "openrouter",
        }
    }
}

/// How several questions are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Mode {
    /// Each alone.
    #[default]
    Native,
    /// Together: the surest answers are settled first and the others are asked again in their light.
    Hybrid,
}

impl Mode {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Native => "native",
            Mode::Hybrid => "hybrid",
        }
    }
}

/// The names that mean the default model.
pub(super) const DEFAULT_MODEL: [&str; 2] = ["auto", "gavel-latest"];

/// Who is asked, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// Whether OpenRouter is asked first.
    pub(super) openrouter: bool,
    /// Whether OpenRouter is asked when the local answer is less sure than this.
    pub(super) escalates: bool,
    /// The exact model; none for the backend's default.
    pub(super) model: Option<String>,
}

impl Route {
    /// Finds the way.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`: OpenRouter is not configured; what is no name of a model; a model that is not known here
    /// (unless `lenient`).
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

/// Whether some model somewhere may be called so: what is passed on is not judged here, but it is recorded.
fn is_name(model: &str) -> bool {
    !model.trim().is_empty() && !model.contains('\0')
}
