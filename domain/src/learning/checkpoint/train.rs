//! Trains a Checkpoint: reads the snapshot, trains beside serving, compares with the live model on the hold-out, and
//! stores everything with the charge. An interrupted run starts over, with the same result.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use async_trait::async_trait;
use entity::checkpoint;
use sea_orm::{EntityTrait, sea_query::Expr};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::{
    Artefacts, Metrics,
    artefacts::MAX_BYTES,
    checkpoints::Checkpoints,
    control::{AbandonOnDrop, Control, Progress, TRAINING_SHARE},
    hold_out::{Contest, SplitSizes},
    outcome::TrainedCheckpoint,
    read::{Chunks, LabelledSample},
    recalibrate::CorrectionKind,
    server_answers,
    servers::{LabelledAnswers, ServerComparison, Servers},
    snapshot::Content,
    training_split::{MAX_SAMPLES, TrainingSplit},
};
use crate::{
    Code, Error, Result,
    background::job::{self, Failure, Handler, JobEnd, JobRun, JobSubject, PaidJobs},
    foundation::{database::Database, round::significant},
    learning::agreement::{self, Pair, Verdict},
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, Payer},
    },
};
use ports::id::{AccountId, CheckpointId};
use ports::training::{Level, Trained, Trainer, TrainingError, TrainingRequest, TrainingSample};
use ports::{
    Flow,
    decision::{CheckpointRef, DecisionBackend, HeadStore, Parameters, Question},
};

/// Maximum attempts to store a result before the job starts over, and the pause after the first failure; each further
/// pause is twice as long.
const STORE_ATTEMPTS: u32 = 6;
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// Trains Checkpoints.
pub struct TrainCheckpoint {
    pub checkpoints: Checkpoints,
}

#[async_trait]
impl Handler for TrainCheckpoint {
    fn kind(&self) -> job::JobKind {
        job::JobKind::TrainCheckpoint
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let id = CheckpointId::from(run.job.subject.clone());
        let Some(row) = self.begin(&id).await? else { return Ok(()) };
        let Some(trainer) = self.checkpoints.trainer.clone() else {
            let message = "this worker has no decision model; its operator installs one";
            return Err(Failure::Retry(Error::new(Code::EngineUnavailable, message)));
        };
        let PaidJobs { db, events, .. } = &self.checkpoints.paid;
        let account = AccountId::from(row.account_id.clone());
        let progress = Progress::new(db, events, &account, &id);
        let again = run.job.attempts > 1;
        progress.say(
            Level::Info,
            if again { "started over" } else { "started" },
            json!({ "attempt": run.job.attempts }),
        );
        let checkpoints = &self.checkpoints;
        let training = Training { checkpoints, run, row, account, trainer, progress: progress.clone() };
        let trained = tokio::select! {
            trained = training.checkpoint() => trained?,
            never = progress.keep_writing() => match never {},
        };
        // The last events are not worth a failure.
        let _ = progress.write().await;
        self.store(run, trained).await
    }

    fn subject(&self) -> &dyn JobSubject {
        &self.checkpoints
    }
}

impl TrainCheckpoint {
    /// Marks a Checkpoint as running; none when it has ended or was erased.
    async fn begin(&self, id: &CheckpointId) -> Result<Option<checkpoint::Model>> {
        let begun = job::begun::<checkpoint::Entity>(id.as_str())
            .col_expr(checkpoint::Column::Progress, Expr::value(0.0))
            .exec_with_returning(self.checkpoints.paid.db.write());
        Ok(begun.await?.pop())
    }

