//! Temperatures that make the probabilities of the operator's backends honest: fitted on labelled questions, stored
//! with the model that they were fitted on, and applied only to answers of that model.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::backend_calibration;
use parking_lot::Mutex;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use crate::{Error, Result, foundation::database::Database};
use ports::decision::QuestionKind;

/// How long a process caches calibrations.
const CACHE_TTL: Duration = Duration::from_secs(5);
/// From this many options on, a choice is one of many.
const MANY_OPTIONS: usize = 5;

/// The calibration of one backend.
#[derive(Clone, Debug, PartialEq)]
pub struct BackendCalibration {
    pub backend: String,
    /// The exact model that was calibrated.
    pub model: String,
    pub groups: Vec<GroupCalibration>,
    pub created_at: DateTime<Utc>,
}

/// The calibration of one group of questions.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCalibration {
    pub group: QuestionGroup,
    pub temperature: f64,
    /// Questions that the figures below are of; none of them was fitted on.
    pub questions: i32,
    pub accuracy: f64,
    /// The expected calibration error before and after.
    pub ece_before: f64,
    pub ece_after: f64,
}

/// The questions that have a temperature in common.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum QuestionGroup {
    Noul,
    Score,
    /// A choice of two to four options.
    ChoiceOfFew,
    ChoiceOfMany,
}

/// The calibrations of all backends. Cheap to clone.
#[derive(Clone)]
pub struct Calibrations {
    db: Database,
    cache: Arc<Mutex<Option<CachedCalibrations>>>,
}

struct CachedCalibrations {
    read_at: Instant,
    by_backend: HashMap<String, Arc<BackendCalibration>>,
}

/// Whether an answer's probabilities were calibrated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum CalibrationUse {
    /// The backend has none.
    #[default]
    None,
    Applied(HashMap<QuestionGroup, f64>),
    /// The backend was calibrated with this model, and another one answers now.
    OfAnotherModel(String),
}

impl QuestionGroup {
    pub fn of(kind: &QuestionKind) -> Self {
        match kind {
            QuestionKind::Noul { .. } | QuestionKind::Prompt => Self::Noul,
            QuestionKind::Score(_) => Self::Score,
            QuestionKind::Choice(choices) if choices.len() < MANY_OPTIONS => Self::ChoiceOfFew,
            QuestionKind::Choice(_) => Self::ChoiceOfMany,
        }
    }

    /// The name in the table.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl CalibrationUse {
    pub(super) fn of(calibration: Option<&BackendCalibration>, model: &str) -> Self {
        match calibration {
            None => Self::None,
            Some(calibration) if calibration.model != model => {
                Self::OfAnotherModel(calibration.model.clone())
            }
            Some(calibration) => {
                let groups = calibration.groups.iter();
                Self::Applied(groups.map(|group| (group.group, group.temperature)).collect())
            }
        }
    }

    /// The temperature of a question; 1 changes nothing.
    pub(super) fn temperature(&self, kind: &QuestionKind) -> f64 {
        match self {
            Self::Applied(groups) => groups.get(&QuestionGroup::of(kind)).copied().unwrap_or(1.0),
            Self::None | Self::OfAnotherModel(_) => 1.0,
        }
    }

    /// What a user should know, if the probabilities were not calibrated.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Applied(_) => None,
            Self::None => Some("its probabilities are not calibrated".to_owned()),
            Self::OfAnotherModel(model) => {
                Some(format!("its probabilities are not calibrated: it was calibrated as {model}"))
            }
        }
    }
}

impl Calibrations {
    pub fn new(db: Database) -> Self {
        Self { db, cache: Arc::default() }
    }

    /// The calibration of a backend, at most some seconds old. A database that does not answer leaves the last one.
    pub(super) async fn of(&self, backend: &str) -> Option<Arc<BackendCalibration>> {
        if let Some(cached) = self.cached(backend, CACHE_TTL) {
            return cached;
        }
        match self.list().await {
            Ok(all) => {
                let by_backend = all.into_iter().map(|one| (one.backend.clone(), Arc::new(one))).collect();
                *self.cache.lock() = Some(CachedCalibrations { read_at: Instant::now(), by_backend });
            }
            Err(error) => tracing::warn!(%error, "could not read the calibrations of backends"),
        }
        self.cached(backend, Duration::MAX).flatten()
    }

    fn cached(&self, backend: &str, ttl: Duration) -> Option<Option<Arc<BackendCalibration>>> {
        let cache = self.cache.lock();
        let cached = cache.as_ref().filter(|cached| cached.read_at.elapsed() < ttl)?;
        Some(cached.by_backend.get(backend).cloned())
    }

    /// All calibrations.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self) -> Result<Vec<BackendCalibration>> {
        let rows = self.db.in_time(backend_calibration::Entity::find().all(self.db.read())).await?;
        let mut all: Vec<BackendCalibration> = Vec::new();
        for row in rows {
            let group = row.question_group.parse().map_err(Error::internal)?;
            let group = GroupCalibration {
                group,
                temperature: row.temperature,
                questions: row.questions,
                accuracy: row.accuracy,
                ece_before: row.ece_before,
                ece_after: row.ece_after,
            };
            match all.iter_mut().find(|one| one.backend == row.backend) {
                Some(one) => one.groups.push(group),
                None => all.push(BackendCalibration {
                    backend: row.backend,
                    model: row.model,
                    groups: vec![group],
                    created_at: row.created_at,
                }),
            }
        }
        Ok(all)
    }

    /// Replaces the calibration of a backend. Every replica applies it within some seconds.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn store(&self, calibration: &BackendCalibration) -> Result<()> {
        let BackendCalibration { backend, model, groups, created_at } = calibration;
        let tx = self.db.begin().await?;
        backend_calibration::Entity::delete_many()
            .filter(backend_calibration::Column::Backend.eq(backend))
            .exec(&tx)
            .await?;
        let rows = groups.iter().map(|group| backend_calibration::ActiveModel {
            backend: Set(backend.clone()),
            question_group: Set(group.group.as_str().to_owned()),
            model: Set(model.clone()),
            temperature: Set(group.temperature),
            questions: Set(group.questions),
            accuracy: Set(group.accuracy),
            ece_before: Set(group.ece_before),
            ece_after: Set(group.ece_after),
            created_at: Set(*created_at),
        });
        backend_calibration::Entity::insert_many(rows).exec_without_returning(&tx).await?;
        tx.commit().await?;
        *self.cache.lock() = None;
        Ok(())
    }
}
