//! Runs an evaluation: asks the model about the samples in the background, chunk by chunk, each charged with its
//! answers. An interrupted run continues after the last chunk.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use entity::{checkpoint as checkpoint_row, evaluation, evaluation_answer};
use futures_util::{StreamExt, TryStreamExt, stream};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use tokio::sync::Semaphore;

use super::{
    answers::{Answered, GradedSample, graded},
    evaluations::Evaluations,
    plan::{of_backend, parse_filter, samples},
    scope::EvaluationScope,
};
use crate::{
    Code, Error, Result,
    background::job::{self, Failure, Handler, JobRun, JobSubject, PaidJobs},
    foundation::{allowed_backends::AllowedBackends, database::Database, tenant::Tenant},
    learning::{
        agreement::{self, GradedAnswer, KeyMetrics},
        checkpoint::{Artefacts, Chunks, Content, LabelledSample, SampleSnapshot, Watermark},
    },
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, Payer},
    },
    operations::inference::{Answers, Backend, Inference, InferenceRequest, ask},
};
use ports::id::{AccountId, CheckpointId, EvaluationId, JudgeId, RequestId};
use ports::{
    Flow,
    decision::{
        DecisionBackend, DecisionInput, DecisionMode, DecisionState, HeadStore, Parameters, Question,
    },
};

/// Samples that are charged together.
const CHUNK: usize = 50;
/// Samples in progress at once.
const AT_ONCE: usize = 4;
/// The pause before a backend that had no place is asked again.
const PAUSE: Duration = Duration::from_millis(500);
/// Bytes in progress at once, those of a state counted for each question, unless one sample alone has more. A run gives
/// its place to another account between two samples, so that of long ones only one may be in progress.
const BYTES_AT_ONCE: u32 = 16 << 10;

/// Runs evaluations.
pub struct RunEvaluation {
    pub evaluations: Evaluations,
}

#[async_trait]
impl Handler for RunEvaluation {
    fn kind(&self) -> job::JobKind {
        job::JobKind::Evaluate
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let id = EvaluationId::from(run.job.subject.clone());
        let Some(row) = self.begin(&id).await? else { return Ok(()) };
        let account = AccountId::from(row.account_id.clone());
        let judge = JudgeId::from(row.judge_id.clone());
        let version = self.evaluations.judges.find_version(&judge, row.judge_version).await?;
        let questions: Arc<[Question]> = version.questions()?.into();
        let until = Watermark { sample: row.last_sample, label: row.last_label };
        let filter = parse_filter(&row.filter)?;
        let snapshot = SampleSnapshot { account: &account, judge: &judge, until, filter: &filter };
        let (mut samples, _) = samples(self.db(), &snapshot, &questions).await?;
        let checkpoint = row.checkpoint_id.clone().map(CheckpointId::from);
        let scope = EvaluationScope::of_row(&row.scope)?;
        let trained = scope.restrict(&mut samples, self.db(), checkpoint.as_ref()).await?;
        samples.retain(|sample| sample.seq > row.last_done);
        let price = Amount::from_milli(row.price);
        let answerer = match &row.backend {
            Some(name) => Answerer::Backend(Box::new(BackendAnswerer {
                inference: self.evaluations.inference.clone(),
                name: name.clone(),
                parameters: of_backend(&version.parameters)?,
                tenant: Tenant {
                    account: account.clone(),
                    backends: AllowedBackends::of(self.db(), &account, &row.created_by).await?,
                },
                price,
            })),
            None => Answerer::InProcess {
                model: self.model(row.checkpoint_id.as_deref()).await?,
                parameters: Parameters::parse(&version.parameters).map_err(Error::from)?,
            },
        };
        let asking = Asking {
            paid: &self.evaluations.paid,
            run,
            answerer,
            questions: questions.clone(),
            trained,
            room: Semaphore::new(BYTES_AT_ONCE as usize),
            price,
            payer: Payer::named(&row.created_by),
            id: id.clone(),
            account,
            judge,
        };
        for chunk in samples.chunks(CHUNK) {
            if run.interruption().is_some() {
                return Err(Failure::Interrupted);
            }
            asking.chunk(chunk.to_vec()).await?;
        }
        self.write_metrics(&id, &questions).await
    }

    fn subject(&self) -> &dyn JobSubject {
        &self.evaluations
    }
}

impl RunEvaluation {
    fn db(&self) -> &Database {
        &self.evaluations.paid.db
    }

    /// Marks an evaluation as running; none when it has ended or was erased.
    async fn begin(&self, id: &EvaluationId) -> Result<Option<evaluation::Model>> {
        let begun = job::begun::<evaluation::Entity>(id.as_str()).exec_with_returning(self.db().write());
        Ok(begun.await?.pop())
    }

