//! What operations cost: rows, read live, remembered for a second.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::price;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, sea_query::OnConflict};
use serde_json::json;

use crate::{Error, Result, actor::Actor, amount::Amount, audit, database::Database};

/// How long a price is remembered by a process before it is read again.
const FRESH: Duration = Duration::from_secs(1);

/// Something that costs credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// One text message.
    Text,
    /// One image.
    Image,
    /// One decision inference.
    Inference,
    /// One Judge Checkpoint.
    Checkpoint,
}

impl Operation {
    /// Every operation that has a price.
    pub const ALL: [Operation; 4] =
        [Operation::Text, Operation::Image, Operation::Inference, Operation::Checkpoint];

    /// The name in the `price` table.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Text => "text",
            Operation::Image => "image",
            Operation::Inference => "inference",
            Operation::Checkpoint => "checkpoint",
        }
    }

    /// Reads a name; an unknown one is an error naming the allowed ones.
    pub fn parse(name: &str) -> Result<Self> {
        Operation::ALL
            .into_iter()
            .find(|operation| operation.as_str() == name)
            .ok_or_else(|| Error::invalid("operation", "must be one of: text, image, inference, checkpoint"))
    }
}

/// What an operation costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// What.
    pub operation: Operation,
    /// How much one of it costs.
    pub amount: Amount,
    /// When that was last set.
    pub updated_at: DateTime<Utc>,
}

/// The price list.
pub struct Prices {
    db: Database,
    remembered: Mutex<Option<(Instant, HashMap<String, Amount>)>>,
}

impl Prices {
    /// The price list of a database.
    pub fn new(db: Database) -> Self {
        Self { db, remembered: Mutex::new(None) }
    }

    /// What one of `operation` costs, at most a second old.
    pub async fn of(&self, operation: Operation) -> Result<Amount> {
        if let Some(amount) = self.remembered(operation) {
            return Ok(amount);
        }
        self.read(operation).await
    }

    /// What one of `operation` costs now, read from the database; charges made after this use it.
    pub async fn read(&self, operation: Operation) -> Result<Amount> {
        let rows = self.db.in_time(price::Entity::find().all(self.db.read())).await?;
        let prices: HashMap<String, Amount> =
            rows.into_iter().map(|row| (row.operation, Amount::from_milli(row.amount))).collect();
        let amount = prices.get(operation.as_str()).copied();
        *self.lock() = Some((Instant::now(), prices));
        amount.ok_or_else(|| Error::internal(format!("no price for {}", operation.as_str())))
    }

    /// Every price, with when it was set, in the order of [`Operation::ALL`].
    pub async fn list(&self) -> Result<Vec<Price>> {
        let rows = self.db.in_time(price::Entity::find().all(self.db.read())).await?;
        let price = |operation: Operation| {
            let row = rows.iter().find(|row| row.operation == operation.as_str())?;
            Some(Price { operation, amount: Amount::from_milli(row.amount), updated_at: row.updated_at })
        };
        Ok(Operation::ALL.into_iter().filter_map(price).collect())
    }

    /// Sets a price; in force on every replica within a second: for the command line.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a negative amount.
    pub async fn set(&self, operation: Operation, amount: Amount) -> Result<()> {
        write(self.db.write(), operation, amount).await?;
        *self.lock() = None;
        Ok(())
    }

    /// Sets a price, as an operator who is signed in.
    ///
    /// # Errors
    /// `FORBIDDEN` for others, `VALIDATION_FAILED` for a negative amount.
    pub async fn set_by(&self, actor: &Actor, operation: Operation, amount: Amount) -> Result<()> {
        actor.require_operator()?;
        let tx = self.db.begin().await?;
        write(&tx, operation, amount).await?;
        let change = audit::Change::by(actor, "price.set", operation.as_str());
        audit::write(&tx, change.with(json!({ "credits": amount.credits() }))).await?;
        tx.commit().await?;
        *self.lock() = None;
        Ok(())
    }

    fn remembered(&self, operation: Operation) -> Option<Amount> {
        let remembered = self.lock();
        let (read_at, prices) = remembered.as_ref()?;
        (read_at.elapsed() < FRESH).then(|| prices.get(operation.as_str()).copied())?
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(Instant, HashMap<String, Amount>)>> {
        self.remembered.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
