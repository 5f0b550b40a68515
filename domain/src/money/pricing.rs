//! Prices of operations: read from the database and cached for a second.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::price;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, sea_query::OnConflict};
use serde_json::json;

use crate::{
    Error, Result,
    foundation::{actor::Actor, audit, database::Database, shared_reads::SharedReads},
    money::amount::Amount,
};

/// How long a process caches prices.
const CACHE_TTL: Duration = Duration::from_secs(1);

/// A paid operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A text message.
    Text,
    Image,
    /// A decision inference.
    Inference,
    /// A Judge Checkpoint.
    Checkpoint,
}

impl Operation {
    pub const ALL: [Operation; 4] =
        [Operation::Text, Operation::Image, Operation::Inference, Operation::Checkpoint];

    /// The operation's name in the `price` table.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Text => "text",
            Operation::Image => "image",
            Operation::Inference => "inference",
            Operation::Checkpoint => "checkpoint",
        }
    }

    /// Parses a name. The error for an unknown one lists those allowed.
    pub fn parse(name: &str) -> Result<Self> {
        Operation::ALL
            .into_iter()
            .find(|operation| operation.as_str() == name)
            .ok_or_else(|| Error::invalid("operation", "must be one of: text, image, inference, checkpoint"))
    }
}

/// The price of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub operation: Operation,
    /// The cost of one operation.
    pub amount: Amount,
    /// When the price was last set.
    pub updated_at: DateTime<Utc>,
}

/// The price list.
pub struct Prices {
    db: Database,
    cache: Mutex<Option<(Instant, HashMap<String, Amount>)>>,
    reads: SharedReads<Operation, Amount>,
}

impl Prices {
    /// A price list on a database.
    pub fn new(db: Database) -> Self {
        Self { db, cache: Mutex::new(None), reads: SharedReads::default() }
    }

    /// The price of an operation, at most a second old.
    pub async fn of(&self, operation: Operation) -> Result<Amount> {
        if let Some(amount) = self.cached(operation) {
            return Ok(amount);
        }
        self.reads.get(&operation, self.read(operation)).await
    }

    /// The current price of an operation, read from the database. Later charges in this process use it.
    pub async fn read(&self, operation: Operation) -> Result<Amount> {
        let rows = self.db.in_time(price::Entity::find().all(self.db.read())).await?;
        let prices: HashMap<String, Amount> =
            rows.into_iter().map(|row| (row.operation, Amount::from_milli(row.amount))).collect();
        let amount = prices.get(operation.as_str()).copied();
        *self.lock() = Some((Instant::now(), prices));
        amount.ok_or_else(|| Error::internal(format!("no price for {}", operation.as_str())))
    }

    /// Every price, in the order of [`Operation::ALL`].
    pub async fn list(&self) -> Result<Vec<Price>> {
        let rows = self.db.in_time(price::Entity::find().all(self.db.read())).await?;
        let price = |operation: Operation| {
            let row = rows.iter().find(|row| row.operation == operation.as_str())?;
            Some(Price { operation, amount: Amount::from_milli(row.amount), updated_at: row.updated_at })
        };
        Ok(Operation::ALL.into_iter().filter_map(price).collect())
    }

    /// Sets a price, for the command line. It applies on every replica within a second.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a negative amount.
    pub async fn set(&self, operation: Operation, amount: Amount) -> Result<()> {
        write(self.db.write(), operation, amount).await?;
        *self.lock() = None;
        Ok(())
    }

    /// Sets a price, for an operator.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator; `VALIDATION_FAILED` for a negative amount.
    pub async fn set_by(&self, actor: &Actor, operation: Operation, amount: Amount) -> Result<()> {
        actor.require_operator()?;
        let tx = self.db.begin().await?;
        write(&tx, operation, amount).await?;
        let change = audit::Change::by(actor, audit::Action::PriceSet, operation.as_str());
        audit::write(&tx, change.with(json!({ "credits": amount.credits() }))).await?;
        tx.commit().await?;
        *self.lock() = None;
        Ok(())
    }

    fn cached(&self, operation: Operation) -> Option<Amount> {
        let cache = self.lock();
        let (read_at, prices) = cache.as_ref()?;
        (read_at.elapsed() < CACHE_TTL).then(|| prices.get(operation.as_str()).copied())?
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(Instant, HashMap<String, Amount>)>> {
        self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

async fn write(db: &impl ConnectionTrait, operation: Operation, amount: Amount) -> Result<()> {
    if amount.milli() < 0 {
        return Err(Error::invalid("amount", "must not be negative"));
    }
    let row = price::ActiveModel {
        operation: Set(operation.as_str().to_owned()),
        amount: Set(amount.milli()),
        updated_at: Set(Utc::now()),
    };
    let replace = OnConflict::column(price::Column::Operation)
        .update_columns([price::Column::Amount, price::Column::UpdatedAt])
        .to_owned();
    price::Entity::insert(row).on_conflict(replace).exec_without_returning(db).await?;
    Ok(())
}
