//! The audit log.

use async_graphql::{Context, ID, Json, Object};
use domain::foundation::audit;
use ports::id::AccountId;
use serde_json::Value;

use super::{Actor, AuditAction};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, count_of},
};

pub(crate) struct AuditEntry(audit::AuditEntry);

pub(crate) type AuditEntryConnection = ListConnection<AuditEntry>;

/// An entry of the audit log: who changed what. It never holds content or secrets.
#[Object]
impl AuditEntry {
    /// The entry's id, `audit_…`.
    async fn id(&self) -> ID {
        ID(format!("audit_{}", self.0.seq))
    }

    /// Who made the change.
    async fn actor(&self) -> Actor {
        Actor(self.0.actor.clone())
    }

    /// The kind of change.
    async fn action(&self) -> AuditAction {
        self.0.action.into()
    }

    /// What was changed, such as the id of a Judge.
    async fn target(&self) -> Option<ID> {
        (!self.0.target.is_empty()).then(|| ID(self.0.target.clone()))
    }

    /// Details: a JSON object whose fields depend on `action`.
    async fn detail(&self) -> Json<&Value> {
        Json(&self.0.detail)
    }

    /// When the change was made.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// A page of an account's audit log, or of its changes of one kind.
pub(super) async fn entries(
    ctx: &Context<'_>,
    account: AccountId,
    action: Option<AuditAction>,
    args: PageArgs,
) -> FieldResult<AuditEntryConnection> {
    let log = services(ctx)?.audit_log.clone();
    let list = format!("auditLog:{account}");
    let action = action.map(audit::Action::from);
    let slice = log.page(&account, action, args.page::<i64>(&list)?).await.map_err(field_error)?;
    let count =
        count_of((log, account), move |(log, account)| async move { log.count(&account, action).await });
    Ok(connection(&list, slice, |entry| entry.seq, AuditEntry, count))
}
