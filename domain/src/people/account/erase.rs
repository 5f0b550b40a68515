//! Erases accounts. People, keys, Judges, datasets and stored answers are deleted; the ledger keeps its amounts without
//! their references, so that the deployment's totals still add up.

use chrono::{TimeDelta, Utc};
use entity::{
    account, api_key, audit as audit_log, batch, failed_request, file, invite, job, judge, judge_version,
    moderation_policy, sample, storage, user, webhook_delivery, webhook_endpoint,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement, sea_query::Query,
};

use super::Accounts;
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
    learning::{checkpoint, dataset::Datasets, evaluation},
    money::credits,
};
use ports::id::AccountId;

/// The action of the only audit entry that remains.
const ERASE_ACTION: audit::Action = audit::Action::AccountErase;

impl Accounts {
    /// Erases the actor's account. `confirm` is the account's name, typed by the owner.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner; `VALIDATION_FAILED` when `confirm` is not the account's name.
    pub async fn erase(&self, actor: &Actor, confirm: &str) -> Result<()> {
        actor.require(Role::Owner)?;
        self.erase_as(&actor.account, actor.name(), confirm).await
    }

    /// Erases an account, for the command line.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when `confirm` is not the account's name; `NOT_FOUND` for an unknown account.
    pub async fn erase_by_command_line(&self, account: &AccountId, confirm: &str) -> Result<()> {
        self.erase_as(account, audit::COMMAND_LINE, confirm).await
    }

    /// Removes rows that requests in flight wrote after their account was erased. Covers accounts erased within the
    /// last day; returns how many those are.
    pub async fn sweep_erased(&self) -> Result<usize> {
        let recently_erased = account::Entity::find()
            .select_only()
            .column(account::Column::Id)
            .filter(account::Column::ErasedAt.gt(Utc::now() - TimeDelta::days(1)));
        let erased: Vec<String> = recently_erased.into_tuple().all(self.db.read()).await?;
        let count = erased.len();
        for account in erased.into_iter().map(AccountId::from) {
            let tx = self.db.begin().await?;
            remove_rest(&tx, &account).await?;
            tx.commit().await?;
        }
        Ok(count)
    }

    async fn erase_as(&self, account: &AccountId, by: &str, confirm: &str) -> Result<()> {
        let row = self.find(account).await?;
        if row.erased_at.is_some() {
            return Err(Error::new(Code::NotFound, format!("there is no account {account}")));
        }
        if confirm.trim() != row.name {
            return Err(Error::invalid("confirm", "must be the name of the account, letter by letter"));
        }
        // Samples are removed in chunks first, so that the transaction below is short.
        Datasets::new(self.db.clone()).remove_all(account).await?;
        let tx = self.db.begin().await?;
        credits::erase(&tx, account).await?;
        remove_rest(&tx, account).await?;
        let change = audit::Change {
            actor: by,
            ..audit::Change::by_command_line(account, ERASE_ACTION, account.as_str())
        };
        audit::write(&tx, change).await?;
        tx.commit().await?;
        clear_log(&self.db).await;
        Ok(())
    }
}

/// Removes everything except the account's row, its ledger and the audit entry of its erasure.
async fn remove_rest(tx: &DatabaseTransaction, account: &AccountId) -> Result<()> {
    let id = account.as_str();
    // A transaction that adds to a dataset locks its Judge first: it has ended by now, or will find no Judge.
    let locked =
        judge::Entity::find().filter(judge::Column::AccountId.eq(id)).order_by_asc(judge::Column::Id);
    locked.lock_exclusive().all(tx).await?;
    sample::Entity::delete_many().filter(sample::Column::AccountId.eq(id)).exec(tx).await?;
    storage::Entity::delete_by_id(id).exec(tx).await?;
    failed_request::Entity::delete_many().filter(failed_request::Column::AccountId.eq(id)).exec(tx).await?;
    // A worker that runs one of these notices that it is gone, and stops.
    job::Entity::delete_many().filter(job::Column::AccountId.eq(id)).exec(tx).await?;
    // The foreign key deletes their bytes too.
    file::Entity::delete_many().filter(file::Column::AccountId.eq(id)).exec(tx).await?;
    batch::Entity::delete_many().filter(batch::Column::AccountId.eq(id)).exec(tx).await?;
    // The endpoints before their deliveries, as elsewhere: each locks them in this order.
    webhook_endpoint::Entity::delete_many()
        .filter(webhook_endpoint::Column::AccountId.eq(id))
        .exec(tx)
        .await?;
    webhook_delivery::Entity::delete_many()
        .filter(webhook_delivery::Column::AccountId.eq(id))
        .exec(tx)
        .await?;
    let judges = Query::select()
        .column(judge::Column::Id)
        .from(judge::Entity)
        .and_where(judge::Column::AccountId.eq(id))
        .to_owned();
    evaluation::erase(tx, account).await?;
    checkpoint::erase(tx, account).await?;
    let versions = judge_version::Entity::delete_many();
    versions.filter(judge_version::Column::JudgeId.in_subquery(judges)).exec(tx).await?;
    judge::Entity::delete_many().filter(judge::Column::AccountId.eq(id)).exec(tx).await?;
    // The foreign key deletes their versions too.
    moderation_policy::Entity::delete_many()
        .filter(moderation_policy::Column::AccountId.eq(id))
        .exec(tx)
        .await?;
    api_key::Entity::delete_many().filter(api_key::Column::AccountId.eq(id)).exec(tx).await?;
    invite::Entity::delete_many().filter(invite::Column::AccountId.eq(id)).exec(tx).await?;
    // The foreign key deletes their sessions too.
    user::Entity::delete_many().filter(user::Column::AccountId.eq(id)).exec(tx).await?;
    audit_log::Entity::delete_many()
        .filter(audit_log::Column::AccountId.eq(id))
        .filter(audit_log::Column::Action.ne(ERASE_ACTION.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}

/// Truncates SQLite's write-ahead log, which still holds the deleted rows. An open reader can prevent it, which is not
/// an error.
async fn clear_log(db: &Database) {
    let backend = db.write().get_database_backend();
    if backend == DbBackend::Sqlite {
        let checkpoint = Statement::from_string(backend, "PRAGMA wal_checkpoint(TRUNCATE)");
        if let Err(error) = db.write().query_one_raw(checkpoint).await {
            tracing::warn!(%error, "could not truncate SQLite's write-ahead log after an erasure");
        }
    }
}
