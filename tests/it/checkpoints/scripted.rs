//! A Judge with labelled samples, and a worker whose trainer is scripted: a trained head answers with the
//! first word of the state, the base model with the first option.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    background::job::{Handlers, JobEndTable, JobQueue, JobState, Jobs, PaidJobs},
    foundation::{
        actor::{Actor, Identity, Role},
        database::Database,
        events::Events,
    },
    learning::{
        checkpoint::{Checkpoint, CheckpointTable, Checkpoints, NewCheckpoint, TrainCheckpoint},
        evaluation::{EvaluationTable, Evaluations, RunEvaluation},
        judge::{Judges, NewJudge},
        sample::SampleTable,
    },
    money::{billing::Billing, credits::SideTables},
    operations::inference::Inference,
    people::account::Accounts,
};
use ports::id::{AccountId, JudgeId, KeyId};
use ports::{
    EngineError,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo, QuestionKind, Usage},
    training::{
        KeyReport, Level, Trained, Trainer, TrainingControl, TrainingError, TrainingReport, TrainingRequest,
    },
};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Map, json};
use worker::{Queue, Worker, WorkerParts};

use crate::harness::{Account, Db, eventually, inv, worker_settings};

/// What the trainer received, and how it behaves.
#[derive(Default)]
pub(super) struct Script {
    /// The states and labels of each training, in order.
    pub(super) seen: Mutex<Vec<Vec<(String, String)>>>,
    /// The number of started trainings.
    pub(super) begun: AtomicUsize,
    /// While set, a training runs until it is cancelled.
    pub(super) waits: AtomicBool,
    /// While set, a training fails with too few labels.
    pub(super) refuses: AtomicBool,
    /// While set, the base model answers with the second word of the state.
    pub(super) second_word: AtomicBool,
    /// Bytes of padding added to a trained head.
    pub(super) padding: AtomicUsize,
    /// The duration of an answer in milliseconds.
    pub(super) answer_ms: AtomicU64,
    /// Answers under way, and the most that were at once.
    under_way: AtomicUsize,
    pub(super) most_under_way: AtomicUsize,
}

#[derive(Clone)]
pub(super) struct ScriptedTrainer(pub(super) Arc<Script>);

const HEAD: &[u8] = b"the first word";

impl Trainer for ScriptedTrainer {
    fn backbone(&self) -> &str {
        "b0"
    }

    fn train(
        &self,
        request: TrainingRequest<'_>,
        control: &dyn TrainingControl,
    ) -> Result<Trained, TrainingError> {
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        let mut seen = Vec::new();
        for sample in request.samples {
            let sample = sample.map_err(|error| EngineError(error.to_string()))?;
            let state = sample.state.value().as_str().unwrap_or_default().to_owned();
            seen.extend(sample.labels.iter().map(|label| (state.clone(), label.value.clone())));
        }
        control.event(Level::Info, "read", Map::from_iter([("labels".to_owned(), json!(seen.len()))]));
        control.progress(0.5);
        let labels = seen.len();
        self.0.seen.lock().unwrap().push(seen);
        if self.0.refuses.load(Ordering::SeqCst) {
            return Err(TrainingError::TooFewLabels("`team` has one class; label others too".to_owned()));
        }
        while self.0.waits.load(Ordering::SeqCst) && !control.cancelled() {
            std::thread::sleep(Duration::from_millis(20));
        }
        if control.cancelled() {
            return Err(TrainingError::Cancelled);
        }
        let key = KeyReport {
            key: "team".to_owned(),
            kind: "choice".to_owned(),
            labels,
            classes: Default::default(),
            left_out: Vec::new(),
            folds: 5,
            candidates: Vec::new(),
            chosen: "head".to_owned(),
            reason: "it is scripted".to_owned(),
        };
        let report = TrainingReport {
            samples: labels,
            keys: vec![key],
            unknown_keys: Default::default(),
            improved: true,
            seconds: 0.1,
        };
        let mut head = HEAD.to_vec();
        head.resize(HEAD.len() + self.0.padding.load(Ordering::SeqCst), b' ');
        Ok(Trained { head, backbone: "b0".to_owned(), report })
    }

    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        Ok(Arc::new(FirstWord {
            knows: head.is_some_and(|head| head.starts_with(HEAD)),
            script: self.0.clone(),
        }))
    }
}

