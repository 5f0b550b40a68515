//! Answers an inference request and charges for it.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    answer::{Answer, Answers},
    backend::{Backend, Inference},
    cascade::{self, Cascaded},
    route::{Route, RoutePrice, RouteRequest},
    routing::Routing,
    schema::OutputSchema,
};
use crate::{
    Result,
    foundation::{allowed_backends::AllowedBackends, round, tenant::Tenant},
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        pricing::Operation,
    },
};
use ports::decision::{
    CheckpointRef, DecisionInput, DecisionMode, DecisionState, Parameters, Question, QuestionKind, Usage,
};
use ports::id::{CheckpointId, InferenceId, JudgeId};
use ports::{Flow, RequestGroup};

/// A validated request.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceRequest {
    /// The input of the decision.
    pub state: DecisionState,
    /// The questions; never empty.
    pub questions: Vec<Question>,
    /// The schema of the object that the questions stand for, if there is one.
    #[serde(skip)]
    pub output: Option<Arc<OutputSchema>>,
    /// The requested backend.
    pub backend: Backend,
    /// The requested model; `auto` for the default.
    pub model: String,
    /// True when an unknown model means the default, as on the compatibility routes.
    pub lenient_model: bool,
    /// Whether questions are answered separately or together.
    pub mode: DecisionMode,
    pub parameters: Parameters,
    /// The Checkpoint to answer with where the local model answers. Not part of what the client asked for, so that a
    /// request that is sent again is the same request.
    #[serde(skip)]
    pub checkpoint: Option<CheckpointRef>,
}

/// The answers to one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inferred {
    /// `inf_…`
    pub id: InferenceId,
    pub backend: String,
    /// Name with version.
    pub model: String,
    /// Answers by key, in the questions' order.
    pub answers: Answers,
    /// The most probable object, for questions that came as a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    pub routing: Routing,
    /// The parameters in effect.
    pub parameters: Map<String, Value>,
    pub usage: Usage,
    /// Milliseconds from the first question read to the last answer.
    pub latency_ms: f64,
    /// The server and its model, such as `ollama/qwen3:8b`, by the key of each question that a server answered.
    #[serde(skip)]
    pub server_models: BTreeMap<String, String>,
    /// The Checkpoint that answered, or corrected the answers of a server, if one did.
    pub checkpoint: Option<CheckpointId>,
    /// The Judge of the request, if any.
    pub judge: Option<JudgeId>,
    /// True when the Judge's dataset will have the sample once the charge is committed.
    pub logged: bool,
    /// What it is charged: the sum of the backends that answered.
    #[serde(skip)]
    pub price: Amount,
}

impl Billable for Inferred {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

/// Builds the row that records the answers to a request.
pub type Record = Box<dyn FnOnce(&Inferred) -> SideRow + Send>;

/// The Judge part of an inference.
pub struct JudgeRun {
    pub judge: JudgeId,
    /// Builds the row that records the answers in the commit of the charge; `None` when they are not recorded.
    pub record: Option<Record>,
}

impl Inference {
    /// Answers questions, charged once.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, and `FORBIDDEN` for a backend that the payer may not use, before any backend is called;
    /// `INSUFFICIENT_CREDITS`; `ENGINE_UNAVAILABLE`,
    /// `UPSTREAM_FAILED` or `OVERLOADED` when no backend could answer. Nothing is charged then.
    pub async fn infer(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        request: InferenceRequest,
        judge: Option<JudgeRun>,
    ) -> Result<Paid<Inferred>> {
        let inference = self.clone();
        let route = self.route(&request, &payment.backends)?;
        let flow = Flow::from(&payment.account);
        let usual = billing.prices.of(Operation::Inference).await?;
        let dearest = route.dearest().of(usual)?;
        let cost = if route.may_call_remote() { Cost::Held(dearest) } else { Cost::Reserved(dearest) };
        let work = async move {
            let mut outcome = inference.answer(request, route, flow, None, usual).await?;
            let side_row = judge.and_then(|judge| judge.recorded(&mut outcome));
            let price = Some(outcome.price);
            Ok(Done { outcome, side_rows: side_row.into_iter().collect(), price })
        };
        billing.run(payment, cost, work).await
    }
}

impl JudgeRun {
    /// Names the Judge in the answer; returns the row that records it, if any.
    pub(crate) fn recorded(self, outcome: &mut Inferred) -> Option<SideRow> {
        outcome.judge = Some(self.judge);
        outcome.logged = self.record.is_some();
        self.record.map(|record| record(outcome))
    }
}

/// Answers without a charge, for the command line.
///
/// # Errors
/// The errors of [`Inference::infer`] except `INSUFFICIENT_CREDITS`.
pub async fn answer(inference: &Inference, request: InferenceRequest) -> Result<Inferred> {
    let route = inference.route(&request, &AllowedBackends::all())?;
    inference.answer(request, route, Flow::default(), None, Amount::default()).await
}

impl Inference {
    /// Answers a request whose charge somebody else makes. `usual` is the price of a backend without one of its own.
    ///
    /// # Errors
    /// The errors of [`Inference::infer`] except `INSUFFICIENT_CREDITS`.
    pub(crate) async fn evaluate(
        &self,
        request: InferenceRequest,
        tenant: &Tenant,
        usual: Amount,
    ) -> Result<Inferred> {
        let route = self.route(&request, &tenant.backends)?;
        self.answer(request, route, Flow::from(tenant), None, usual).await
    }

