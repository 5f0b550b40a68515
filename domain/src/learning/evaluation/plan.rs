//! What an evaluation would ask, about which samples, and what that costs.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{evaluations::Evaluations, scope::EvaluationScope};
use crate::{
    Code, Error, Result,
    background::job::{JobState, PaidJobs},
    foundation::{actor::Actor, allowed_backends::AllowedBackends, database::Database},
    learning::{
        agreement::is_value_of,
        checkpoint::{Content, SampleSnapshot, Watermark, contents, watermark},
        dataset::SampleFilter,
        sample::Source,
    },
    money::{amount::Amount, pricing::Operation},
};
use ports::decision::{Parameters, Question};
use ports::id::{AccountId, CheckpointId, JudgeId};

/// Maximum samples of an evaluation.
const MAX_SAMPLES: usize = 10_000;
/// Maximum ground truths of an evaluation.
const MAX_LABELS: usize = 50_000;

/// What answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum EvaluatedModel {
    /// As the Judge answers now: its active Checkpoint, or the base model.
    AsNow,
    /// The base model.
    ZeroShot,
    Checkpoint(CheckpointId),
    /// A backend, as `NAME` or `NAME/model`.
    Backend(String),
}

/// An evaluation to start.
#[derive(Clone, Debug)]
pub struct NewEvaluation {
    pub judge: JudgeId,
    /// The version whose questions are asked; `None` for the newest.
    pub version: Option<i32>,
    pub model: EvaluatedModel,
    /// Which labelled samples to use.
    pub filter: SampleFilter,
    /// Which of these, by what the Checkpoint was trained on.
    pub scope: EvaluationScope,
}

/// What an evaluation costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Labelled samples, each of which is one inference.
    pub samples: u64,
    /// The price of each.
    pub price: Amount,
    /// The price of all.
    pub total: Amount,
}

/// What to evaluate, and on which samples.
pub(super) struct EvaluationPlan {
    pub(super) version: i32,
    pub(super) checkpoint: Option<CheckpointId>,
    pub(super) backend: Option<String>,
    pub(super) until: Watermark,
    pub(super) estimate: Estimate,
}

impl Evaluations {
    /// The samples and the price of an evaluation, without starting it.
    ///
    /// # Errors
    /// Those of [`Evaluations::start`], except those about money.
    pub async fn estimate(&self, actor: &Actor, new: &NewEvaluation) -> Result<Estimate> {
        Ok(self.plan(actor, new).await?.estimate)
    }

    pub(super) async fn plan(&self, actor: &Actor, new: &NewEvaluation) -> Result<EvaluationPlan> {
        let account = &actor.account;
        let PaidJobs { db, billing, .. } = &self.paid;
        let judge = self.judges.find(account, &new.judge).await?;
        let checkpoint = match &new.model {
            EvaluatedModel::AsNow => judge.checkpoint.map(|active| active.id),
            EvaluatedModel::ZeroShot | EvaluatedModel::Backend(_) => None,
            EvaluatedModel::Checkpoint(id) => Some(self.require_usable(account, &new.judge, id).await?),
        };
        let version = match new.version {
            Some(number) => self.judges.find_version(&new.judge, number).await?,
            None => judge.version,
        };
        let until = watermark(db.read(), &new.judge).await?;
        let questions = version.questions()?;
        let snapshot = SampleSnapshot { account, judge: &new.judge, until, filter: &new.filter };
        let (mut samples, more) = samples(db, &snapshot, &questions).await?;
        let labelled = samples.len();
        new.scope.restrict(&mut samples, db, checkpoint.as_ref()).await?;
        let labels: usize = samples.iter().map(|sample| sample.labels.len()).sum();
        if more || labels > MAX_LABELS {
            let message = format!(
                "must select at most {MAX_SAMPLES} labelled samples and {MAX_LABELS} ground truths; narrow it, \
                 for example by time"
            );
            return Err(Error::invalid("filter", message));
        }
        if samples.is_empty() && labelled > 0 {
            let message = format!(
                "selects none of the {labelled} labelled samples; label new ones, or choose another of: {}",
                EvaluationScope::names()
            );
            return Err(Error::invalid("scope", message));
        }
        if samples.is_empty() {
            let message = "must select samples with a ground truth for a question of this version; label some, or \
                           import them";
            return Err(Error::invalid("filter", message));
        }
        let usual = billing.prices.read(Operation::Inference).await?;
        let (price, backend) = match &new.model {
            EvaluatedModel::Backend(name) => {
                let allowed = AllowedBackends::of(db, account, actor.name()).await?;
                let parameters = of_backend(&version.parameters)?;
                let route = self.inference.check_backend("backend", name, &parameters, &allowed)?;
                (route.of(usual)?, Some(name.clone()))
            }
            EvaluatedModel::AsNow | EvaluatedModel::ZeroShot | EvaluatedModel::Checkpoint(_) => (usual, None),
        };
        let count = i64::try_from(samples.len()).unwrap_or(i64::MAX);
        let total = Amount::from_milli(price.milli().saturating_mul(count));
        let estimate = Estimate { samples: samples.len() as u64, price, total };
        Ok(EvaluationPlan { version: version.number, checkpoint, backend, until, estimate })
    }

