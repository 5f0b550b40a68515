//! Inserts samples in the commit of the charge for their inference.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entity::sample;
use sea_orm::{ColumnTrait, Condition, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::{
    NewSample,
    rows::{Charged, insert},
    storage, stored_bytes,
};
use crate::{
    foundation::{
        events::{Event, Events},
        json_bytes::json_bytes,
    },
    money::credits::{PostedRow, SideTable},
};
use ports::id::AccountId;

/// Inserts the [`NewSample`]s that come with charges.
pub struct SampleTable {
    /// Receives the recorded samples.
    pub events: Events,
}

#[async_trait]
impl SideTable for SampleTable {
    type Row = NewSample;

    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, NewSample>]) -> Result<(), DbErr> {
        let samples = rows.iter().map(|PostedRow { row: sample, entry, .. }| {
            let credits = sample.credits.unwrap_or(-entry.delta);
            (*sample, Charged { request_id: &entry.request_id, credits, at: entry.at })
        });
        insert(tx, &samples.collect::<Vec<_>>()).await
    }

    fn bytes(&self, sample: &NewSample) -> usize {
        json_bytes(&sample.state) + sample.instructions.as_ref().map_or(0, json_bytes)
    }

    async fn delete_refunded(&self, tx: &DatabaseTransaction, requests: &[&str]) -> Result<(), DbErr> {
        let recorded = sample::Column::RequestId.is_in(requests.iter().copied());
        let bytes: Vec<(String, i64)> = sample::Entity::find()
            .select_only()
            .column(sample::Column::AccountId)
            .expr_as(stored_bytes(Condition::all()), "bytes")
            .filter(recorded.clone())
            .into_tuple()
            .all(tx)
            .await?;
        sample::Entity::delete_many().filter(recorded).exec(tx).await?;
        let mut freed = BTreeMap::new();
        for (account, bytes) in bytes {
            *freed.entry(account).or_default() -= bytes;
        }
        storage::add(tx, freed).await
    }

    fn announce(&self, account: &AccountId, sample: &NewSample) {
        let account = account.clone();
        let dataset = sample.dataset.clone();
        let sample = sample.id.clone();
        self.events.publish(Event::Sample { account, dataset, sample });
    }
}
