//! The whole line from a request to a paid-for answer.

use std::{sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    answer::{Answer, Answers},
    parameters::Parameters,
    question::{Question, QuestionKind},
    route::{Backend, Mode, Route},
    schema,
    state::State,
};
use crate::{
    Code, Context, Error, Result,
    credits::Amount,
    dataset::{NewAnswer, NewSample, Source},
    id::{AccountId, InferenceId, JudgeId, SampleId},
    judge::Through,
    paid::{self, Billable, Caller, Paid, Security},
    ports::{Decision, DecisionBackend, DecisionFault, DecisionInput, EngineError},
    pricing::Operation,
};

/// What answering takes.
#[derive(Clone)]
pub struct Inference {
    /// The model in process, or the server that stands in for it.
    pub local: Arc<dyn DecisionBackend>,
    /// OpenRouter, when there is a key for it.
    pub openrouter: Option<Arc<dyn DecisionBackend>>,
    /// With `backend: auto`, the certainty under which OpenRouter is asked too; none keeps everything here.
    pub escalate_below: Option<f64>,
}

/// What a client asks.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceRequest {
    /// What is decided about.
    pub state: State,
    /// What is asked; never empty.
    pub questions: Vec<Question>,
    /// Who is to answer.
    pub backend: Backend,
    /// Which model; `auto` for the default.
    pub model: String,
    /// Whether a model that is not known here means the default, as on the compatibility routes.
    pub lenient_model: bool,
    /// Alone or together.
    pub mode: Mode,
    /// What tunes it.
    pub parameters: Parameters,
    /// The Judge it goes through.
    pub through: Option<Through>,
}

/// The answers to one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inferred {
    /// `inf_…`
    pub id: InferenceId,
    /// Who answered.
    pub backend: String,
    /// Which model, with its version.
    pub model: String,
    /// By key, in the questions' order.
    pub answers: Answers,
    /// Why this model.
    pub routing: Routing,
    /// What was in force.
    pub parameters: Map<String, Value>,
    /// What was read and written.
    pub usage: Usage,
    /// From the first question read to the last answer, in milliseconds.
    pub latency_ms: f64,
    /// The Judge it went through.
    #[serde(default)]
    pub judge: Option<JudgeId>,
    /// Whether it is recorded in the Judge's dataset, as it is once it is charged.
    #[serde(default)]
    pub logged: bool,
    /// What is recorded, until it is.
    #[serde(skip)]
    sample: Option<Box<NewSample>>,
}

/// Why a model answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routing {
    /// The model.
    pub model: String,
    /// The reason, for a person.
    pub reason: String,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Read, summed over questions.
    pub input_tokens: u64,
    /// Written, or answer slots filled.
    pub output_tokens: u64,
    /// What the upstream took for it, in US dollars, when it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Billable for Inferred {
    fn reference(&self) -> String {
        self.id.to_string()
    }

    fn take_sample(&mut self) -> Option<Box<NewSample>> {
        self.sample.take()
    }
}

/// Answers questions, charged once.
///
/// # Errors
/// `VALIDATION_FAILED` before anything is asked; `INSUFFICIENT_CREDITS`; `ENGINE_UNAVAILABLE`, `UPSTREAM_FAILED` or
/// `OVERLOADED` when nobody could answer. Nothing is charged then.
pub async fn infer(ctx: &Context, caller: Caller, request: InferenceRequest) -> Result<Paid<Inferred>> {
    let inference = ctx.inference.clone();
    let route = inference.route(&request)?;
    let security = if inference.reaches_out(&route) { Security::Hold } else { Security::Reservation };
    let cost = ctx.prices.of(Operation::Inference).await?;
    let account = caller.account.clone();
    let work = async move {
        let (through, state) = (request.through.clone(), request.state.clone());
        let mut inferred = inference.answer(request, route).await?;
        if let Some(through) = through {
            inferred.go_through(through, state, account);
        }
        Ok(inferred)
    };
    paid::run(ctx, caller, cost, security, work).await
}

impl Inferred {
    /// Notes the Judge, and what is to be recorded for it.
    fn go_through(&mut self, through: Through, state: State, account: AccountId) {
        if through.recorded {
            self.sample = Some(Box::new(NewSample {
                id: SampleId::new(),
                account,
                judge: through.judge.clone(),
                version: through.version,
                source: Source::Inference,
                request_id: None,
                credits: Amount::default(),
                state: state.into_value(),
                instructions: through.instructions,
                model: Some(self.model.clone()),
                backend: Some(self.backend.clone()),
                latency_ms: Some(self.latency_ms),
                answers: self.answers.iter().map(|(key, answer)| NewAnswer::of(key, answer)).collect(),
            }));
        }
        self.logged = through.recorded;
        self.judge = Some(through.judge);
    }
}

/// Answers without anybody paying, for the command line.
///
/// # Errors
/// Those of [`infer`] but the one about credits.
pub async fn answer(inference: &Inference, request: InferenceRequest) -> Result<Inferred> {
    let route = inference.route(&request)?;
    inference.answer(request, route).await
}