    /// Checks that a request for these backends can be answered here; returns the most that it can cost.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; `FORBIDDEN` for a backend that is not allowed.
    pub(crate) fn check_route(&self, request: RouteRequest<'_>) -> Result<RoutePrice> {
        Ok(Route::find(self, request)?.dearest())
    }

    /// Checks that a request can be answered here by the `allowed` backends; returns the most that it can cost.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; `FORBIDDEN` for a backend that is not allowed.
    pub(crate) fn check(&self, request: &InferenceRequest, allowed: &AllowedBackends) -> Result<RoutePrice> {
        Ok(self.route(request, allowed)?.dearest())
    }

    pub(super) fn route(&self, request: &InferenceRequest, allowed: &AllowedBackends) -> Result<Route> {
        let request = RouteRequest {
            backend: request.backend,
            model: &request.model,
            lenient: request.lenient_model,
            parameters: &request.parameters,
            state: &request.state,
            allowed,
        };
        Route::find(self, request)
    }

    pub(super) async fn answer(
        &self,
        request: InferenceRequest,
        route: Route,
        flow: Flow,
        group: Option<RequestGroup>,
        usual: Amount,
    ) -> Result<Inferred> {
        let start = Instant::now();
        let wanted = request.checkpoint.as_ref().map(|checkpoint| checkpoint.id.clone());
        let input = DecisionInput {
            state: request.state.value().clone(),
            questions: Arc::from(request.questions),
            mode: request.mode,
            model: None,
            flow,
            group,
            checkpoint: request.checkpoint,
            parameters: request.parameters,
        };
        let mut cascaded = cascade::run(self, &input, &route, usual).await?;
        cascaded.explain(&input);
        let checkpoint = wanted.filter(|id| cascaded.recalibrated || cascaded.answered_by(id));
        let output = request.output.map(|schema| schema.object(&cascaded.answers)).transpose()?;
        let Cascaded { answers, backend, model, server_models, usage, price, reason, steps, .. } = cascaded;
        Ok(Inferred {
            id: InferenceId::new(),
            backend: backend.as_str().to_owned(),
            routing: Routing { model: model.clone(), reason, steps },
            model,
            answers,
            output,
            parameters: input.parameters.applied(),
            usage,
            latency_ms: round::milliseconds(start.elapsed().as_secs_f64() * 1e3),
            server_models,
            checkpoint,
            judge: None,
            logged: false,
            price,
        })
    }
}

impl Cascaded {
    /// Adds to the reason how the input was read.
    fn explain(&mut self, input: &DecisionInput) {
        if input.questions.iter().any(|question| question.kind == QuestionKind::Prompt)
            && self.answers.iter().any(|(_, answer)| matches!(answer, Answer::Noul { .. }))
        {
            self.reason.push_str(
                "; this model decides and writes no text, so the prompt was read as a yes/no question",
            );
        }
        if input.checkpoint.is_some() && self.remote && !self.recalibrated {
            self.reason
                .push_str("; the Judge's Checkpoint was not used, since only the model in process takes one");
        }
        for note in &self.notes {
            self.reason.push_str("; ");
            self.reason.push_str(note);
        }
    }

    /// Whether a model says that this Checkpoint decided.
    fn answered_by(&self, checkpoint: &CheckpointId) -> bool {
        self.models.iter().any(|model| model.split_once('+').is_some_and(|(_, id)| id == checkpoint.as_str()))
    }
}
