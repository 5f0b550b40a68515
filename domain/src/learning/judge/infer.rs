//! Inference through a Judge: the request inherits the Judge's instructions and parameters, and may be recorded in
//! its dataset.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    store::{self, Judge},
    validate::validate_recordable,
};
use crate::{
    Code, Error, Result,
    foundation::database::Database,
    learning::sample::{NewAnswer, NewSample, Source, storage},
    money::{
        amount::Amount,
        billing::{Billing, Paid, Payment},
        credits::SideRow,
    },
    operations::inference::{
        Backend, Inference, InferenceRequest, Inferred, InstructionLimits, JudgeRun, Record,
        parse_instructions, within,
    },
};
use ports::id::{AccountId, JudgeId, SampleId};
use ports::{
    Flow,
    decision::{DecisionMode, Parameters, Question, State},
};

/// A request from a client, which may leave instructions and parameters to a Judge.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceDraft {
    /// The input of the decision.
    pub state: State,
    /// The questions, which replace the Judge's.
    pub instructions: Option<Value>,
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
    questions: Option<Vec<Question>>,
    #[serde(skip)]
    judge: Option<JudgeId>,
}

impl InferenceDraft {
    /// Validates what can be validated without reading the Judge. Instructions may be missing when a Judge is
    /// named.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; then `NOT_FOUND` for a malformed Judge id.
    pub fn validate(self) -> Result<ValidDraft> {
        let questions = self.instructions.as_ref().map(parse).transpose()?;
        if let Some(own) = &self.instructions {
            within("state", &self.state, "instructions", own)?;
        }
        Parameters::parse(&self.parameters)?;
        if questions.is_none() && self.judge.is_none() {
            return Err(Error::invalid("instructions", "is required: what should be decided?"));
        }
        let judge = self.judge.as_deref().map(JudgeId::parse).transpose()?;
        Ok(ValidDraft { draft: self, questions, judge })
    }
}

/// Answers a request, through a Judge if it names one, charged once. The Judge is read from the database each time,
/// so that an edit takes effect at once on every replica.
///
/// # Errors
/// `NOT_FOUND` without such a Judge in the account, or when it is archived; `VALIDATION_FAILED` for instructions
/// whose answers cannot be recorded, and for a state that is too large together with the Judge's instructions; the
/// errors of [`Inference::infer`].
pub async fn infer(
    db: &Database,
    inference: &Inference,
    billing: &Arc<Billing>,
    mut payment: Payment,
    draft: ValidDraft,
) -> Result<Paid<Inferred>> {
    let (request, judge) = match draft.inherit(db, &payment.account).await {
        // A request that was answered before its Judge was archived is answered alike.
        Err(error) if error.code == Code::NotFound => {
            return billing.replayed(&payment).await?.ok_or(error);
        }
        inherited => inherited?,
    };
    payment.judge = judge.as_ref().map(|run| run.judge.clone());
    inference.infer(billing, payment, request, judge).await
}

/// Answers a request whose charge somebody else makes; returns the row that records it, if any, with the credits that are
/// its part of that charge. `judge` is the request's, if it names one.
///
/// # Errors
/// Those of [`infer`] except `INSUFFICIENT_CREDITS`.
pub(crate) async fn answer(
    inference: &Inference,
    account: &AccountId,
    draft: ValidDraft,
    judge: Option<&ActiveJudge>,
    credits: Amount,
) -> Result<(Inferred, Option<SideRow>)> {
    let (request, run) = draft.complete(account, judge, Some(credits))?;
    let mut inferred = inference.evaluate(request, Flow::from(account)).await?;
    let side_row = run.and_then(|run| run.recorded(&mut inferred));
    Ok((inferred, side_row))
}

/// A Judge that answers.
pub(crate) struct ActiveJudge {
    judge: Judge,
    /// Whether requests are recorded. An account whose quota is used up gets its answer, which it pays for, and it is not
    /// recorded.
    records: bool,
}

