//! A backend that something else than an inference asks, by its name in a setting.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    answer::Answers,
    ask::{Corrections, ask_corrected, slow},
    backend::{Backend, Inference, NamedBackend, may_use},
    calibrations::Calibrations,
    cascade::counts,
    route::{Barred, RoutePrice, RouteRequest, known_model, parts, unknown_backend},
    size::bytes,
    tally::{TalliedAnswer, Tallies},
};
use crate::{Error, Result, foundation::allowed_backends::AllowedBackends, money::amount::Amount};
use ports::decision::{DataBoundary, DecisionBackend, DecisionInput, DecisionState, Parameters};

/// A backend and a model of it. Cheap to clone.
#[derive(Clone)]
pub struct NamedModel {
    target: NamedBackend,
    /// The exact model; `None` for the backend's default.
    model: Option<String>,
    calibrations: Option<Calibrations>,
    tallies: Tallies,
}

/// What it says.
pub(crate) struct NamedAnswer {
    /// In the questions' order.
    pub(crate) answers: Answers,
    /// The exact model.
    pub(crate) model: String,
    /// What a user should know, if the probabilities were to be calibrated and are not.
    pub(crate) uncalibrated: Option<String>,
}

impl Inference {
    /// The backend that a setting names, as `NAME` or `NAME/model`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the setting, for a backend or model that there is not, or one outside of the data
    /// boundary.
    pub fn model_of_setting(&self, setting: &str, name: &str) -> Result<NamedModel> {
        let (backend, model) = parts(name);
        let target = self.find(backend).ok_or_else(|| unknown_backend(self, setting, backend))?;
        let model = known_model(setting, &target, model)?;
        self.own_model(setting, NamedModel { model, ..NamedModel::of(target) })
    }

    /// A backend with settings of its own, which `setting` stands for.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the setting, for a backend outside of the data boundary.
    pub fn own_model_of_setting(
        &self,
        setting: &str,
        backend: Arc<dyn DecisionBackend>,
        external: bool,
    ) -> Result<NamedModel> {
        let target = NamedBackend { backend, external, ..self.local_backend() };
        self.own_model(setting, NamedModel::of(target))
    }

    /// Checks that a backend of this name can be asked with these parameters, and is allowed; returns what an inference
    /// costs at most.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming `field`, for a name that no backend has; `FORBIDDEN` for one that is not allowed; and
    /// those of a request that names it.
    pub(crate) fn check_backend(
        &self,
        field: &str,
        name: &str,
        parameters: &Parameters,
        allowed: &AllowedBackends,
    ) -> Result<RoutePrice> {
        let (backend, _) = parts(name);
        if self.find(backend).is_none() {
            return Err(unknown_backend(self, field, backend));
        }
        let state = DecisionState::parse("state", serde_json::Value::String("a short one".to_owned()))?;
        self.check_route(RouteRequest {
            backend: Backend::Auto,
            model: name,
            lenient: false,
            parameters,
            state: &state,
            allowed,
        })
    }

    fn own_model(&self, setting: &str, named: NamedModel) -> Result<NamedModel> {
        if named.target.external && self.data_boundary == DataBoundary::Local {
            let outside = Barred::Outside { backend: named.name().to_owned() };
            return Err(Error::invalid(setting, outside.to_string()));
        }
        Ok(NamedModel { calibrations: self.calibrations.clone(), tallies: self.tallies.clone(), ..named })
    }
}

impl NamedModel {
    fn of(target: NamedBackend) -> Self {
        Self { target, model: None, calibrations: None, tallies: Tallies::default() }
    }

    /// The backend's name.
    pub(crate) fn name(&self) -> &'static str {
        self.target.backend.name()
    }

    /// Whether somebody who is limited to the `allowed` backends may use it.
    pub(crate) fn is_allowed(&self, allowed: &AllowedBackends) -> bool {
        may_use(self.name(), allowed)
    }

    /// Asks the model and waits for at most `timeout`. The call is not charged.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a state that is too large for it, and what it refuses; `UPSTREAM_FAILED`,
    /// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
    pub(crate) async fn ask(&self, input: DecisionInput, timeout: Duration) -> Result<NamedAnswer> {
        let start = Instant::now();
        let asked = tokio::time::timeout(timeout, self.ask_untimed(input));
        let answered = asked.await.unwrap_or_else(|_| Err(slow(self.name(), timeout.as_secs_f64())));
        match &answered {
            Ok((_, cost)) => {
                let took = start.elapsed();
                self.tallies
                    .answered(self.name(), TalliedAnswer { took, price: Amount::default(), cost: *cost });
            }
            Err(error) if counts(error.code) => self.tallies.failed(self.name()),
            Err(_) => {}
        }
        Ok(answered?.0)
    }

    /// The answer, and what it cost the operator.
    async fn ask_untimed(&self, input: DecisionInput) -> Result<(NamedAnswer, Option<f64>)> {
        let size = bytes(&input.state)?;
        let most = self.target.max_state_bytes;
        if size > most {
            let too_long = Barred::TooLong { backend: self.name().to_owned(), most, size };
            return Err(Error::invalid(too_long.field(), too_long.to_string()));
        }
        let calibration = match &self.calibrations {
            Some(calibrations) if self.target.calibrated_here => calibrations.of(self.name()).await,
            _ => None,
        };
        let input = DecisionInput { model: self.model.clone(), ..input };
        let corrections = Corrections { calibration: calibration.as_deref(), ..Corrections::default() };
        let answered = ask_corrected(self.target.backend.as_ref(), &input, corrections).await?;
        let uncalibrated = answered.calibration.note().filter(|_| self.target.calibrated_here);
        let answer = NamedAnswer { answers: answered.answers, model: answered.decision.model, uncalibrated };
        Ok((answer, answered.decision.usage.cost))
    }
}
