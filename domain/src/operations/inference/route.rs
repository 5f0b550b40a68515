//! Chooses the backends and the model of a request and validates that they are available.

use std::fmt;

use super::{
    backend::{Backend, Inference, NamedBackend},
    size::{MAX_INPUT_BYTES, bytes},
};
use crate::{Code, Error, Result, foundation::allowed_backends::AllowedBackends, money::amount::Amount};
use ports::decision::{CascadeStep, DataBoundary, DecisionState, Parameters};

/// The names of the default model.
const DEFAULT_MODEL: [&str; 2] = ["auto", "gavel-latest"];

/// What a request says of who is to answer it.
#[derive(Clone, Copy)]
pub(crate) struct RouteRequest<'a> {
    pub(crate) backend: Backend,
    pub(crate) model: &'a str,
    /// Whether an unknown model means the default.
    pub(crate) lenient: bool,
    pub(crate) parameters: &'a Parameters,
    pub(crate) state: &'a DecisionState,
    /// The backends that may be asked beside the default model.
    pub(crate) allowed: &'a AllowedBackends,
}

/// The backends to ask in turn.
#[derive(Clone)]
pub(super) struct Route {
    /// At least one, and at least one that is not barred.
    pub(super) steps: Vec<RouteStep>,
    pub(super) how: RouteChoice,
}

/// A backend to ask.
#[derive(Clone)]
pub(super) struct RouteStep {
    pub(super) target: NamedBackend,
    /// The exact model; `None` for the backend's default.
    pub(super) model: Option<String>,
    /// The certainty below which a question goes on to the next step.
    pub(super) below: Option<f64>,
    /// Why it may not be asked.
    pub(super) barred: Option<Barred>,
    /// Whether it costs nothing beyond the steps before.
    pub(super) included: bool,
}

/// A cascade, and where it comes from.
struct GivenCascade<'a> {
    field: &'a str,
    /// Whether the request itself names the steps: one that is not allowed is then refused, and not skipped.
    own: bool,
    steps: &'a [CascadeStep],
}

/// Why a backend may not be asked about a state. As text it completes the sentence "`field` ..".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Barred {
    /// The API key or its account may not use the backend.
    Forbidden { backend: String, allowed: String },
    /// The backend is outside of the data boundary.
    Outside { backend: String },
    /// The state is too long for the backend.
    TooLong { backend: String, most: usize, size: usize },
}

/// What chose the backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteChoice {
    /// `backend: openrouter`.
    Openrouter,
    /// `model` names a model of the local backend.
    Model,
    /// `backend: local`.
    Local,
    /// Nothing was asked for.
    Default,
    /// The default, then OpenRouter when unsure.
    Escalation,
    /// `model` names a backend.
    Named,
    Cascade,
}

/// What a route costs at most: some inferences at the usual price, and an amount; and how many of its steps are slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoutePrice {
    pub(crate) usual: usize,
    pub(crate) fixed: Amount,
    /// Steps whose answers may take seconds.
    pub(crate) slow: usize,
}

impl Inference {
    /// Checks that the deployment's cascade can be asked.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the step.
    pub fn check_cascade(&self) -> Result<()> {
        if self.cascade.is_none() {
            return Ok(());
        }
        let state = DecisionState::parse("state", serde_json::Value::String("a short one".to_owned()))?;
        let request = RouteRequest {
            backend: Backend::Auto,
            model: DEFAULT_MODEL[0],
            lenient: false,
            parameters: &Parameters::default(),
            state: &state,
            allowed: &AllowedBackends::all(),
        };
        Route::find(self, request).map(drop)
    }
}

impl Route {
    /// Chooses the route.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`: a backend is not configured, or may not read this content; `model` is not a possible model
    /// name; the model is unknown here (unless `lenient`). `FORBIDDEN`: a backend is not allowed.
    pub(super) fn find(inference: &Inference, request: RouteRequest<'_>) -> Result<Self> {
        let RouteRequest { backend, model, parameters, .. } = request;
        let asked = (!DEFAULT_MODEL.contains(&model)).then_some(model);
        if backend == Backend::Openrouter {
            let Some(target) = inference.openrouter_backend() else {
                let message = "cannot be openrouter: this server has no OpenRouter key; its operator sets \
                               openrouter_api_key (GAVEL_OPENROUTER_API_KEY)";
                return Err(Error::invalid("backend", message));
            };
            if !is_name(model) {
                return Err(Error::invalid("model", "must be the name of a model, or auto"));
            }
            return Self::to_one(inference, &request, target, asked, RouteChoice::Openrouter);
        }
        let of_parameters = parameters.model.as_deref().filter(|name| !DEFAULT_MODEL.contains(name));
        match (asked, of_parameters) {
            (Some(name), _) => Self::to_model(inference, &request, "model", name),
            (None, Some(name)) => Self::to_model(inference, &request, "parameters.model", name),
            (None, None) if backend == Backend::Auto => Self::by_default(inference, &request),
            (None, None) => {
                Self::to_one(inference, &request, inference.local_backend(), None, RouteChoice::Local)
            }
        }
    }

