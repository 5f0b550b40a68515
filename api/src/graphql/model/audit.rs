//! Who changed what.

use async_graphql::{Context, ID, Json, Object};
use domain::{audit, id::AccountId};
use serde_json::Value;

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection},
};

/// One change: who made it, what it was, and to what. Never content, never a secret.
pub(crate) struct AuditEntry(audit::Entry);

/// A page of the audit log.
pub(crate) type AuditEntryConnection = ListConnection<AuditEntry>;

/// One change: who made it, what it was, and to what. Never content, never a secret.
#[Object]
impl AuditEntry {
    /// Who: the id of a user or of an API key, or `operator` for the command line.
    async fn actor(&self) -> &str {
        &self.0.actor
    }

    /// What: a noun and a verb, such as `judge.update`.
    async fn action(&self) -> &str {
        &self.0.action
    }

    /// To what, such as the id of a Judge.
    async fn target(&self) -> Option<ID> {
        (!self.0.target.is_empty()).then(|| ID(self.0.target.clone()))
    }

    /// More of it: a JSON object, whose fields depend on `action`.
    async fn detail(&self) -> Json<&Value> {
        Json(&self.0.detail)
    }

    /// When.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// A page of an account's log.
pub(super) async fn entries(
    ctx: &Context<'_>,
    account: AccountId,
    args: PageArgs,
) -> FieldResult<AuditEntryConnection> {
    let db = services(ctx)?.db.clone();
    let list = format!("auditLog:{account}");
    let slice = audit::page(&db, &account, args.page::<i64>(&list)?).await.map_err(field_error)?;
    let count = move || {
        let (db, account) = (db.clone(), account.clone());
        Box::pin(async move { audit::count(&db, &account).await }) as _
    };
    Ok(connection(&list, slice, |entry| entry.seq, AuditEntry, Box::new(count)))
}