    /// Checks that a Checkpoint is of this Judge and has succeeded.
    async fn require_usable(
        &self,
        account: &AccountId,
        judge: &JudgeId,
        id: &CheckpointId,
    ) -> Result<CheckpointId> {
        let found = self.checkpoints.find(account, id).await?;
        if found.judge != *judge {
            return Err(Error::not_found("Checkpoint"));
        }
        if found.state != JobState::Succeeded {
            let message = format!("the Checkpoint is {}, and cannot answer", found.state.as_str());
            return Err(Error::new(Code::Conflict, message));
        }
        Ok(found.id)
    }
}

/// The parameters of a Judge for a backend that is evaluated, whatever the Judge itself asks.
pub(super) fn of_backend(judge: &Map<String, Value>) -> Result<Parameters> {
    Ok(Parameters { model: None, cascade: None, ..Parameters::parse(judge)? })
}

/// The samples of an evaluation, oldest first, with their labels that are values of the questions; and whether there
/// are more than an evaluation may have.
pub(super) async fn samples(
    db: &Database,
    snapshot: &SampleSnapshot<'_>,
    questions: &[Question],
) -> Result<(Vec<Content>, bool)> {
    let found = contents(db, snapshot, MAX_SAMPLES).await?;
    let questions: HashMap<&str, &Question> =
        questions.iter().map(|question| (question.key.as_str(), question)).collect();
    let mut samples = found.samples;
    for sample in &mut samples {
        sample.labels.retain(|key, truth| {
            questions.get(key.as_str()).is_some_and(|question| is_value_of(question, truth))
        });
    }
    samples.retain(|sample| !sample.labels.is_empty());
    samples.sort_unstable_by_key(|sample| sample.seq);
    Ok((samples, found.more))
}

/// A filter, as stored.
#[derive(Serialize, Deserialize)]
struct StoredFilter {
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    version: Option<i32>,
    import: Option<bool>,
}

pub(super) fn stored_filter(filter: &SampleFilter) -> String {
    let SampleFilter { since, until, version, source, labelled: _ } = filter.clone();
    let import = source.map(|source| source == Source::Import);
    serde_json::to_string(&StoredFilter { since, until, version, import }).unwrap_or_default()
}

pub(super) fn parse_filter(stored: &str) -> Result<SampleFilter> {
    let StoredFilter { since, until, version, import } =
        serde_json::from_str(stored).map_err(Error::internal)?;
    let source = import.map(|import| if import { Source::Import } else { Source::Inference });
    Ok(SampleFilter { since, until, version, source, labelled: None })
}
