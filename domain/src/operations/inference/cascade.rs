//! Asks the backends of a route in turn. Only the questions that a step is unsure of go on to the next one; a step that
//! fails leaves the answers before it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    answer::{Answer, Answers},
    ask::{Answered, Corrections, ask_corrected, slow},
    backend::{Backend, Inference},
    recalibration::Recalibration,
    recalibrations::suffices,
    route::{Barred, Route, RouteChoice, RouteStep},
    routing::{RoutingStep, StepOutcome},
    tally::TalliedAnswer,
};
use crate::{Code, Error, Result, foundation::round, money::amount::Amount};
use ports::decision::{DecisionInput, Question, Usage};

/// The longest that all steps of a cascade together may take: as long as one server may.
const CASCADE_TIMEOUT: Duration = Duration::from_secs(25);

/// The answers of a route.
pub(super) struct Cascaded {
    /// In the questions' order.
    pub(super) answers: Answers,
    /// The last step that answered: it gives the response its model.
    pub(super) backend: Backend,
    pub(super) remote: bool,
    pub(super) model: String,
    /// All models that answered, the last one last.
    pub(super) models: Vec<String>,
    /// The server and its model, by the key of each question that a server answered.
    pub(super) server_models: BTreeMap<String, String>,
    /// Whether the Judge's Checkpoint corrected an answer of a server.
    pub(super) recalibrated: bool,
    pub(super) notes: Vec<String>,
    pub(super) usage: Usage,
    /// The sum of the steps that answered.
    pub(super) price: Amount,
    pub(super) reason: String,
    pub(super) steps: Vec<RoutingStep>,
}

/// A cascade in progress.
struct Progress<'a> {
    inference: &'a Inference,
    input: &'a DecisionInput,
    /// What a backend without a price of its own costs.
    usual: Amount,
    /// What the Judge's Checkpoint knows of servers.
    recalibrations: Arc<[Recalibration]>,
    /// The answer to each question so far.
    answers: Vec<Option<Answer>>,
    /// The questions to ask next, by index.
    open: Vec<usize>,
    last: Option<Answered>,
    shown_as: Backend,
    models: Vec<String>,
    server_models: BTreeMap<String, String>,
    recalibrated: bool,
    usage: Usage,
    price: Amount,
    steps: Vec<RoutingStep>,
    failed: Option<Error>,
}

/// Asks the steps of a route.
///
/// # Errors
/// That of the first step that failed, when none answered.
pub(super) async fn run(
    inference: &Inference,
    input: &DecisionInput,
    route: &Route,
    usual: Amount,
) -> Result<Cascaded> {
    let recalibrations = match (&inference.recalibrations, &input.checkpoint) {
        (Some(recalibrations), Some(checkpoint)) if route.may_call_remote() => {
            recalibrations.of(checkpoint).await
        }
        _ => Arc::from([]),
    };
    let mut progress = Progress {
        inference,
        input,
        usual,
        recalibrations,
        answers: vec![None; input.questions.len()],
        open: (0..input.questions.len()).collect(),
        last: None,
        shown_as: Backend::Local,
        models: Vec::new(),
        server_models: BTreeMap::new(),
        recalibrated: false,
        usage: Usage::default(),
        price: Amount::default(),
        steps: Vec::new(),
        failed: None,
    };
    // A backend that is asked alone has a deadline of its own.
    let deadline = (route.steps.len() > 1).then(|| Instant::now() + CASCADE_TIMEOUT);
    for (at, step) in route.steps.iter().enumerate() {
        if progress.open.is_empty() {
            break;
        }
        if let Some(why) = &step.barred {
            progress.steps.push(progress.skipped(step, why));
            continue;
        }
        progress.take(step, &route.steps[at + 1..], deadline).await;
        // Content that is meant for the local backend is not sent elsewhere because that is down.
        if route.how == RouteChoice::Escalation && progress.last.is_none() {
            break;
        }
    }
    progress.finish(route)
}