    /// Stores a result with its charge and the job's end, in one commit. Retries what the database refuses for a while,
    /// as on a full disk.
    async fn store(&self, run: &JobRun, trained: TrainedCheckpoint) -> Result<(), Failure> {
        let account = trained.account.clone();
        let mut entry = LedgerEntry::new(account, run.job.charge_id(), EntryKind::Charge, -trained.price);
        entry.reference = Some(trained.id.to_string());
        entry.endpoint = Some("checkpoint".into());
        entry.payer = Payer::named(&trained.created_by);
        entry.judge = Some(trained.judge.clone());
        entry.side_rows =
            vec![Arc::new(trained), Arc::new(JobEnd { job: run.job.id.clone(), token: run.token.clone() })];
        let mut attempt = 0;
        loop {
            let error = match self
                .checkpoints
                .paid
                .billing
                .credits
                .charge_job_and_end(&run.job.id, entry.clone())
                .await
            {
                Ok(_) => return Ok(()),
                // The hold has ended: another run was faster, or the account was erased.
                Err(error) if matches!(error.code, Code::Conflict | Code::NotFound) => return Ok(()),
                Err(error) => error,
            };
            if run.interruption().is_some() {
                return Err(Failure::Interrupted);
            }
            attempt += 1;
            if attempt == STORE_ATTEMPTS {
                return Err(error.into());
            }
            tracing::warn!(job = %run.job.id, cause = error.with_cause(), "could not store a Checkpoint");
            tokio::time::sleep(STORE_PAUSE * 2_u32.pow(attempt - 1)).await;
        }
    }
}

/// A run of a training.
struct Training<'a> {
    checkpoints: &'a Checkpoints,
    run: &'a JobRun,
    row: checkpoint::Model,
    account: AccountId,
    trainer: Arc<dyn Trainer>,
    progress: Progress,
}