/// Answers a choice with the first word of the state if it is trained, otherwise with the first option.
struct FirstWord {
    knows: bool,
    script: Arc<Script>,
}

#[async_trait]
impl DecisionBackend for FirstWord {
    fn name(&self) -> &'static str {
        "local"
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn models(&self) -> Vec<ModelInfo> {
        Vec::new()
    }

    fn takes_any_model(&self) -> bool {
        false
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        let now = self.script.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.script.most_under_way.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(self.script.answer_ms.load(Ordering::SeqCst))).await;
        self.script.under_way.fetch_sub(1, Ordering::SeqCst);
        let mut answers = Map::new();
        for question in input.questions.iter() {
            let QuestionKind::Choice(options) = &question.kind else { continue };
            let second = !self.knows && self.script.second_word.load(Ordering::SeqCst);
            let word = input.state.as_str().and_then(|state| state.split(' ').nth(usize::from(second)));
            let named = options.iter().position(|option| Some(option.value.as_str()) == word);
            let named = named.filter(|_| self.knows || second);
            let rest = 0.1 / (options.len() - 1) as f64;
            let mut probabilities = Map::new();
            for (at, option) in options.iter().enumerate() {
                let p = if at == named.unwrap_or(0) { 0.9 } else { rest };
                probabilities.insert(option.value.clone(), json!(p));
            }
            answers.insert(question.key.clone(), json!({ "probabilities": probabilities }));
        }
        let model = "scripted-1".to_owned();
        Ok(Decision { model, answers, usage: Usage::default(), notes: Vec::new() })
    }

    async fn probe(&self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// An account with a Judge, and the services of a process that trains it.
#[derive(Clone)]
pub(super) struct Studio {
    pub(super) db: Database,
    pub(super) paid: PaidJobs,
    pub(super) checkpoints: Checkpoints,
    pub(super) evaluations: Evaluations,
    pub(super) account: AccountId,
    pub(super) actor: Actor,
    pub(super) judge: JudgeId,
    pub(super) script: Arc<Script>,
    queue: Queue,
}

impl Studio {
    /// The Judges of all accounts.
    pub(super) fn judges(&self) -> Judges {
        Judges::new(self.db.clone())
    }

    pub(super) async fn new(db: &Db, credits: i64) -> Self {
        let Account { id, .. } = db.account(credits).await;
        let connected = Database::connect(db.url(), 8).await.unwrap();
        std::fs::create_dir_all(db.data_dir()).unwrap();
        let queue = Queue::sqlite(&db.data_dir().join("test-queue.sqlite"), "gavel").await.unwrap();
        let jobs = Jobs::new(connected.clone(), Some(Arc::new(queue.clone()) as Arc<dyn JobQueue>));
        let account = AccountId::from(id);
        let identity = Identity::Key(KeyId::new());
        let actor = Actor { account: account.clone(), identity, role: Role::Owner, operator: false };
        let events = Events::start(connected.clone());
        let new = NewJudge {
            name: "Triage".to_owned(),
            description: String::new(),
            instructions: json!({ "team": ["other", "billing", "shipping"] }),
            parameters: Map::new(),
            state_schema: None,
            store_content: true,
        };
        let judges = Judges::new(connected.clone());
        let judge = judges.create(&actor, new).await.unwrap().id;
        let tables = SideTables::default()
            .with(SampleTable { events: events.clone() })
            .with(CheckpointTable { db: connected.clone(), events: events.clone() })
            .with(EvaluationTable { events: events.clone() })
            .with(JobEndTable);
        let billing = Arc::new(Billing::start(connected.clone(), events.clone(), tables, None));
        let script = Arc::<Script>::default();
        let paid = PaidJobs { db: connected.clone(), billing, events, jobs };
        let trainer = Some(Arc::new(ScriptedTrainer(script.clone())) as Arc<dyn Trainer>);
        let inference = Inference::new(ScriptedTrainer(script.clone()).evaluator(None).unwrap());
        let checkpoints = Checkpoints { paid: paid.clone(), judges: judges.clone(), trainer };
        Self {
            db: connected,
            evaluations: Evaluations {
                paid: paid.clone(),
                judges,
                checkpoints: checkpoints.clone(),
                inference,
            },
            checkpoints,
            paid,
            account,
            actor,
            judge,
            script,
            queue,
        }
    }

    pub(super) fn handlers(&self) -> Handlers {
        Handlers::new(vec![
            Arc::new(TrainCheckpoint { checkpoints: self.checkpoints.clone() }),
            Arc::new(RunEvaluation { evaluations: self.evaluations.clone() }),
        ])
    }

    pub(super) fn worker(&self) -> Worker {
        let parts = WorkerParts {
            db: self.db.clone(),
            jobs: self.paid.jobs.clone(),
            queue: self.queue.clone(),
            handlers: self.handlers(),
            schedules: Vec::new(),
        };
        Worker::start(parts, &worker_settings(1))
    }

    /// Inserts labelled samples as an import does. The first word of each is its label.
    pub(super) async fn label(&self, samples: usize) {
        let teams = ["other", "billing", "shipping"];
        for number in 0..samples {
            let team = teams[number % 3];
            self.sample(&format!("{team} {number}"), team).await;
        }
    }

    /// Inserts a labelled sample; returns its `seq`.
    pub(super) async fn sample(&self, state: &str, team: &str) -> i64 {
        let id = ports::id::SampleId::new();
        let hash = domain::learning::sample::content_hash(&json!(state), None);
        let account = &self.account;
        let judge = &self.judge;
        let now = "2026-11-22 12:00:00+00:00";
        self.execute(&format!(
            "INSERT INTO sample (id, account_id, judge_id, judge_version, source, content_hash, state, \
             credits, labels, \
             created_at) VALUES ('{id}', '{account}', '{judge}', 1, 'import', '{hash}', '\"{state}\"', 0, 1, '{now}')"
        ))
        .await;
        self.execute(&format!(
            "INSERT INTO sample_answer (sample_seq, key, position, judge_id, judge_version, source, created_at, kind, \
             truth, truth_by, truth_at) SELECT seq, 'team', 0, judge_id, 1, 'import', created_at, 'choice', '{team}', \
             'key_x', created_at FROM sample WHERE id = '{id}'"
        ))
        .await;
        self.number(&format!("SELECT seq AS n FROM sample WHERE id = '{id}'")).await
    }

    /// The column `n` of a statement's only row.
    pub(super) async fn number(&self, sql: &str) -> i64 {
        let statement = Statement::from_string(self.db.read().get_database_backend(), sql);
        self.db.write().query_one_raw(statement).await.unwrap().unwrap().try_get("", "n").unwrap()
    }

    pub(super) async fn execute(&self, sql: &str) {
        self.db.write().execute_unprepared(sql).await.unwrap();
    }

    pub(super) async fn submit(&self, auto_activate: bool) -> domain::Result<Checkpoint> {
        let new = NewCheckpoint { judge: self.judge.clone(), auto_activate };
        self.checkpoints.submit(&self.actor, new, None).await
    }

    pub(super) async fn is(&self, of: &Checkpoint, state: JobState) -> Checkpoint {
        eventually(&format!("{} is {state:?}", of.id), async || {
            let now = self.checkpoints.find(&self.account, &of.id).await.unwrap();
            (now.state == state).then_some(now)
        })
        .await
    }

    /// Balance and held credits, in milli-credits.
    pub(super) async fn funds(&self) -> (i64, i64) {
        let row = Accounts::new(self.db.clone()).find(&self.account).await.unwrap();
        (row.balance, row.held)
    }

    /// Waits until the `n`th training is running.
    pub(super) async fn begun(&self, n: usize) {
        eventually(&format!("training {n} is running"), async || {
            (self.script.seen.lock().unwrap().len() >= n).then_some(())
        })
        .await;
    }

    /// The number of artefacts and of the account's charges.
    pub(super) async fn stored(&self, db: &Db) -> (i64, usize) {
        (inv::count(db, "artefact").await, inv::charges(db, self.account.as_str()).await.len())
    }
}
