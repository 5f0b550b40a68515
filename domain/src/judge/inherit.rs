//! A request as a client sent it, which may leave instructions and parameters to a Judge.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    checked::recordable,
    store::{self, no_judge},
};
use crate::{
    Code, Error, Result,
    database::Database,
    id::{AccountId, JudgeId},
    inference::{
        Backend, InferenceRequest, Limits, Mode, Parameters, Question, State, parse_instructions, within,
    },
};

/// What a client asks, its shape checked, before a Judge has had its say.
#[derive(Clone, Debug, Serialize)]
pub struct Draft {
    /// What is decided about.
    pub state: State,
    /// What is asked; in place of the Judge's.
    pub instructions: Option<Value>,
    /// Who is to answer.
    pub backend: Backend,
    /// Which model; `auto` for the default.
    pub model: String,
    /// Alone or together.
    pub mode: Mode,
    /// What tunes it; each one wins over the Judge's of the same name.
    pub parameters: Map<String, Value>,
    /// The Judge's id, as it was sent.
    pub judge: Option<String>,
}

/// A draft with nothing wrong that can be seen without the Judge.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    draft: Draft,
    /// What its own instructions ask.
    #[serde(skip)]
    questions: Option<Vec<Question>>,
    #[serde(skip)]
    judge: Option<JudgeId>,
}

/// A Judge that a request goes through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Through {
    /// The Judge.
    pub judge: JudgeId,
    /// Its version.
    pub version: i32,
    /// Whether request and answer are recorded.
    pub recorded: bool,
    /// The request's own instructions, when it brought some.
    pub instructions: Option<Value>,
}

impl Draft {
    /// Checks what can be checked without the Judge.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field, where instructions may be missing when there is a Judge; then `NOT_FOUND` for
    /// what cannot be a Judge's id.
    pub fn check(self) -> Result<Asked> {
        let questions = self.instructions.as_ref().map(parse).transpose()?;
        if let Some(own) = &self.instructions {
            within("state", &self.state, "instructions", own)?;
        }
        Parameters::parse(&self.parameters)?;
        if questions.is_none() && self.judge.is_none() {
            return Err(Error::invalid("instructions", "is required: what should be decided?"));
        }
        let judge = self.judge.as_deref().map(JudgeId::sent).transpose()?;
        Ok(Asked { draft: self, questions, judge })
    }
}

impl Asked {
    /// The whole request, with what the Judge supplies. Read from the database each time, so that an edit counts at once
    /// on every replica.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a Judge in the account, or when it is archived; `VALIDATION_FAILED` for instructions whose
    /// answers it could not record, and for a state that is too large beside the Judge's.
    pub async fn inherit(self, db: &Database, account: &AccountId) -> Result<InferenceRequest> {
        let Asked { draft, mut questions, judge } = self;
        let (mut parameters, mut through) = (Map::new(), None);
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
            parameters = judge.version.parameters;
            through = Some(Through {
                judge: judge.id,
                version: judge.version.number,
                recorded: judge.store_content,
                instructions: draft.instructions,
            });
        }
        parameters.extend(draft.parameters);
        Ok(InferenceRequest {
            state: draft.state,
            questions: questions.unwrap_or_default(),
            backend: draft.backend,
            model: draft.model,
            lenient_model: false,
            mode: draft.mode,
            parameters: Parameters::parse(&parameters)?,
            through,
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
    parse_instructions("instructions", instructions, Limits::OWN)
}
