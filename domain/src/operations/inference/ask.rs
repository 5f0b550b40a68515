//! Asks one backend and reads its answers.

use std::time::Instant;

use tracing::Instrument as _;

use super::{
    answer::{Answer, Answers, Correction},
    calibrations::{BackendCalibration, CalibrationUse},
    recalibration::Recalibration,
    recalibrations::of_question,
    validate,
};
use crate::{Code, Error, Result, foundation::traces::child_span};
use ports::EngineError;
use ports::decision::{Decision, DecisionBackend, DecisionFault, DecisionInput};

/// A backend's output, validated.
pub(crate) struct Answered {
    /// The server and its model, such as `ollama/qwen3:8b`; none for the model in process.
    pub(super) server_model: Option<String>,
    pub(crate) decision: Decision,
    pub(crate) answers: Answers,
    /// Whether the probabilities were calibrated.
    pub(super) calibration: CalibrationUse,
    /// How many answers a Judge's Checkpoint has corrected.
    pub(super) recalibrated: usize,
}

/// What is known of a backend's probabilities.
#[derive(Clone, Copy, Default)]
pub(super) struct Corrections<'a> {
    /// The backend's calibration.
    pub(super) calibration: Option<&'a BackendCalibration>,
    /// The recalibrations of the Judge's Checkpoint, for all servers.
    pub(super) recalibrations: &'a [Recalibration],
}

/// Calls one backend and parses its answers.
pub(crate) async fn ask(backend: &dyn DecisionBackend, input: &DecisionInput) -> Result<Answered> {
    ask_corrected(backend, input, Corrections::default()).await
}

/// Calls one backend and parses its answers, corrected by what is known of the model that answers.
pub(super) async fn ask_corrected(
    backend: &dyn DecisionBackend,
    input: &DecisionInput,
    corrections: Corrections<'_>,
) -> Result<Answered> {
    let start = Instant::now();
    let name = backend.name();
    let span = child_span!("engine", engine = name, questions = input.questions.len());
    let said = backend.decide(input.clone()).instrument(span).await;
    let outcome = match &said {
        Ok(_) => "answered",
        // The server was not asked.
        Err(DecisionFault::Busy) => "busy",
        Err(_) => "failed",
    };
    metrics::counter!("gavel_backend_requests_total", "backend" => name, "outcome" => outcome).increment(1);
    metrics::histogram!("gavel_engine_seconds", "engine" => name).record(start.elapsed().as_secs_f64());
    let decision = said.map_err(|fault| failure(backend, fault))?;
    let failed = |error: EngineError| {
        let fault =
            if backend.is_remote() { DecisionFault::Refused(error) } else { DecisionFault::Engine(error) };
        failure(backend, fault)
    };
    validate::validate(&input.questions, &decision.answers).map_err(failed)?;
    let calibration = CalibrationUse::of(corrections.calibration, &decision.model);
    let server_model = backend.is_remote().then(|| format!("{name}/{}", decision.model));
    let mut recalibrated = 0;
    let answers = input.questions.iter().map(|question| {
        let recalibration = server_model
            .as_ref()
            .and_then(|server_model| of_question(corrections.recalibrations, server_model, question));
        recalibrated += usize::from(recalibration.is_some());
        let correction = Correction { temperature: calibration.temperature(&question.kind), recalibration };
        let said = &decision.answers[&question.key];
        let answer = Answer::read(question, said, &input.parameters, correction)?;
        Ok((question.key.clone(), answer))
    });
    let answers = answers.collect::<Result<_, _>>().map_err(failed)?;
    Ok(Answered { server_model, decision, answers, calibration, recalibrated })
}

/// The error for a backend that did not answer.
pub(crate) fn failure(backend: &dyn DecisionBackend, fault: DecisionFault) -> Error {
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
        DecisionFault::TooManyStates { fit } => {
            let message = format!("must be fewer to be answered in time: send about {fit}, or a bulk batch");
            Error::invalid("states", message)
        }
        DecisionFault::Engine(cause) => Error {
            cause: Some(cause.into()),
            ..Error::new(Code::EngineUnavailable, "the decision engine could not answer; nothing was charged")
        },
        DecisionFault::Upstream(cause) => upstream_failed(name, "could not answer", cause),
        DecisionFault::Refused(cause) => {
            Error { lasting: true, ..upstream_failed(name, "could not answer", cause) }
        }
        DecisionFault::Unusable(what) => {
            let cause = EngineError(format!("{name} {what}"));
            Error { lasting: true, ..upstream_failed(name, &what, cause) }
        }
        DecisionFault::Slow(limit) => slow(name, limit.as_secs_f64()),
        DecisionFault::Paused => {
            let what = "failed repeatedly, so that requests to it are paused";
            upstream_failed(name, what, EngineError(format!("{name} {what}")))
        }
    }
}

/// The error for a backend that did not answer in time.
pub(super) fn slow(name: &str, seconds: f64) -> Error {
    let what = format!("did not answer within {seconds} s");
    upstream_failed(name, &what, EngineError(format!("{name} {what}")))
}

fn upstream_failed(name: &str, what: &str, cause: EngineError) -> Error {
    let message = format!("the {name} backend {what}; nothing was charged");
    Error { cause: Some(cause.into()), ..Error::new(Code::UpstreamFailed, message) }
}
