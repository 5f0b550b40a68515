//! The backends that answer inferences, and how a request names one.

use std::sync::Arc;

use serde::Serialize;

use super::{
    calibrations::Calibrations, recalibrations::Recalibrations, size::MAX_INPUT_BYTES, tally::Tallies,
};
use crate::{Error, Result, foundation::allowed_backends::AllowedBackends, money::amount::Amount};
use ports::decision::{CascadeStep, DataBoundary, DecisionBackend};

/// The names that no backend of the operator's may have.
pub const RESERVED_NAMES: [&str; 6] = ["auto", "diffusion", "gavel", "gavel-latest", "local", "openrouter"];
/// The names of the default model among backends.
const DEFAULT_NAMES: [&str; 2] = ["gavel", "local"];
/// The names of backends that the operator has not named.
const FIXED_NAMES: [&str; 4] = ["gavel", "local", "openrouter", "diffusion"];

/// The backends of inference, and what is asked when a request names none.
#[derive(Clone)]
pub struct Inference {
    /// The model in process, or the server that replaces it.
    pub local: Arc<dyn DecisionBackend>,
    /// OpenRouter, when a key for it is configured.
    pub openrouter: Option<Arc<dyn DecisionBackend>>,
    /// With `backend: auto`, the certainty below which OpenRouter is called too; `None` disables escalation.
    pub escalate_below: Option<f64>,
    /// The operator's backends.
    pub named: Arc<[NamedBackend]>,
    /// What `backend: auto` asks in turn; `None` for the local backend and escalation.
    pub cascade: Option<Arc<[CascadeStep]>>,
    /// Where any content may be sent.
    pub data_boundary: DataBoundary,
    /// The calibrations of the operator's backends, where there is a database.
    pub calibrations: Option<Calibrations>,
    /// What the Checkpoints of Judges know of servers, where there is a database.
    pub recalibrations: Option<Recalibrations>,
    /// What the backends have answered since the process started.
    pub tallies: Tallies,
}

/// A backend with what it costs and what it may read.
#[derive(Clone)]
pub struct NamedBackend {
    pub backend: Arc<dyn DecisionBackend>,
    /// The price of an inference; `None` for the usual one.
    pub price: Option<Amount>,
    /// Maximum bytes of a state, as compact JSON.
    pub max_state_bytes: usize,
    /// Whether content that is sent to it leaves the operator's machines.
    pub external: bool,
    /// The value of `backend` in responses.
    pub shown_as: Backend,
    /// Whether Gavel calibrates its answers.
    pub calibrated_here: bool,
}

/// The backend that a request names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Backend {
    /// The local backend, then OpenRouter when escalation is on and the local answer is uncertain; or the cascade.
    #[default]
    Auto,
    /// The model in process, the System One server that replaces it, or a backend of the operator's.
    Local,
    /// The Decisions API of OpenRouter.
    Openrouter,
}

impl Inference {
    /// A local backend alone.
    pub fn new(local: Arc<dyn DecisionBackend>) -> Self {
        Self {
            local,
            openrouter: None,
            escalate_below: None,
            named: Arc::from([]),
            cascade: None,
            data_boundary: DataBoundary::Any,
            calibrations: None,
            recalibrations: None,
            tallies: Tallies::default(),
        }
    }

    /// The names that `model` and a cascade may have, beside the models of the local backend.
    pub fn names(&self) -> Vec<&str> {
        let fixed = [
            (!self.local.is_remote()).then_some("gavel"),
            Some("local"),
            self.openrouter.is_some().then_some("openrouter"),
        ];
        let own = self.named.iter().map(|named| named.backend.name());
        fixed.into_iter().flatten().chain(own).collect()
    }

    /// Reads a list of backends to limit a key or an account to; `None` for all. The default model is always allowed,
    /// so that its names change nothing.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming `field`, for a name that no backend has.
    pub fn allowed(&self, field: &str, names: Option<Vec<String>>) -> Result<AllowedBackends> {
        let Some(names) = names else { return Ok(AllowedBackends::all()) };
        let own = self.named.iter().map(|named| named.backend.name());
        let known: Vec<&str> = FIXED_NAMES.into_iter().chain(own).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let message = format!("must be some of: {}; there is no backend `{unknown}`", known.join(", "));
            return Err(Error::invalid(field, message));
        }
        Ok(AllowedBackends::only(names.into_iter().filter(|name| !DEFAULT_NAMES.contains(&name.as_str()))))
    }

    /// Whether somebody who is limited to the `allowed` backends may use the backend `name`.
    pub fn may_use(&self, name: &str, allowed: &AllowedBackends) -> bool {
        may_use(name, allowed)
    }

    /// All backends: the local one, OpenRouter where it is configured, and the operator's by name.
    pub fn all(&self) -> Vec<NamedBackend> {
        let own = self.named.iter().cloned();
        [self.local_backend()].into_iter().chain(self.openrouter_backend()).chain(own).collect()
    }

    /// The backend of a name.
    pub fn find(&self, name: &str) -> Option<NamedBackend> {
        match name {
            "local" => Some(self.local_backend()),
            "gavel" if !self.local.is_remote() => Some(self.local_backend()),
            "openrouter" => self.openrouter_backend(),
            name => self.named.iter().find(|named| named.backend.name() == name).cloned(),
        }
    }

    pub(super) fn local_backend(&self) -> NamedBackend {
        NamedBackend {
            backend: self.local.clone(),
            price: None,
            max_state_bytes: MAX_INPUT_BYTES,
            external: false,
            shown_as: Backend::Local,
            calibrated_here: false,
        }
    }

    pub(super) fn openrouter_backend(&self) -> Option<NamedBackend> {
        let backend = self.openrouter.clone()?;
        Some(NamedBackend { external: true, shown_as: Backend::Openrouter, backend, ..self.local_backend() })
    }
}

impl NamedBackend {
    /// Whether an answer may take seconds: that of a server, but for the one that replaces the model in process.
    pub(super) fn is_slow(&self) -> bool {
        self.backend.is_remote() && (self.external || self.calibrated_here)
    }
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

/// Whether the backend `name` is among the `allowed` ones, or the default model, which everybody may use.
pub(super) fn may_use(name: &str, allowed: &AllowedBackends) -> bool {
    DEFAULT_NAMES.contains(&name) || allowed.allows(name)
}
