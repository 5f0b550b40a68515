//! Answers an inference request and charges for it.

use std::{sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::{
    answer::{Answer, Answers},
    backend::{Backend, Inference},
    route::Route,
    schema::OutputSchema,
    validate,
};
use crate::{
    Code, Error, Result,
    foundation::round,
    money::{
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        pricing::Operation,
    },
};
use ports::decision::{
    CheckpointRef, Decision, DecisionBackend, DecisionFault, DecisionInput, DecisionMode, DecisionState,
    Parameters, Question, QuestionKind, Usage,
};
use ports::id::{CheckpointId, InferenceId, JudgeId};
use ports::{EngineError, Flow};

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
    /// The Checkpoint that answered, if one did.
    #[serde(default)]
    pub checkpoint: Option<CheckpointId>,
    /// The Judge of the request, if any.
    #[serde(default)]
    pub judge: Option<JudgeId>,
    /// True when the Judge's dataset will have the sample once the charge is committed.
    #[serde(default)]
    pub logged: bool,
}

/// The reason for the choice of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routing {
    pub model: String,
    /// The reason, for users.
    pub reason: String,
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
    /// `VALIDATION_FAILED` before any backend is called; `INSUFFICIENT_CREDITS`; `ENGINE_UNAVAILABLE`,
    /// `UPSTREAM_FAILED` or `OVERLOADED` when no backend could answer. Nothing is charged then.
    pub async fn infer(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        request: InferenceRequest,
        judge: Option<JudgeRun>,
    ) -> Result<Paid<Inferred>> {
        let inference = self.clone();
        let route = self.route(&request)?;
        let flow = Flow::from(&payment.account);
        let price = billing.prices.of(Operation::Inference).await?;
        let cost = if self.may_call_remote(&route) { Cost::Held(price) } else { Cost::Reserved(price) };
        let work = async move {
            let mut outcome = inference.answer(request, route, flow).await?;
            let side_row = judge.and_then(|judge| judge.recorded(&mut outcome));
            Ok(Done { outcome, side_rows: side_row.into_iter().collect() })
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
    inference.evaluate(request, Flow::default()).await
}

impl Inference {
    /// Answers a request whose charge somebody else makes.
    ///
    /// # Errors
    /// The errors of [`Inference::infer`] except `INSUFFICIENT_CREDITS`.
    pub(crate) async fn evaluate(&self, request: InferenceRequest, flow: Flow) -> Result<Inferred> {
        let route = self.route(&request)?;
        self.answer(request, route, flow).await
    }

    /// Checks that a request for this backend and model can be answered here.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field.
    pub(crate) fn check_route(&self, backend: Backend, model: &str) -> Result<()> {
        Route::find(self, backend, model, false).map(drop)
    }

    /// Checks that a request can be answered here.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field.
    pub(crate) fn check(&self, request: &InferenceRequest) -> Result<()> {
        self.route(request).map(drop)
    }

    fn route(&self, request: &InferenceRequest) -> Result<Route> {
        Route::find(self, request.backend, &request.model, request.lenient_model)
    }

    /// Returns true when the route may call a remote backend, which may charge us, while the client's credits are
    /// held.
    fn may_call_remote(&self, route: &Route) -> bool {
        route.openrouter || route.escalates || self.local.is_remote()
    }

    async fn answer(&self, request: InferenceRequest, route: Route, flow: Flow) -> Result<Inferred> {
        let start = Instant::now();
        let wanted = request.checkpoint.as_ref().map(|checkpoint| checkpoint.id.clone());
        let input = DecisionInput {
            state: request.state.value().clone(),
            questions: Arc::from(request.questions),
            mode: request.mode,
            model: route.model.clone(),
            flow,
            checkpoint: request.checkpoint,
            parameters: request.parameters,
        };
        let (answered, mut reason) = match &self.openrouter {
            Some(openrouter) if route.openrouter => {
                (ask(openrouter.as_ref(), &input).await?, "backend openrouter was asked for".to_owned())
            }
            _ => self.answer_locally(&input, &route, request.backend).await?,
        };
        if input.questions.iter().any(|question| question.kind == QuestionKind::Prompt)
            && answered.answers.iter().any(|(_, answer)| matches!(answer, Answer::Noul { .. }))
        {
            reason.push_str(
                "; this model decides and writes no text, so the prompt was read as a yes/no question",
            );
        }
        if input.checkpoint.is_some() && answered.remote {
            reason
                .push_str("; the Judge's Checkpoint was not used, since only the model in process takes one");
        }
        for note in &answered.decision.notes {
            reason.push_str("; ");
            reason.push_str(note);
        }
        let checkpoint = wanted.filter(|id| answered.decision.answered_by(id));
        let output = request.output.map(|schema| schema.object(&answered.answers)).transpose()?;
        Ok(Inferred {
            id: InferenceId::new(),
            backend: answered.backend.to_owned(),
            routing: Routing { model: answered.decision.model.clone(), reason },
            model: answered.decision.model,
            answers: answered.answers,
            output,
            parameters: input.parameters.applied(),
            usage: answered.decision.usage,
            latency_ms: round::milliseconds(start.elapsed().as_secs_f64() * 1e3),
            checkpoint,
            judge: None,
            logged: false,
        })
    }

    async fn answer_locally(
        &self,
        input: &DecisionInput,
        route: &Route,
        asked: Backend,
    ) -> Result<(Answered, String)> {
        let answered = ask(self.local.as_ref(), input).await?;
        let reason_local = match (asked, &route.model) {
            (_, Some(_)) => "the model that was asked for",
            (Backend::Local, None) => "backend local was asked for",
            _ => "the default: local",
        };
        let escalation = self.openrouter.as_deref().zip(self.escalate_below).filter(|_| route.escalates);
        let Some((openrouter, below)) = escalation else {
            return Ok((answered, reason_local.to_owned()));
        };
        let certainty =
            answered.answers.iter().filter_map(|(_, answer)| answer.certainty()).fold(1.0, f64::min);
        if certainty >= below {
            return Ok((answered, format!("{reason_local}; sure enough ({certainty:.2} of {below} needed)")));
        }
        match ask(openrouter, input).await {
            Ok(second) => Ok((
                second,
                format!("escalated: the local answer's certainty {certainty:.2} is under {below}"),
            )),
            Err(error) => {
                tracing::warn!(%error, cause = ?error.cause, "an escalation failed; the local answer stands");
                Ok((
                    answered,
                    format!("{reason_local}; unsure ({certainty:.2} of {below}), but the escalation failed"),
                ))
            }
        }
    }
}

/// A backend's output, validated.
pub(crate) struct Answered {
    pub(crate) backend: &'static str,
    /// Whether the backend is a server.
    pub(crate) remote: bool,
    pub(crate) decision: Decision,
    pub(crate) answers: Answers,
}

/// Calls one backend and parses its answers.
pub(crate) async fn ask(backend: &dyn DecisionBackend, input: &DecisionInput) -> Result<Answered> {
    let start = Instant::now();
    let name = backend.name();
    let span = tracing::info_span!("engine", engine = name, questions = input.questions.len());
    let said = backend.decide(input.clone()).instrument(span).await;
    let outcome = if said.is_ok() { "answered" } else { "failed" };
    metrics::counter!("gavel_backend_requests_total", "backend" => name, "outcome" => outcome).increment(1);
    metrics::histogram!("gavel_engine_seconds", "engine" => name).record(start.elapsed().as_secs_f64());
    let decision = said.map_err(|fault| failure(backend, fault))?;
    let failed = |error: EngineError| {
        let fault =
            if backend.is_remote() { DecisionFault::Upstream(error) } else { DecisionFault::Engine(error) };
        failure(backend, fault)
    };
    validate::validate(&input.questions, &decision.answers).map_err(failed)?;
    let answers = input.questions.iter().map(|question| {
        let answer = Answer::read(question, &decision.answers[&question.key], &input.parameters)?;
        Ok((question.key.clone(), answer))
    });
    let answers = answers.collect::<Result<_, _>>().map_err(failed)?;
    Ok(Answered { backend: name, remote: backend.is_remote(), decision, answers })
}

fn failure(backend: &dyn DecisionBackend, fault: DecisionFault) -> Error {
    let name = backend.name();
    match fault {
        DecisionFault::Invalid { field, message } => Error::invalid(field, message),
        DecisionFault::Busy if backend.is_remote() => Error::new(
            Code::Overloaded,
            format!("too many requests wait for the {name} backend; try again shortly"),
        ),
        DecisionFault::Busy => {
            Error::new(Code::Overloaded, "too many questions wait to be answered; try again shortly")
        }
        DecisionFault::Engine(cause) => Error {
            cause: Some(cause.into()),
            ..Error::new(Code::EngineUnavailable, "the decision engine could not answer; nothing was charged")
        },
        DecisionFault::Upstream(cause) => upstream_failed(name, "could not answer", cause),
        DecisionFault::Slow(limit) => {
            let what = format!("did not answer within {} s", limit.as_secs_f64());
            upstream_failed(name, &what, EngineError(format!("{name} {what}")))
        }
        DecisionFault::Paused => {
            let what = "failed repeatedly, so that requests to it are paused";
            upstream_failed(name, what, EngineError(format!("{name} {what}")))
        }
    }
}

fn upstream_failed(name: &str, what: &str, cause: EngineError) -> Error {
    let message = format!("the {name} backend {what}; nothing was charged");
    Error { cause: Some(cause.into()), ..Error::new(Code::UpstreamFailed, message) }
}
