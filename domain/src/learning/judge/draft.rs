//! A request from a client, which inherits instructions and parameters from its Judge and may be recorded in the
//! Judge's dataset.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{ActiveJudge, validate::validate_recordable};
use crate::{
    Error, Result,
    foundation::allowed_backends::AllowedBackends,
    learning::sample::{NewAnswer, NewSample, Source},
    operations::inference::{
        Asked, Backend, Inference, InferenceRequest, Inferred, InstructionLimits, JudgeRun, Record,
        RoutePrice, RouteRequest, within,
    },
};
use ports::decision::{DataBoundary, DecisionMode, DecisionState, Parameters};
use ports::id::{AccountId, DatasetId, JudgeId, SampleId};

/// A request from a client, which may leave instructions and parameters to a Judge.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceDraft {
    /// The input of the decision.
    pub state: DecisionState,
    /// The questions, which replace the Judge's.
    pub instructions: Option<Value>,
    /// The field that they came in.
    #[serde(skip)]
    pub asked_in: &'static str,
    /// The requested backend.
    pub backend: Backend,
    /// The requested model; `auto` for the default.
    pub model: String,
    /// Questions alone or together.
    pub mode: DecisionMode,
    /// Parameters of the inference; each overrides the Judge's of the same name.
    pub parameters: Map<String, Value>,
    /// The Judge's id, as the client sent it.
    pub judge: Option<String>,
}

/// A draft that passed every check that needs no Judge.
#[derive(Clone, Debug, Serialize)]
pub struct ValidDraft {
    draft: InferenceDraft,
    /// The questions of its own instructions.
    #[serde(skip)]
    asked: Option<Asked>,
    #[serde(skip)]
    judge: Option<JudgeId>,
}

/// The same request about several states, which passed every check that needs no Judge.
#[derive(Clone, Debug, Serialize)]
pub struct ValidDrafts {
    /// That about the first state.
    draft: ValidDraft,
    states: Vec<DecisionState>,
}

impl InferenceDraft {
    /// Like [`validate`](Self::validate), for a request about several states, of which this one's state is the first.
    ///
    /// # Errors
    /// Like `validate`; the states may be as large together as one alone.
    pub fn validate_each(self, states: Vec<DecisionState>) -> Result<ValidDrafts> {
        if let Some(own) = &self.instructions {
            within("states", &states, "instructions", own)?;
        }
        Ok(ValidDrafts { draft: self.validate()?, states })
    }

    /// Validates what can be validated without reading the Judge. Instructions may be missing when a Judge is
    /// named.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; then `NOT_FOUND` for a malformed Judge id.
    pub fn validate(mut self) -> Result<ValidDraft> {
        let own = self.instructions.as_ref();
        let asked = own.map(|own| Asked::parse(self.asked_in, own, InstructionLimits::OWN)).transpose()?;
        if let Some(own) = own {
            within("state", &self.state, "instructions", own)?;
        }
        Parameters::parse(&self.parameters)?;
        self.leave_out_defaults();
        if asked.is_none() && self.judge.is_none() {
            return Err(Error::invalid("instructions", "is required unless the request names a Judge"));
        }
        let judge = self.judge.as_deref().map(JudgeId::parse).transpose()?;
        Ok(ValidDraft { draft: self, asked, judge })
    }

    /// Leaves out parameters that mean the same when they are missing, so that both are one request. With a Judge, a
    /// missing temperature is the Judge's.
    fn leave_out_defaults(&mut self) {
        self.parameters.retain(|name, value| !Parameters::is_absent(name, value));
        let temperature = self.parameters.get("temperature").and_then(Value::as_f64);
        if self.judge.is_none() && temperature == Some(Parameters::default().temperature) {
            self.parameters.shift_remove("temperature");
        }
    }
}

impl ValidDrafts {
    /// The Judge that the request names.
    pub(super) fn judge(&self) -> Option<&JudgeId> {
        self.draft.judge()
    }

    /// Checks that the states are not too large together with the instructions of a Judge, if they are asked.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for `states`.
    pub(super) fn check_size(&self, judge: &ActiveJudge) -> Result<()> {
        match self.draft.asked {
            Some(_) => Ok(()),
            None => within("states", &self.states, "instructions", &judge.judge.version.instructions),
        }
    }

    /// A request for each state, in order.
    pub(super) fn each(self) -> impl Iterator<Item = ValidDraft> {
        let Self { draft: ValidDraft { draft, asked, judge }, states } = self;
        states.into_iter().map(move |state| ValidDraft {
            draft: InferenceDraft { state, ..draft.clone() },
            asked: asked.clone(),
            judge: judge.clone(),
        })
    }
}

impl ValidDraft {
    /// The Judge that the request names.
    pub(crate) fn judge(&self) -> Option<&JudgeId> {
        self.judge.as_ref()
    }