impl ActiveJudge {
    /// Reads a Judge.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a Judge in the account, or when it is archived; `CONFLICT` for a moderation log.
    pub(crate) async fn find(db: &Database, account: &AccountId, id: &JudgeId) -> Result<Self> {
        let judge = store::find(db, account, id).await?;
        judge.require_decision()?;
        if judge.archived_at.is_some() {
            return Err(Error::new(Code::NotFound, "this Judge is archived and no longer answers"));
        }
        let records = judge.store_content && storage::has_room(db, account).await?;
        Ok(Self { judge, records })
    }
}

impl ValidDraft {
    /// The Judge that the request names.
    pub(crate) fn judge(&self) -> Option<&JudgeId> {
        self.judge.as_ref()
    }

    /// Checks that the request's backend and model can answer here.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field.
    pub(crate) fn check_route(&self, inference: &Inference) -> Result<()> {
        inference.check_route(self.draft.backend, &self.draft.model)
    }

    /// Completes the request with the Judge's instructions and parameters.
    async fn inherit(
        self,
        db: &Database,
        account: &AccountId,
    ) -> Result<(InferenceRequest, Option<JudgeRun>)> {
        let judge = match &self.judge {
            Some(id) => Some(ActiveJudge::find(db, account, id).await?),
            None => None,
        };
        self.complete(account, judge.as_ref(), None)
    }

    /// As [`ValidDraft::inherit`], with the Judge that was read for it. `credits`: its part of a charge for several.
    fn complete(
        self,
        account: &AccountId,
        judge: Option<&ActiveJudge>,
        credits: Option<Amount>,
    ) -> Result<(InferenceRequest, Option<JudgeRun>)> {
        let ValidDraft { draft, mut questions, .. } = self;
        let mut parameters = Map::new();
        let mut run = None;
        let mut checkpoint = None;
        if let Some(ActiveJudge { judge, records }) = judge {
            match &questions {
                Some(own) if judge.store_content => validate_recordable(own)?,
                Some(_) => {}
                None => {
                    within("state", &draft.state, "instructions", &judge.version.instructions)?;
                    questions = Some(parse(&judge.version.instructions)?);
                }
            }
            let recorded = Recorded {
                account: account.clone(),
                judge: judge.id.clone(),
                version: judge.version.number,
                state: draft.state.clone(),
                instructions: draft.instructions,
                credits,
            };
            let record = records.then(|| recorded.into_record());
            run = Some(JudgeRun { judge: judge.id.clone(), record });
            parameters = judge.version.parameters.clone();
            checkpoint = judge.checkpoint.clone();
        }
        parameters.extend(draft.parameters);
        let request = InferenceRequest {
            state: draft.state,
            questions: questions.unwrap_or_default(),
            backend: draft.backend,
            model: draft.model,
            lenient_model: false,
            mode: draft.mode,
            parameters: Parameters::parse(&parameters)?,
            checkpoint,
        };
        Ok((request, run))
    }
}

/// The parts of a request that are recorded with its answers.
struct Recorded {
    account: AccountId,
    judge: JudgeId,
    version: i32,
    state: State,
    instructions: Option<Value>,
    credits: Option<Amount>,
}

impl Recorded {
    fn into_record(self) -> Record {
        Box::new(move |inferred| {
            Arc::new(NewSample {
                id: SampleId::new(),
                account: self.account,
                judge: self.judge,
                version: self.version,
                source: Source::Inference,
                state: self.state.into_value(),
                instructions: self.instructions,
                model: Some(inferred.model.clone()),
                backend: Some(inferred.backend.clone()),
                latency_ms: Some(inferred.latency_ms),
                credits: self.credits,
                checkpoint: inferred.checkpoint.clone(),
                answers: inferred.answers.iter().map(|(key, answer)| NewAnswer::of(key, answer)).collect(),
            })
        })
    }
}

fn parse(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, InstructionLimits::OWN)
}
