//! Prices of operations: read from the database and cached for a second.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::price;
use parking_lot::Mutex;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, sea_query::OnConflict};
use serde_json::json;
use strum::{EnumString, IntoStaticStr};

use crate::{
    Error, Result,
    foundation::{actor::Actor, audit, database::Database, shared_reads::SharedReads},
    money::amount::Amount,
};

/// How long a process caches prices.
const CACHE_TTL: Duration = Duration::from_secs(1);

/// A paid operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }

    /// Parses a name. The error for an unknown one lists those allowed.
    pub fn parse(name: &str) -> Result<Self> {
        name.parse()
            .map_err(|_| Error::invalid("operation", "must be one of: text, image, inference, checkpoint"))
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
    cache: Mutex<Option<CachedPrices>>,
    reads: SharedReads<Operation, Amount>,
}

/// All prices, and when they were read.
struct CachedPrices {
    read_at: Instant,
    by_operation: HashMap<String, Amount>,
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
        *self.cache.lock() = Some(CachedPrices { read_at: Instant::now(), by_operation: prices });
        amount.ok_or_else(|| Error::internal(format!("no price for {}", operation.as_str())))
    }

    /// Every price, in the order of [`Operation::ALL`].
    pub async fn list(&self) -> Result<Vec<Price>> {
        let rows = self.db.in_time(price::Entity::find().all(self.db.read())).await?;
        let prices = Operation::ALL.into_iter().filter_map(|operation| {
            let row = rows.iter().find(|row| row.operation == operation.as_str())?;
            Some(Price { operation, amount: Amount::from_milli(row.amount), updated_at: row.updated_at })
        });
        Ok(prices.collect())
    }

    /// Sets a price, for the command line. It takes effect on every replica within a second.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a negative amount.
    pub async fn set(&self, operation: Operation, amount: Amount) -> Result<()> {
        write(self.db.write(), operation, amount).await?;
        *self.cache.lock() = None;
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
        *self.cache.lock() = None;
        Ok(())
    }

    fn cached(&self, operation: Operation) -> Option<Amount> {
        let cache = self.cache.lock();
        let cached = cache.as_ref().filter(|cached| cached.read_at.elapsed() < CACHE_TTL)?;
        cached.by_operation.get(operation.as_str()).copied()
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
