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
    inference::{Backend, InferenceRequest, Limits, Mode, Parameters, Question, State, parse_instructions},
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
    /// The Judge.
    pub judge: Option<JudgeId>,
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
    /// Checks what can be checked without the Judge, whether or not there is to be one.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; instructions may be missing when there is a Judge.
    pub fn check(&self, judge: bool) -> Result<()> {
        if let Some(instructions) = &self.instructions {
            parse(instructions)?;
        }
        Parameters::parse(&self.parameters)?;
        if self.instructions.is_some() || judge {
            return Ok(());
        }
        Err(Error::invalid("instructions", "is required: what should be decided?"))
    }

    /// The whole request, with what the Judge supplies. Read from the database each time, so that an edit counts at once
    /// on every replica.
    ///
    /// # Errors
    /// Those of [`Draft::check`]; `NOT_FOUND` without such a Judge in the account, or when it is archived.
    pub async fn inherit(self, db: &Database, account: &AccountId) -> Result<InferenceRequest> {
        self.check(self.judge.is_some())?;
        let (mut parameters, mut through, mut questions) = (Map::new(), None, Vec::new());
        if let Some(id) = &self.judge {
            let judge = store::find(db, account, id).await?;
            if judge.archived_at.is_some() {
                return Err(Error::new(Code::NotFound, "this Judge is archived and no longer answers"));
            }
            parameters = judge.version.parameters;
            if self.instructions.is_none() {
                questions = parse(&judge.version.instructions)?;
            }
            through = Some(Through {
                judge: judge.id,
                version: judge.version.number,
                recorded: judge.store_content,
                instructions: self.instructions.clone(),
            });
        }
        if let Some(instructions) = &self.instructions {
            questions = parse(instructions)?;
            if through.as_ref().is_some_and(|through| through.recorded) {
                recordable(&questions)?;
            }
        }
        parameters.extend(self.parameters);
        Ok(InferenceRequest {
            state: self.state,
            questions,
            backend: self.backend,
            model: self.model,
            lenient_model: false,
            mode: self.mode,
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
        let plausible = text.len() < 64 && text.starts_with("judge_");
        if plausible && !text.contains('\0') { Ok(Self::from(text.to_owned())) } else { Err(no_judge()) }
    }
}

fn parse(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, Limits::OWN)
}