    /// The base model, or the model with a Checkpoint, in the background.
    async fn model(&self, checkpoint: Option<&str>) -> Result<Arc<dyn DecisionBackend>, Failure> {
        let Some(trainer) = &self.evaluations.checkpoints.trainer else {
            let message = "this worker has no decision model; its operator installs one";
            return Err(Failure::Retry(Error::new(Code::EngineUnavailable, message)));
        };
        let head = match checkpoint {
            Some(id) => {
                use checkpoint_row::Column;
                let stored: Option<(Option<String>, Option<String>)> = checkpoint_row::Entity::find_by_id(id)
                    .select_only()
                    .columns([Column::Artefact, Column::Backbone])
                    .into_tuple()
                    .one(self.db().read())
                    .await?;
                let Some((Some(sha256), backbone)) = stored else {
                    return Err(Failure::Fatal("the Checkpoint no longer exists".to_owned()));
                };
                if backbone.as_deref() != Some(trainer.backbone()) {
                    let message = "the Checkpoint belongs to another decision model; train it again";
                    return Err(Failure::Fatal(message.to_owned()));
                }
                Some(Artefacts { db: self.db().clone() }.read(&sha256).await.map_err(Error::internal)?)
            }
            None => None,
        };
        let trainer = trainer.clone();
        let made = tokio::task::spawn_blocking(move || trainer.evaluator(head.as_deref()));
        Ok(made.await.map_err(Error::internal)?.map_err(Error::internal)?)
    }

    /// Computes the metrics from all answers, of samples that the Checkpoint was trained on apart from the others.
    ///
    /// # Errors
    /// No answer is left, because all samples were purged.
    async fn write_metrics(&self, id: &EvaluationId, questions: &[Question]) -> Result<(), Failure> {
        let rows = evaluation_answer::Entity::find()
            .filter(evaluation_answer::Column::EvaluationId.eq(id.as_str()))
            .all(self.db().read())
            .await?;
        if rows.is_empty() {
            return Err(Failure::Fatal("all its samples were purged while it ran".to_owned()));
        }
        let (trained, unseen) = rows.into_iter().partition(|row| row.trained);
        evaluation::Entity::update_many()
            .col_expr(evaluation::Column::Metrics, Expr::value(metrics(unseen, questions)?))
            .col_expr(evaluation::Column::TrainedMetrics, Expr::value(metrics(trained, questions)?))
            .filter(evaluation::Column::Id.eq(id.as_str()))
            .exec(self.db().write())
            .await?;
        Ok(())
    }
}

/// The metrics of answers by key, as JSON.
fn metrics(rows: Vec<evaluation_answer::Model>, questions: &[Question]) -> Result<String> {
    let mut by_key: HashMap<String, Vec<GradedAnswer>> = HashMap::new();
    for row in rows {
        by_key.entry(row.key.clone()).or_default().push(graded(row));
    }
    let metrics: Vec<KeyMetrics> = questions
        .iter()
        .filter_map(|question| {
            let graded: Vec<&GradedAnswer> = by_key.get(&question.key)?.iter().collect();
            Some(agreement::question_metrics(question, &graded))
        })
        .collect();
    serde_json::to_string(&metrics).map_err(Error::internal)
}

/// A refusal is not tried again.
fn failure(error: Error) -> Failure {
    match error.code {
        Code::Forbidden | Code::ValidationFailed => Failure::Fatal(error.message),
        _ => Failure::Retry(error),
    }
}

/// What answers.
enum Answerer {
    /// The base model, or one with a Checkpoint.
    InProcess {
        model: Arc<dyn DecisionBackend>,
        parameters: Parameters,
    },
    Backend(Box<BackendAnswerer>),
}

/// A backend, asked as a request would.
struct BackendAnswerer {
    inference: Inference,
    /// `NAME` or `NAME/model`.
    name: String,
    parameters: Parameters,
    tenant: Tenant,
    /// What a sample costs.
    price: Amount,
}

impl BackendAnswerer {
    async fn answers(&self, state: &DecisionState, questions: &[Question]) -> Result<Answers> {
        let request = InferenceRequest {
            state: state.clone(),
            questions: questions.to_vec(),
            output: None,
            backend: Backend::Auto,
            model: self.name.clone(),
            lenient_model: false,
            mode: DecisionMode::default(),
            parameters: self.parameters.clone(),
            checkpoint: None,
        };
        Ok(self.inference.evaluate(request, &self.tenant, self.price).await?.answers)
    }
}