impl Progress<'_> {
    /// Asks one step about the open questions, until `deadline` if there is one. What it answers well enough does not
    /// go on to the `later` steps.
    async fn take(&mut self, step: &RouteStep, later: &[RouteStep], deadline: Option<Instant>) {
        let start = Instant::now();
        let backend = step.target.backend.as_ref();
        let calibration = match &self.inference.calibrations {
            Some(calibrations) if step.target.calibrated_here => calibrations.of(backend.name()).await,
            _ => None,
        };
        let input = self.part(step);
        let recalibrations = self.recalibrations.clone();
        let corrections =
            Corrections { calibration: calibration.as_deref(), recalibrations: &recalibrations };
        let asked = ask_corrected(backend, &input, corrections);
        let answered = match deadline {
            None => asked.await,
            Some(deadline) => tokio::time::timeout_at(deadline, asked)
                .await
                .unwrap_or_else(|_| Err(slow(backend.name(), start.elapsed().as_secs_f64().round()))),
        };
        let took = start.elapsed();
        let mut told = self.told(step, StepOutcome::Answered);
        told.latency_ms = round::milliseconds(took.as_secs_f64() * 1e3);
        match answered {
            Ok(answered) => {
                let price = step.price(self.usual);
                let cost = answered.decision.usage.cost;
                self.inference.tallies.answered(backend.name(), TalliedAnswer { took, price, cost });
                self.keep(step, later, answered, told);
            }
            Err(error) => {
                if counts(error.code) {
                    self.inference.tallies.failed(backend.name());
                }
                if self.last.is_some() {
                    let backend = backend.name();
                    tracing::warn!(backend, %error, cause = ?error.cause, "a step failed; the answers before it stand");
                }
                told.outcome = StepOutcome::Failed;
                let prefix = format!("the {} backend ", backend.name());
                let message = error.message.trim_end_matches("; nothing was charged");
                told.reason = message.trim_start_matches(&prefix).to_owned();
                self.steps.push(told);
                self.failed.get_or_insert(error);
            }
        }
    }

    /// Keeps the answers of a step, and hands on the questions that it is unsure of.
    fn keep(&mut self, step: &RouteStep, later: &[RouteStep], answered: Answered, mut told: RoutingStep) {
        let by_checkpoint =
            self.input.checkpoint.as_ref().is_some_and(|own| answered.decision.answered_by(&own.id));
        let mut least: f64 = 1.0;
        let mut unsure = Vec::new();
        let mut sufficient = 0;
        for (index, (_, answer)) in self.open.iter().zip(&answered.answers) {
            let certainty = answer.certainty().unwrap_or(1.0);
            least = least.min(certainty);
            let question = &self.input.questions[*index];
            if step.below.is_some_and(|below| certainty < below) {
                if by_checkpoint && self.is_enough(later, question) {
                    sufficient += 1;
                } else {
                    unsure.push(*index);
                }
            }
            self.answers[*index] = Some(answer.clone());
            match &answered.server_model {
                Some(model) => drop(self.server_models.insert(question.key.clone(), model.clone())),
                None => drop(self.server_models.remove(&question.key)),
            }
        }
        told.reason = match step.below {
            None => "answered".to_owned(),
            Some(below) if sufficient > 0 => format!(
                "unsure of {} of {} ({least:.2} of {below} needed), and its Checkpoint is no worse than the next \
                 backend on {sufficient}",
                unsure.len() + sufficient,
                self.open.len()
            ),
            Some(below) if unsure.is_empty() => format!("sure enough ({least:.2} of {below} needed)"),
            Some(below) => {
                format!("unsure of {} of {} ({least:.2} of {below} needed)", unsure.len(), self.open.len())
            }
        };
        let is_recalibrated = answered.recalibrated == answered.answers.len();
        if answered.recalibrated > 0 {
            self.recalibrated = true;
            told.reason.push_str("; recalibrated by the Judge's Checkpoint");
        }
        if step.target.calibrated_here {
            let note = answered.calibration.note().filter(|_| !is_recalibrated);
            told.calibrated = Some(note.is_none());
            if let Some(note) = note {
                told.reason.push_str("; ");
                told.reason.push_str(&note);
            }
        }
        told.certainty = Some(round::probability(least));
        told.model = Some(answered.decision.model.clone());
        let price = step.price(self.usual);
        told.credits = price.credits();
        self.price = self.price.plus(price).unwrap_or(self.price);
        self.steps.push(told);
        self.usage = self.usage.plus(answered.decision.usage);
        self.models.push(answered.decision.model.clone());
        self.shown_as = step.target.shown_as;
        self.last = Some(answered);
        self.open = unsure;
    }

    /// Whether the Judge's Checkpoint answers a question no worse than each of the `later` steps that may be asked.
    fn is_enough(&self, later: &[RouteStep], question: &Question) -> bool {
        let mut asked = later.iter().filter(|step| step.barred.is_none()).peekable();
        let any = asked.peek().is_some();
        any && asked.all(|step| suffices(&self.recalibrations, step.target.backend.name(), question))
    }

    /// The input of a step: the open questions.
    fn part(&self, step: &RouteStep) -> DecisionInput {
        let questions: Arc<[Question]> = if self.open.len() == self.input.questions.len() {
            self.input.questions.clone()
        } else {
            self.open.iter().map(|index| self.input.questions[*index].clone()).collect()
        };
        DecisionInput { questions, model: step.model.clone(), ..self.input.clone() }
    }

    fn told(&self, step: &RouteStep, outcome: StepOutcome) -> RoutingStep {
        RoutingStep {
            backend: step.target.backend.name().to_owned(),
            outcome,
            model: None,
            reason: String::new(),
            questions: self.open.iter().map(|index| self.input.questions[*index].key.clone()).collect(),
            certainty: None,
            latency_ms: 0.0,
            credits: 0.0,
            calibrated: None,
        }
    }

    fn skipped(&self, step: &RouteStep, why: &Barred) -> RoutingStep {
        RoutingStep {
            reason: format!("the {} {why}", why.field()),
            questions: Vec::new(),
            ..self.told(step, StepOutcome::Skipped)
        }
    }

    fn finish(self, route: &Route) -> Result<Cascaded> {
        let Some(last) = self.last else {
            return Err(self.failed.unwrap_or_else(|| Error::internal("no step of a cascade was asked")));
        };
        let reason = reason(route, &self.steps);
        let keys = self.input.questions.iter().map(|question| question.key.clone());
        let answers = keys.zip(self.answers).filter_map(|(key, answer)| Some((key, answer?))).collect();
        let shows_steps = matches!(route.how, RouteChoice::Cascade | RouteChoice::Named);
        Ok(Cascaded {
            answers,
            backend: self.shown_as,
            remote: last.server_model.is_some(),
            model: last.decision.model,
            models: self.models,
            server_models: self.server_models,
            recalibrated: self.recalibrated,
            notes: last.decision.notes,
            usage: self.usage,
            price: self.price,
            reason,
            steps: if shows_steps { self.steps } else { Vec::new() },
        })
    }
}

