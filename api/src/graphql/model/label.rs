//! What has been changed of a sample's ground truths.

use async_graphql::{Context, ID, Object};
use domain::dataset::{self, LabelPage, Sample};

use crate::graphql::{
    context::loaders,
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::loaded,
    pagination::{ListConnection, PageArgs, connection},
};

/// A change of the ground truth under one key of a sample.
pub(crate) struct LabelChange(dataset::LabelChange);

/// A page of a sample's history.
pub(crate) type LabelChangeConnection = ListConnection<LabelChange>;

/// A change of the ground truth under one key of a sample.
#[Object]
impl LabelChange {
    /// `change_…`: what was changed together, which `undoReclassification` undoes together.
    async fn change_id(&self) -> ID {
        ID(self.0.change.to_string())
    }

    /// The instruction's key.
    async fn key(&self) -> &str {
        &self.0.key
    }

    /// The ground truth before; null when there was none.
    async fn previous(&self) -> Option<&str> {
        self.0.previous.as_deref()
    }

    /// The ground truth since; null when it was cleared.
    async fn value(&self) -> Option<&str> {
        self.0.value.as_deref()
    }

    /// Who changed it: the id of a user or of an API key.
    async fn actor(&self) -> ID {
        ID(self.0.actor.clone())
    }

    /// When.
    async fn created_at(&self) -> DateTime {
        self.0.at.into()
    }
}

/// A page of a sample's history. Pages of many samples are read together.
pub(super) async fn history(
    ctx: &Context<'_>,
    sample: &Sample,
    args: PageArgs,
) -> FieldResult<LabelChangeConnection> {
    let (loaders, list, seq) = (loaders(ctx)?, format!("history:{}", sample.id), sample.seq);
    let wanted = LabelPage { sample: seq, page: args.page(&list)? };
    let slice = loaded(loaders.histories.load_one(wanted).await).map_err(field_error)?;
    let counts = loaders.history_counts.clone();
    let count = move || {
        let counts = counts.clone();
        Box::pin(async move { loaded(counts.load_one(seq).await) }) as _
    };
    Ok(connection(&list, (*slice).clone(), |change| change.seq, LabelChange, Box::new(count)))
}