    /// The input of the decision.
    pub(super) fn state(&self) -> &DecisionState {
        &self.draft.state
    }

    /// Checks that the request's backends can answer here and are allowed, with the parameters of its Judge; returns
    /// the most that it can cost.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; `FORBIDDEN` for a backend that is not allowed.
    pub(crate) fn check_route(
        &self,
        inference: &Inference,
        allowed: &AllowedBackends,
        judge: Option<&Map<String, Value>>,
    ) -> Result<RoutePrice> {
        let judge = judge.cloned().unwrap_or_default();
        let parameters = merged(judge, self.draft.parameters.clone())?;
        inference.check_route(RouteRequest {
            backend: self.draft.backend,
            model: &self.draft.model,
            lenient: false,
            parameters: &parameters,
            state: &self.draft.state,
            allowed,
        })
    }

    /// Completes the request with the instructions and parameters of its Judge. `in_batch`: its charge is a part of one
    /// for several requests.
    pub(super) fn complete(
        self,
        account: &AccountId,
        judge: Option<&ActiveJudge>,
        in_batch: bool,
    ) -> Result<(InferenceRequest, Option<JudgeRun>)> {
        let ValidDraft { draft, mut asked, .. } = self;
        let mut parameters = Map::new();
        let mut run = None;
        let mut checkpoint = None;
        if let Some(active @ ActiveJudge { judge, records, .. }) = judge {
            match &asked {
                Some(own) if judge.store_content => validate_recordable(&own.questions)?,
                Some(_) => {}
                None => {
                    within("state", &draft.state, "instructions", &judge.version.instructions)?;
                    asked = Some(active.asked()?);
                }
            }
            let recorded = Recorded {
                account: account.clone(),
                judge: judge.id.clone(),
                version: judge.version.number,
                state: draft.state.clone(),
                instructions: draft.instructions,
                in_batch,
            };
            let record = records.then(|| recorded.into_record());
            run = Some(JudgeRun { judge: judge.id.clone(), record });
            parameters = judge.version.parameters.clone();
            checkpoint = judge.checkpoint.clone();
        }
        let (questions, output) =
            asked.map_or_else(Default::default, |asked| (asked.questions, asked.output));
        let request = InferenceRequest {
            state: draft.state,
            questions,
            output,
            backend: draft.backend,
            model: draft.model,
            lenient_model: false,
            mode: draft.mode,
            parameters: merged(parameters, draft.parameters)?,
            checkpoint,
        };
        Ok((request, run))
    }
}

/// The parameters of a Judge, overridden by those of a request. A request can narrow the Judge's data boundary, and not
/// widen it.
fn merged(mut judge: Map<String, Value>, request: Map<String, Value>) -> Result<Parameters> {
    let narrower = boundary(&judge)?.and(boundary(&request)?);
    let own_cascade = request.get("cascade").is_some_and(|cascade| !cascade.is_null());
    let given = request.into_iter().filter(|(name, value)| !Parameters::is_absent(name, value));
    for (name, value) in given {
        // Each says who is asked.
        match name.as_str() {
            "cascade" => judge.shift_remove("model"),
            "model" => judge.shift_remove("cascade"),
            _ => None,
        };
        judge.insert(name, value);
    }
    Ok(Parameters { data_boundary: narrower, own_cascade, ..Parameters::parse(&judge)? })
}

fn boundary(parameters: &Map<String, Value>) -> Result<DataBoundary> {
    match parameters.get("data_boundary") {
        Some(value) if !value.is_null() => Ok(DataBoundary::parse("parameters.data_boundary", value)?),
        _ => Ok(DataBoundary::Any),
    }
}

/// The parts of a request that are recorded with its answers.
struct Recorded {
    account: AccountId,
    judge: JudgeId,
    version: i32,
    state: DecisionState,
    instructions: Option<Value>,
    in_batch: bool,
}

impl Recorded {
    fn into_record(self) -> Record {
        Box::new(move |inferred| {
            Arc::new(NewSample {
                id: SampleId::new(),
                account: self.account,
                dataset: DatasetId::from(&self.judge),
                version: self.version,
                source: Source::Inference,
                state: self.state.into_value(),
                instructions: self.instructions,
                model: Some(inferred.model.clone()),
                backend: Some(inferred.backend.clone()),
                latency_ms: Some(inferred.latency_ms),
                credits: self.in_batch.then_some(inferred.price),
                checkpoint: inferred.checkpoint.clone(),
                answers: answers(inferred),
                moderation: None,
            })
        })
    }
}

/// The answers to record.
fn answers(inferred: &Inferred) -> Vec<NewAnswer> {
    let answers = inferred.answers.iter().map(|(key, answer)| NewAnswer {
        server_model: inferred.server_models.get(key).cloned(),
        ..NewAnswer::of(key, answer)
    });
    answers.collect()
}