    /// The most that the route can cost: that of all steps.
    pub(super) fn dearest(&self) -> RoutePrice {
        let mut price = RoutePrice::default();
        for step in self.steps.iter().filter(|step| step.barred.is_none()) {
            price.slow += usize::from(step.target.is_slow());
            if step.included {
                continue;
            }
            match step.target.price {
                None => price.usual += 1,
                Some(amount) => price.fixed = price.fixed.plus(amount).unwrap_or(price.fixed),
            }
        }
        price
    }

    /// Whether a server may be asked, which may charge us, while the client's credits are held.
    pub(super) fn may_call_remote(&self) -> bool {
        self.steps.iter().any(|step| step.barred.is_none() && step.target.backend.is_remote())
    }

    /// The default: a cascade, or the local backend and escalation.
    fn by_default(inference: &Inference, request: &RouteRequest<'_>) -> Result<Self> {
        if let Some(steps) = &request.parameters.cascade {
            let given =
                GivenCascade { field: "parameters.cascade", own: request.parameters.own_cascade, steps };
            return Self::over(inference, request, given);
        }
        if let Some(steps) = &inference.cascade {
            return Self::over(inference, request, GivenCascade { field: "cascade", own: false, steps });
        }
        let local = inference.local_backend();
        let Some((openrouter, below)) = inference.openrouter_backend().zip(inference.escalate_below) else {
            return Self::to_one(inference, request, local, None, RouteChoice::Default);
        };
        let mut first = RouteStep::new(inference, request, local, None);
        first.below = Some(below);
        let mut second = RouteStep::new(inference, request, openrouter, None);
        second.included = true;
        Ok(Self { steps: vec![first, second], how: RouteChoice::Escalation })
    }

    fn over(inference: &Inference, request: &RouteRequest<'_>, cascade: GivenCascade<'_>) -> Result<Self> {
        let GivenCascade { field, own, steps: cascade } = cascade;
        let mut steps: Vec<RouteStep> = Vec::with_capacity(cascade.len());
        for (at, CascadeStep { backend, below }) in cascade.iter().enumerate() {
            let field = format!("{field}[{at}].backend");
            let (name, model) = parts(backend);
            let target = inference.find(name).ok_or_else(|| unknown_backend(inference, &field, name))?;
            let model = known_model(&field, &target, model)?;
            let again = steps.iter().any(|earlier| {
                earlier.target.backend.name() == target.backend.name() && earlier.model == model
            });
            if again {
                let message = format!("must not be `{backend}` again: a cascade has no cycle");
                return Err(Error::invalid(field, message));
            }
            let mut step = RouteStep::new(inference, request, target, model);
            step.below = *below;
            match &step.barred {
                Some(why @ Barred::Forbidden { .. }) if own => {
                    return Err(why.error(why.field(), why.to_string()));
                }
                _ => steps.push(step),
            }
        }
        match steps.first().and_then(|step| step.barred.as_ref()) {
            Some(why) if steps.iter().all(|step| step.barred.is_some()) => {
                Err(why.error(field, format!("has no step that may be asked: {why}")))
            }
            _ => Ok(Self { steps, how: RouteChoice::Cascade }),
        }
    }

    /// The backend or the model of a name.
    fn to_model(inference: &Inference, request: &RouteRequest<'_>, field: &str, name: &str) -> Result<Self> {
        let local = inference.local_backend();
        let known = inference.local.models();
        if known.iter().any(|model| model.name == name) {
            return Self::to_one(inference, request, local, Some(name), RouteChoice::Model);
        }
        let (backend, model) = parts(name);
        if let Some(target) = inference.find(backend) {
            let model = known_model(field, &target, model)?;
            return Self::to_one(inference, request, target, model.as_deref(), RouteChoice::Named);
        }
        if request.lenient {
            return Self::to_one(inference, request, local, None, RouteChoice::Default);
        }
        if inference.local.takes_any_model() && is_name(name) {
            return Self::to_one(inference, request, local, Some(name), RouteChoice::Model);
        }
        let models = known.iter().map(|model| model.name.as_str());
        let names: Vec<&str> = DEFAULT_MODEL.into_iter().chain(models).chain(inference.names()).collect();
        Err(Error::invalid(field, format!("must be one of: {}", names.join(", "))))
    }