impl Inference {
    fn route(&self, request: &InferenceRequest) -> Result<Route> {
        Route::find(self, request.backend, &request.model, request.lenient_model)
    }

    /// Whether somebody who may charge us is asked while the client's credits wait.
    fn reaches_out(&self, route: &Route) -> bool {
        route.openrouter || route.escalates || self.local.is_remote()
    }

    async fn answer(&self, request: InferenceRequest, route: Route) -> Result<Inferred> {
        let start = Instant::now();
        let input = DecisionInput {
            state: request.state.value().clone(),
            questions: Arc::from(request.questions),
            mode: request.mode,
            model: route.model.clone(),
            parameters: request.parameters,
        };
        let (told, mut reason) = match &self.openrouter {
            Some(openrouter) if route.openrouter => {
                (ask(openrouter.as_ref(), &input).await?, "backend openrouter was asked for".to_owned())
            }
            _ => self.locally(&input, &route, request.backend).await?,
        };
        if input.questions.iter().any(|question| question.kind == QuestionKind::Prompt)
            && told.answers.iter().any(|(_, answer)| matches!(answer, Answer::Noul { .. }))
        {
            reason.push_str(
                "; this model decides and writes no text, so the prompt was read as a yes/no question",
            );
        }
        for note in &told.decision.notes {
            reason.push_str("; ");
            reason.push_str(note);
        }
        Ok(Inferred {
            id: InferenceId::new(),
            backend: told.backend.to_owned(),
            routing: Routing { model: told.decision.model.clone(), reason },
            model: told.decision.model,
            answers: told.answers,
            parameters: input.parameters.applied(),
            usage: told.decision.usage,
            latency_ms: start.elapsed().as_secs_f64() * 1e3,
            judge: None,
            logged: false,
            sample: None,
        })
    }

    async fn locally(&self, input: &DecisionInput, route: &Route, asked: Backend) -> Result<(Told, String)> {
        let told = ask(self.local.as_ref(), input).await?;
        let because = match (asked, &route.model) {
            (_, Some(_)) => "the model that was asked for",
            (Backend::Local, None) => "backend local was asked for",
            _ => "the default: local",
        };
        let (Some(openrouter), Some(below), true) = (&self.openrouter, self.escalate_below, route.escalates)
        else {
            return Ok((told, because.to_owned()));
        };
        let certainty = told.answers.iter().filter_map(|(_, answer)| answer.certainty()).fold(1.0, f64::min);
        if certainty >= below {
            return Ok((told, format!("{because}; sure enough ({certainty:.2} of {below} needed)")));
        }
        match ask(openrouter.as_ref(), input).await {
            Ok(second) => Ok((
                second,
                format!("escalated: the local answer's certainty {certainty:.2} is under {below}"),
            )),
            Err(error) => {
                tracing::warn!(%error, cause = ?error.cause, "an escalation failed; the local answer stands");
                Ok((
                    told,
                    format!("{because}; unsure ({certainty:.2} of {below}), but the escalation failed"),
                ))
            }
        }
    }
}

/// What a backend said, checked.
pub(crate) struct Told {
    pub(crate) backend: &'static str,
    pub(crate) decision: Decision,
    pub(crate) answers: Answers,
}

/// Asks one backend and reads its answers.
pub(crate) async fn ask(backend: &dyn DecisionBackend, input: &DecisionInput) -> Result<Told> {
    let (start, name) = (Instant::now(), backend.name());
    let said = backend.decide(input.clone()).await;
    let outcome = if said.is_ok() { "answered" } else { "failed" };
    metrics::counter!("gavel_backend_requests_total", "backend" => name, "outcome" => outcome).increment(1);
    metrics::histogram!("gavel_engine_seconds", "engine" => name).record(start.elapsed().as_secs_f64());
    let decision = said.map_err(|fault| failure(backend, fault))?;
    let failed = |error: EngineError| {
        let fault =
            if backend.is_remote() { DecisionFault::Upstream(error) } else { DecisionFault::Engine(error) };
        failure(backend, fault)
    };
    schema::validate(&input.questions, &decision.answers).map_err(failed)?;
    let answers = input.questions.iter().map(|question| {
        let answer = Answer::read(question, &decision.answers[&question.key], &input.parameters)?;
        Ok((question.key.clone(), answer))
    });
    Ok(Told { backend: name, answers: answers.collect::<Result<_, _>>().map_err(failed)?, decision })
}

fn failure(backend: &dyn DecisionBackend, fault: DecisionFault) -> Error {
    let name = backend.name();
    let (code, message, cause) = match fault {
        DecisionFault::Invalid { field, message } => return Error::invalid(field, message),
        DecisionFault::Busy => {
            return Error::new(Code::Overloaded, "too many questions wait to be answered; try again shortly");
        }
        DecisionFault::Engine(cause) => (
            Code::EngineUnavailable,
            "the decision engine could not answer; nothing was charged".to_owned(),
            cause,
        ),
        DecisionFault::Upstream(cause) => {
            (Code::UpstreamFailed, format!("the {name} backend could not answer; nothing was charged"), cause)
        }
    };
    Error { cause: Some(cause.into()), ..Error::new(code, message) }
}
