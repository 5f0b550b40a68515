//! Inference through a Judge: the request inherits its instructions and parameters, and may be recorded in its dataset.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    store::{self, no_judge},
    validate::recordable,
};
use crate::{
    Code, Error, Result,
    billing::{Billing, Paid, Payment},
    database::Database,
    id::{AccountId, JudgeId, SampleId},
    inference::{
        Backend, Inference, InferenceRequest, Inferred, InstructionLimits, JudgeRun, Mode, Parameters,
        Question, Record, State, parse_instructions, within,
    },
    sample::{NewAnswer, NewSample, Source},
};

/// A request as a client sent it, which may leave instructions and parameters to a Judge.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceDraft {
    /// What is decided about.
    pub state: State,
    /// The questions; in place of the Judge's.
    pub instructions: Option<Value>,
    /// The backend that is to answer.
    pub backend: Backend,
    /// Which model; `auto` for the default.
    pub model: String,
    /// Each question alone, or all together.
    pub mode: Mode,
    /// Parameters of the inference; each one wins over the Judge's of the same name.
    pub parameters: Map<String, Value>,
    /// The Judge's id, as it was sent.
    pub judge: Option<String>,
}

/// A draft in which nothing is wrong that can be seen without reading the Judge.
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
    /// Validates what can be validated without reading the Judge.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field, where instructions may be missing when there is a Judge; then `NOT_FOUND` for
    /// what cannot be a Judge's id.
    pub fn validate(self) -> Result<ValidDraft> {
        let questions = self.instructions.as_ref().map(parse).transpose()?;
        if let Some(own) = &self.instructions {
            within("state", &self.state, "instructions", own)?;
        }
        Parameters::parse(&self.parameters)?;
        if questions.is_none() && self.judge.is_none() {
            return Err(Error::invalid("instructions", "is required: what should be decided?"));
        }
        let judge = self.judge.as_deref().map(JudgeId::sent).transpose()?;
        Ok(ValidDraft { draft: self, questions, judge })
    }
}

/// Answers a request, through a Judge if it names one, charged once. The Judge is read from the database each time, so that
/// an edit counts at once on every replica.
///
/// # Errors
/// `NOT_FOUND` without such a Judge in the account, or when it is archived; `VALIDATION_FAILED` for instructions whose
/// answers it could not record, and for a state that is too large beside the Judge's; those of [`Inference::infer`].
pub async fn infer(
    db: &Database,
    inference: &Inference,
    billing: &Arc<Billing>,
    payment: Payment,
    draft: ValidDraft,
) -> Result<Paid<Inferred>> {
    let (request, judge) = draft.inherit(db, &payment.account).await?;
    inference.infer(billing, payment, request, judge).await
}

impl ValidDraft {
    /// The whole request, with what the Judge supplies.
    async fn inherit(
        self,
        db: &Database,
        account: &AccountId,
    ) -> Result<(InferenceRequest, Option<JudgeRun>)> {
        let ValidDraft { draft, mut questions, judge } = self;
        let (mut parameters, mut run) = (Map::new(), None);
        if let Some(id) = &judge {
            let judge = store::find(db, account, id).await?;
            if judge.archived_at.is_some() {
                return Err(Error::new(Code::NotFound, "this Judge is archived and no longer answers"));
            }
            match &questions {
                Some(own) if judge.store_content => recordable(own)?,
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
            };
            let record = judge.store_content.then(|| recorded.into_record());
            run = Some(JudgeRun { judge: judge.id, record });
            parameters = judge.version.parameters;
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
        };
        Ok((request, run))
    }
}

/// What is recorded of a request beside its answers.
struct Recorded {
    account: AccountId,
    judge: JudgeId,
    version: i32,
    state: State,
    instructions: Option<Value>,
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
                answers: inferred.answers.iter().map(|(key, answer)| NewAnswer::of(key, answer)).collect(),
            })
        })
    }
}

impl JudgeId {
    /// Reads an id a client sent: one of another form is a Judge that does not exist.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn sent(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(no_judge)
    }
}

fn parse(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, InstructionLimits::OWN)
}