    fn to_one(
        inference: &Inference,
        request: &RouteRequest<'_>,
        target: NamedBackend,
        model: Option<&str>,
        how: RouteChoice,
    ) -> Result<Self> {
        let step = RouteStep::new(inference, request, target, model.map(str::to_owned));
        match step.barred {
            Some(why) => Err(why.error(why.field(), why.to_string())),
            None => Ok(Self { steps: vec![step], how }),
        }
    }
}

impl Barred {
    /// The field of the request that is at fault.
    pub(super) fn field(&self) -> &'static str {
        match self {
            Self::Forbidden { .. } | Self::Outside { .. } => "backend",
            Self::TooLong { .. } => "state",
        }
    }

    /// The error that says `what` about a field.
    fn error(&self, field: &str, what: String) -> Error {
        match self {
            Self::Forbidden { .. } => Error::new(Code::Forbidden, format!("{field} {what}")),
            Self::Outside { .. } | Self::TooLong { .. } => Error::invalid(field, what),
        }
    }
}

impl fmt::Display for Barred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden { backend, allowed } => {
                write!(f, "must not be {backend}: this API key or its account may use only {allowed}")
            }
            Self::Outside { backend } => {
                write!(f, "must not be {backend}: data_boundary is local, and {backend} is outside of it")
            }
            Self::TooLong { backend, most, size } => write!(
                f,
                "must be at most {most} bytes for the backend {backend} (its max_state_bytes), not {size}"
            ),
        }
    }
}

impl RoutePrice {
    /// The amount, where an inference usually costs `usual`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it overflows.
    pub(crate) fn of(self, usual: Amount) -> Result<Amount> {
        usual.times(self.usual)?.plus(self.fixed)
    }
}

impl RouteStep {
    fn new(
        inference: &Inference,
        request: &RouteRequest<'_>,
        target: NamedBackend,
        model: Option<String>,
    ) -> Self {
        let boundary = inference.data_boundary.and(request.parameters.data_boundary);
        let barred = forbidden(inference, &target, request.allowed)
            .or_else(|| barred(&target, boundary, request.state));
        Self { target, model, below: None, barred, included: false }
    }

    /// What an answer of this step costs.
    pub(super) fn price(&self, usual: Amount) -> Amount {
        if self.included { Amount::default() } else { self.target.price.unwrap_or(usual) }
    }
}

/// Whether a backend may not be used, whatever the state. The default model, in process or the server in its place, may
/// always be.
fn forbidden(inference: &Inference, target: &NamedBackend, allowed: &AllowedBackends) -> Option<Barred> {
    let backend = target.backend.name();
    if inference.may_use(backend, allowed) {
        return None;
    }
    let names = inference.names().into_iter().filter(|name| inference.may_use(name, allowed));
    Some(Barred::Forbidden { backend: backend.to_owned(), allowed: names.collect::<Vec<_>>().join(", ") })
}

/// Why a backend may not read a state.
fn barred(target: &NamedBackend, boundary: DataBoundary, state: &DecisionState) -> Option<Barred> {
    let backend = target.backend.name().to_owned();
    if target.external && boundary == DataBoundary::Local {
        return Some(Barred::Outside { backend });
    }
    let most = target.max_state_bytes;
    if most >= MAX_INPUT_BYTES {
        return None;
    }
    let size = bytes(state).unwrap_or(usize::MAX);
    (size > most).then_some(Barred::TooLong { backend, most, size })
}

/// The name of a backend, and that of its model if there is one.
pub(super) fn parts(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(backend, model)| (backend, Some(model)))
}

/// Checks that a backend may be asked for a model.
pub(super) fn known_model(field: &str, target: &NamedBackend, model: Option<&str>) -> Result<Option<String>> {
    let Some(model) = model else { return Ok(None) };
    let backend = target.backend.name();
    if !is_name(model) {
        return Err(Error::invalid(field, format!("must have the name of a model after `{backend}/`")));
    }
    let models = target.backend.models();
    if target.backend.takes_any_model() || models.iter().any(|known| known.name == model) {
        return Ok(Some(model.to_owned()));
    }
    let names: Vec<&str> = models.iter().map(|known| known.name.as_str()).collect();
    Err(Error::invalid(field, format!("must name a model of {backend}: {}", names.join(", "))))
}

pub(super) fn unknown_backend(inference: &Inference, field: &str, name: &str) -> Error {
    let names = inference.names().join(", ");
    Error::invalid(field, format!("is not a backend of this server: `{name}`; these are: {names}"))
}

/// Checks that a model could have this name: a name that is passed on is not validated further, but it is recorded.
fn is_name(model: &str) -> bool {
    !model.trim().is_empty() && !model.contains('\0')
}