impl Training<'_> {
    fn db(&self) -> &Database {
        &self.checkpoints.paid.db
    }

    async fn checkpoint(&self) -> Result<TrainedCheckpoint, Failure> {
        let judge_id = self.row.judge_id.clone().into();
        let split = TrainingSplit::of(self.db(), &self.row).await?;
        let TrainingSplit { training, hold_out: held, labelled, more } = split;
        let sizes = SplitSizes { training: training.len(), hold_out: held.len() };
        let numbers = json!({ "labelled": labelled, "training": sizes.training, "hold_out": sizes.hold_out });
        self.progress.say(Level::Info, "chose the samples", numbers);
        if more {
            let numbers = json!({ "most": MAX_SAMPLES });
            self.progress.say(
                Level::Warning,
                "there are more labelled samples; read only the newest",
                numbers,
            );
        }
        let judges = &self.checkpoints.judges;
        let version = judges.find_version(&judge_id, self.row.judge_version).await.map_err(gone)?;
        let questions: Arc<[Question]> = version.questions()?.into();
        let parameters = Parameters::parse(&version.parameters).map_err(Error::from)?;
        let of_servers = LabelledAnswers {
            training: server_answers::read(self.db(), &judge_id, &questions, &training).await?,
            hold_out: server_answers::read(self.db(), &judge_id, &questions, &held).await?,
        };
        let trained = self.train(questions.clone(), training).await?;
        let sha256 = format!("{:x}", Sha256::digest(&trained.head));
        let live = judges.find(&self.account, &judge_id).await.map_err(gone)?.checkpoint;
        let (candidate, other, live) = self.evaluators(&trained, live).await?;
        let contest = Contest {
            questions: questions.clone(),
            parameters: parameters.clone(),
            candidate,
            live: other,
            flow: Flow::from(&self.account),
        };
        let held = Chunks::new(self.db(), &self.account, &judge_id, held);
        let mut asked = 0;
        let all = sizes.hold_out.max(1) as f64;
        let step = || {
            asked += 1;
            self.progress.set(TRAINING_SHARE + (1.0 - TRAINING_SHARE) * f64::from(asked) / all);
        };
        let pairs = contest.pairs(held, self.run, step).await?;
        if self.run.interruption().is_some() {
            return Err(Failure::Interrupted);
        }
        let mut metrics = contest.metrics(&pairs, sizes, live);
        let learnt = tokio::task::spawn_blocking({
            let pairs = pairs.clone();
            move || of_servers.learn(&questions, &parameters, &pairs)
        });
        let Servers { comparisons, recalibrations } = learnt.await.map_err(Error::internal)??;
        metrics.servers = comparisons;
        metrics.activated = self.row.auto_activate && metrics.doubt.is_none() && metrics.helps();
        self.say_servers(&metrics);
        self.say_verdict(&metrics);
        self.say_changes(&metrics, &pairs);
        Ok(TrainedCheckpoint {
            price: Amount::from_milli(self.row.price),
            id: self.row.id.clone().into(),
            account: self.account.clone(),
            judge: judge_id,
            created_by: self.row.created_by.clone(),
            artefact: trained.head,
            sha256,
            backbone: trained.backbone,
            metrics,
            report: trained.report,
            recalibrations,
        })
    }

    /// Trains on a blocking thread, which reads the samples as they come from the database.
    async fn train(&self, questions: Arc<[Question]>, training: Vec<Content>) -> Result<Trained, Failure> {
        let expected = training.len();
        let mut chunks = Chunks::new(self.db(), &self.account, &self.row.judge_id.clone().into(), training);
        // One chunk is in training and one waits.
        let (feed, mut samples) = mpsc::channel(1);
        let feeding = async move {
            loop {
                let next = chunks.next().await.transpose();
                let Some(next) = next else { return };
                if feed.send(next).await.is_err() {
                    return;
                }
            }
        };
        let abandoned = Arc::new(AtomicBool::new(false));
        let _abandon = AbandonOnDrop(abandoned.clone());
        let interrupted = Box::new(self.run.interrupted());
        let control = Control { progress: self.progress.clone(), interrupted, abandoned };
        let trainer = self.trainer.clone();
        let seed = self.row.seed.unsigned_abs();
        let training = tokio::task::spawn_blocking(move || {
            let chunks = std::iter::from_fn(|| samples.blocking_recv());
            let mut samples = chunks.flat_map(|chunk| match chunk {
                Ok(chunk) => chunk.into_iter().map(|sample| Ok(training_sample(sample))).collect::<Vec<_>>(),
                Err(error) => vec![Err(ports::EngineError(error.with_cause()))],
            });
            let request = TrainingRequest { questions: &questions, samples: &mut samples, expected, seed };
            trainer.train(request, &control)
        });
        let (trained, ()) = tokio::join!(training, feeding);
        let trained = trained.map_err(Error::internal)?;
        if self.run.interruption().is_some() {
            return Err(Failure::Interrupted);
        }
        match trained {
            Ok(trained) if trained.head.len() > MAX_BYTES => Err(Failure::Fatal(format!(
                "what was trained has {} bytes, more than {MAX_BYTES}",
                trained.head.len()
            ))),
            Ok(trained) => Ok(trained),
            Err(TrainingError::Cancelled) => Err(Failure::Interrupted),
            Err(TrainingError::TooFewLabels(why)) => Err(Failure::Fatal(why)),
            Err(TrainingError::Failed(error)) => Err(Failure::Retry(Error {
                cause: Some(error.into()),
                ..Error::new(Code::EngineUnavailable, "the training failed; nothing was charged")
            })),
        }
    }

    /// The backends of the candidate and of the live model, and the live Checkpoint.
    async fn evaluators(
        &self,
        trained: &Trained,
        live: Option<CheckpointRef>,
    ) -> Result<(Arc<dyn DecisionBackend>, Arc<dyn DecisionBackend>, Option<CheckpointId>), Failure> {
        let store = Artefacts { db: self.db().clone() };
        // Serving ignores a Checkpoint of another backbone, too.
        let live = match live {
            Some(live) if !self.has_backbone(&live, &trained.backbone).await? => {
                let message = "the active Checkpoint belongs to another model; compared with the base model";
                self.progress.say(Level::Warning, message, json!({}));
                None
            }
            live => live,
        };
        let live_head = match &live {
            Some(live) => Some(store.read(&live.sha256).await.map_err(Error::internal)?),
            None => None,
        };
        let trainer = self.trainer.clone();
        let head = trained.head.clone();
        let made = tokio::task::spawn_blocking(move || {
            Ok::<_, ports::EngineError>((
                trainer.evaluator(Some(&head))?,
                trainer.evaluator(live_head.as_deref())?,
            ))
        });
        let (candidate, other) = made.await.map_err(Error::internal)?.map_err(Error::internal)?;
        Ok((candidate, other, live.map(|live| live.id)))
    }

    async fn has_backbone(&self, checkpoint: &CheckpointRef, backbone: &str) -> Result<bool, Failure> {
        let row = checkpoint::Entity::find_by_id(checkpoint.id.as_str()).one(self.db().read()).await?;
        Ok(row.is_some_and(|row| row.backbone.as_deref() == Some(backbone)))
    }

    fn say_verdict(&self, metrics: &Metrics) {
        let accuracy = |of: fn(&super::KeyComparison) -> Option<f64>| {
            let all: Vec<f64> = metrics.keys.iter().filter_map(of).collect();
            (!all.is_empty()).then(|| significant(all.iter().sum::<f64>() / all.len() as f64))
        };
        let numbers = json!({
            "accuracy": accuracy(|key| key.checkpoint.accuracy),
            "live_accuracy": accuracy(|key| key.live.accuracy),
        });
        let Verdict { better, worse, reason } = &metrics.verdict;
        let verdict = match (better, worse) {
            (true, _) => "better than the live model",
            (_, true) => "worse than the live model",
            (false, false) => "neither better nor worse than the live model",
        };
        self.progress.say(Level::Info, &format!("{verdict}: {reason}"), numbers);
        if metrics.activated {
            self.progress.say(Level::Info, "activated", json!({}));
        }
    }

    /// Says what was learnt of servers.
    fn say_servers(&self, metrics: &Metrics) {
        for one in &metrics.servers {
            let ServerComparison { server_model, key, .. } = one;
            let corrected = match one.correction {
                CorrectionKind::None => "keep their probabilities",
                CorrectionKind::Temperature => "get a temperature",
                CorrectionKind::Bias => "get a temperature and a bias for each value",
            };
            let suffices = if one.checkpoint_suffices { "; this Checkpoint is no worse" } else { "" };
            let numbers = json!({
                "answers": one.training_answers,
                "accuracy": one.given.accuracy.map(significant),
                "recalibrated_accuracy": one.recalibrated.accuracy.map(significant),
                "checkpoint_accuracy": one.checkpoint.accuracy.map(significant),
            });
            self.progress.say(
                Level::Info,
                &format!("the answers of {server_model} to `{key}` {corrected}{suffices}"),
                numbers,
            );
        }
    }

    /// Says what people should know before they let it answer.
    fn say_changes(&self, metrics: &Metrics, pairs: &[Pair]) {
        if let Some(doubt) = &metrics.doubt {
            let message = format!("not activated automatically, because {doubt}");
            let message = if self.row.auto_activate && metrics.helps() { &message } else { doubt };
            self.progress.say(Level::Warning, message, json!({}));
        }
        let (changed, samples) = agreement::changed(pairs);
        if changed * 2 > samples {
            let message =
                format!("it answers {changed} of {samples} samples differently from the live model");
            self.progress.say(Level::Warning, &message, json!({ "changed": changed, "samples": samples }));
        }
    }
}

/// A Judge that is gone was erased with its account.
fn gone(error: Error) -> Failure {
    match error.code {
        Code::NotFound => Failure::Fatal("the Judge no longer exists".to_owned()),
        _ => error.into(),
    }
}

fn training_sample(sample: LabelledSample) -> TrainingSample {
    TrainingSample { state: sample.state, content_hash: sample.hash, labels: sample.labels }
}