/// Whether an error is the backend's, and not that of the request or of too many requests at once.
pub(super) fn counts(code: Code) -> bool {
    !matches!(code, Code::ValidationFailed | Code::Overloaded)
}

/// Why the last step answered.
fn reason(route: &Route, steps: &[RoutingStep]) -> String {
    match route.how {
        RouteChoice::Openrouter => "backend openrouter was asked for".to_owned(),
        RouteChoice::Model => "the model that was asked for".to_owned(),
        RouteChoice::Local => "backend local was asked for".to_owned(),
        RouteChoice::Default => "the default: local".to_owned(),
        RouteChoice::Named => {
            let calibration = if steps.iter().any(|step| step.calibrated == Some(false)) {
                "; its probabilities are not calibrated"
            } else {
                ""
            };
            format!("the backend that was asked for{calibration}")
        }
        RouteChoice::Escalation => escalation_reason(route, steps),
        RouteChoice::Cascade => {
            let told = steps.iter().map(|step| match step.outcome {
                StepOutcome::Skipped => format!("{} was skipped, since {}", step.backend, step.reason),
                StepOutcome::Answered | StepOutcome::Failed => format!("{} {}", step.backend, step.reason),
            });
            format!("the cascade: {}", told.collect::<Vec<_>>().join("; "))
        }
    }
}

fn escalation_reason(route: &Route, steps: &[RoutingStep]) -> String {
    let certainty = steps.first().and_then(|step| step.certainty).unwrap_or(1.0);
    let below = route.steps.first().and_then(|step| step.below).unwrap_or(0.0);
    match steps.get(1).map(|step| step.outcome) {
        None => format!("the default: local; sure enough ({certainty:.2} of {below} needed)"),
        Some(StepOutcome::Answered) => {
            format!("escalated: the local answer's certainty {certainty:.2} is under {below}")
        }
        Some(StepOutcome::Failed) => {
            format!("the default: local; unsure ({certainty:.2} of {below}), but the escalation failed")
        }
        Some(StepOutcome::Skipped) => {
            let why = steps.get(1).map(|step| step.reason.as_str()).unwrap_or_default();
            format!("the default: local; unsure ({certainty:.2} of {below}), but {why}")
        }
    }
}