/// What to ask, and who pays.
struct Asking<'a> {
    paid: &'a PaidJobs,
    run: &'a JobRun,
    answerer: Answerer,
    questions: Arc<[Question]>,
    /// `seq` of the samples that the Checkpoint was trained on.
    trained: HashSet<i64>,
    /// For bytes in progress.
    room: Semaphore,
    price: Amount,
    payer: Option<Payer>,
    id: EvaluationId,
    account: AccountId,
    judge: JudgeId,
}

impl Asking<'_> {
    /// Asks about a chunk, and charges for it with its answers.
    async fn chunk(&self, chunk: Vec<Content>) -> Result<(), Failure> {
        let Some((first, last)) = chunk.first().zip(chunk.last()).map(|(first, last)| (first.seq, last.seq))
        else {
            return Ok(());
        };
        let sizes: HashMap<i64, u32> =
            chunk.iter().map(|content| (content.seq, self.bytes_to_read(content))).collect();
        let mut chunks = Chunks::new(&self.paid.db, &self.account, &self.judge, chunk);
        let mut graded = Vec::new();
        let mut count = 0i64;
        while let Some(samples) = chunks.next().await? {
            let asked: Vec<_> = samples
                .iter()
                .map(|sample| self.of_sample(sample, sizes.get(&sample.seq).copied().unwrap_or_default()))
                .collect();
            let mut answered = stream::iter(asked).buffered(AT_ONCE);
            while let Some(of_sample) = answered.try_next().await.map_err(failure)? {
                count += 1;
                graded.extend(of_sample);
                self.run.yield_slot().await;
                if self.run.interruption().is_some() {
                    return Err(Failure::Interrupted);
                }
            }
        }
        if count == 0 {
            // All were purged meanwhile.
            return Ok(());
        }
        let request = format!("{}_{first}", self.run.job.charge_id());
        let cost = Amount::from_milli(-self.price.milli().saturating_mul(count));
        let mut entry =
            LedgerEntry::new(self.account.clone(), RequestId::from(request), EntryKind::Charge, cost);
        entry.items = count.unsigned_abs();
        // Unique to this charge, as references are.
        entry.reference = Some(format!("{}/{first}", self.id));
        entry.endpoint = Some("evaluation".into());
        entry.payer = self.payer.clone();
        entry.judge = Some(self.judge.clone());
        let answered = Answered { evaluation: self.id.clone(), samples: count, last, graded };
        entry.side_rows = vec![Arc::new(answered)];
        match self.paid.billing.credits.charge_job(&self.run.job.id, entry).await {
            Ok(_) => Ok(()),
            // Another run has ended the job, or the account was erased.
            Err(error) if matches!(error.code, Code::Conflict | Code::NotFound) => Err(Failure::Interrupted),
            Err(error) => Err(error.into()),
        }
    }

    /// What a sample takes of the bytes in progress.
    fn bytes_to_read(&self, sample: &Content) -> u32 {
        let bytes = usize::try_from(sample.bytes).unwrap_or(usize::MAX).saturating_mul(self.questions.len());
        u32::try_from(bytes).unwrap_or(u32::MAX).min(BYTES_AT_ONCE)
    }

    /// The answers about a sample. Waits while a backend has no place for it.
    async fn answers(&self, sample: &LabelledSample) -> Result<Answers> {
        match &self.answerer {
            Answerer::InProcess { model, parameters } => {
                let input = DecisionInput {
                    state: sample.state.value().clone(),
                    questions: self.questions.clone(),
                    mode: DecisionMode::default(),
                    model: None,
                    flow: Flow::from(&self.account),
                    group: None,
                    checkpoint: None,
                    parameters: parameters.clone(),
                };
                Ok(ask(model.as_ref(), &input).await?.answers)
            }
            Answerer::Backend(backend) => loop {
                let answers = backend.answers(&sample.state, &self.questions).await;
                let busy = answers.as_ref().is_err_and(|error| error.code == Code::Overloaded);
                if !busy || self.run.interruption().is_some() {
                    return answers;
                }
                tokio::time::sleep(PAUSE).await;
            },
        }
    }

    async fn of_sample(&self, sample: &LabelledSample, bytes: u32) -> Result<Vec<GradedSample>> {
        let _room = self.room.acquire_many(bytes).await.map_err(Error::internal)?;
        let answers = self.answers(sample).await?;
        let graded = sample.labels.iter().filter_map(|label| {
            let key = &label.asked.key;
            let (_, answer) = answers.iter().find(|(answered, _)| answered == key)?;
            Some(GradedSample {
                seq: sample.seq,
                key: key.clone(),
                trained: self.trained.contains(&sample.seq),
                graded: GradedAnswer::of(key, answer, &label.value),
            })
        });
        Ok(graded.collect())
    }
}
