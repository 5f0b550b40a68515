//! Assigns samples to people, so that a moderator finds what is theirs to decide.

use entity::{sample, user};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use serde_json::json;

use super::{
    Datasets, Sample, Selection, change::RETURNED_SAMPLES, review::require_reviewer, selection::lock,
};
use crate::{
    Error, Result,
    foundation::{actor::Actor, audit},
};
use ports::id::{SampleId, UserId};

/// Maximum samples assigned at once.
const MAX_ASSIGNED: usize = 1_000;

impl Datasets {
    /// Assigns samples to a person of the account, or to nobody. Returns the first hundred.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, and for a moderator unless all are of the moderation log; `NOT_FOUND` when a sample
    /// or the person does not exist; `VALIDATION_FAILED` for too many.
    pub async fn assign(&self, actor: &Actor, ids: &[SampleId], to: Option<&UserId>) -> Result<Vec<Sample>> {
        actor.require_moderator()?;
        if ids.is_empty() || ids.len() > MAX_ASSIGNED {
            let message = format!("must have 1 to {MAX_ASSIGNED} items, not {}", ids.len());
            return Err(Error::invalid("sampleIds", message));
        }
        if let Some(user) = to {
            let member = user::Entity::find_by_id(user.as_str())
                .filter(user::Column::AccountId.eq(actor.account.as_str()));
            member.one(self.db.read()).await?.ok_or_else(|| Error::not_found("user"))?;
        }
        let selection = Selection::Ids { dataset: None, ids: ids.to_vec() };
        let tx = self.db.begin().await?;
        let seqs = selection.select(&self.db, &actor.account).select_only().column(sample::Column::Seq);
        let seqs: Vec<i64> = seqs.into_tuple().all(&tx).await?;
        let rows = lock(&self.db, &tx, &actor.account, seqs).await?;
        selection.require_all(rows.len())?;
        require_reviewer(&tx, actor, &rows).await?;
        sample::Entity::update_many()
            .col_expr(sample::Column::AssignedTo, Expr::value(to.map(UserId::to_string)))
            .filter(sample::Column::Seq.is_in(rows.iter().map(|row| row.seq)))
            .exec(&tx)
            .await?;
        let target = to.map_or("", UserId::as_str);
        let change = audit::Change::by(actor, audit::Action::SampleAssign, target);
        audit::write(&tx, audit::Change { detail: json!({ "samples": rows.len() }), ..change }).await?;
        tx.commit().await?;
        let first: Vec<SampleId> = ids.iter().take(RETURNED_SAMPLES).cloned().collect();
        self.find_many(&actor.account, &first).await
    }
}
