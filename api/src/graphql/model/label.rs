//! The history of a sample's ground truths.

use async_graphql::{Context, ID, Object};
use domain::learning::dataset::{self, LabelPage, Sample};

use super::Actor;
use crate::graphql::{
    context::loaders,
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::loaded,
    pagination::{ListConnection, PageArgs, connection, count_of},
};

pub(crate) struct LabelChange(dataset::LabelChange);

pub(crate) type LabelChangeConnection = ListConnection<LabelChange>;

/// A change of a sample's ground truth for one key.
#[Object]
impl LabelChange {
    /// The id of the reclassification, `change_…`. The changes of one reclassification share it and are undone
    /// together.
    async fn change_id(&self) -> ID {
        ID(self.0.change.to_string())
    }

    /// The key of the answer.
    async fn key(&self) -> &str {
        &self.0.key
    }

    /// The ground truth before the change; null if there was none.
    async fn previous(&self) -> Option<&str> {
        self.0.previous.as_deref()
    }

    /// The ground truth after the change; null if it was cleared.
    async fn value(&self) -> Option<&str> {
        self.0.value.as_deref()
    }

    /// Who made the change.
    async fn actor(&self) -> Actor {
        Actor(self.0.actor.clone())
    }

    /// What they wrote about it; null for nothing.
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    /// When the change was made.
    async fn created_at(&self) -> DateTime {
        self.0.at.into()
    }
}

/// A page of a sample's history. The pages of many samples are read together.
pub(super) async fn history(
    ctx: &Context<'_>,
    sample: &Sample,
    args: PageArgs,
) -> FieldResult<LabelChangeConnection> {
    let loaders = loaders(ctx)?;
    let list = format!("history:{}", sample.id);
    let seq = sample.seq;
    let wanted = LabelPage { sample: seq, page: args.page(&list)? };
    let slice = loaded(loaders.histories.load_one(wanted).await).map_err(field_error)?;
    let counts = loaders.history_counts.clone();
    let count = count_of(counts, move |counts| async move { loaded(counts.load_one(seq).await) });
    Ok(connection(&list, (*slice).clone(), |change| change.seq, LabelChange, count))
}
