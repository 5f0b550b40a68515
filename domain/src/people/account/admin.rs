//! Account administration by operators: every account with its balance and owners, but none of its content.

use entity::{account, user};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, QueryTrait};
use serde_json::json;

use super::{AccountRow, Accounts};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
        events::{Event, Events},
        page::{Page, Slice, slice},
        search::{occurs, without_nul},
    },
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, Receipt, SideTables, post},
    },
};
use ports::id::{AccountId, RequestId};

/// Maximum characters of a grant's note.
const NOTE_CHARS: usize = 200;

/// Credits that an operator grants, or withdraws.
#[derive(Clone, Debug)]
pub struct CreditGrant {
    pub account: AccountId,
    /// Negative to withdraw.
    pub amount: Amount,
    /// Up to 200 characters on one line.
    pub note: Option<String>,
}

impl Accounts {
    /// A page of all accounts, newest first, keyed by id. `query` is searched for in the name, the id and the e-mail
    /// addresses of the users.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator.
    pub async fn all(
        &self,
        actor: &Actor,
        query: Option<&str>,
        page: Page<String>,
    ) -> Result<Slice<AccountRow>> {
        actor.require_operator()?;
        slice(search(&self.db, query), account::Column::Id, true, page, self.db.read()).await
    }

    /// Counts the accounts that match `query`.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator.
    pub async fn count_all(&self, actor: &Actor, query: Option<&str>) -> Result<u64> {
        actor.require_operator()?;
        Ok(search(&self.db, query).count(self.db.read()).await?)
    }

    /// The e-mail addresses of the accounts' owners, each with its account.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator.
    pub async fn owners(&self, actor: &Actor, accounts: &[AccountId]) -> Result<Vec<(AccountId, String)>> {
        actor.require_operator()?;
        let rows = user::Entity::find()
            .filter(user::Column::AccountId.is_in(accounts.iter().map(AccountId::as_str)))
            .filter(user::Column::Role.eq(Role::Owner.as_str()));
        let rows = self.db.in_time(rows.all(self.db.read())).await?;
        Ok(rows.into_iter().map(|row| (AccountId::from(row.account_id), row.email)).collect())
    }

    /// Grants credits to an account, or withdraws some with a negative amount. The grant is recorded in the audit log,
    /// and `events` tells subscribers of the new balance.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator; `NOT_FOUND` for an unknown account; `VALIDATION_FAILED` for an
    /// amount of 0 or an invalid note; `INSUFFICIENT_CREDITS` when more is withdrawn than is available.
    pub async fn grant(&self, events: &Events, actor: &Actor, grant: CreditGrant) -> Result<AccountRow> {
        actor.require_operator()?;
        let account = grant.account.clone();
        post_grant(&self.db, actor.name(), grant_entry(grant)?).await?;
        events.publish(Event::Balance { account: account.clone() });
        self.find(&account).await
    }

    /// Grants credits, for the command line.
    ///
    /// # Errors
    /// As [`grant`](Self::grant), except `FORBIDDEN`.
    pub async fn grant_by_command_line(&self, grant: CreditGrant) -> Result<Receipt> {
        post_grant(&self.db, audit::COMMAND_LINE, grant_entry(grant)?).await
    }
}

fn grant_entry(grant: CreditGrant) -> Result<LedgerEntry> {
    let CreditGrant { account, amount, note } = grant;
    if !note.as_deref().is_none_or(is_valid_note) {
        return Err(Error::invalid("note", format!("must be at most {NOTE_CHARS} characters on one line")));
    }
    let kind = match amount.milli() {
        0 => return Err(Error::invalid("amount", "must not be 0")),
        ..0 => EntryKind::Adjustment,
        _ => EntryKind::Grant,
    };
    let mut entry = LedgerEntry::new(account, RequestId::new(), kind, amount);
    entry.note = note.filter(|note| !note.trim().is_empty());
    Ok(entry)
}

fn is_valid_note(note: &str) -> bool {
    note.chars().count() <= NOTE_CHARS && !note.chars().any(char::is_control)
}

async fn post_grant(db: &Database, by: &str, entry: LedgerEntry) -> Result<Receipt> {
    match db.in_time(try_to_grant(db, by, &entry)).await {
        // The first attempt may have been committed: the second one looks its request id up.
        Err(error) if error.code == Code::InternalError => db.in_time(try_to_grant(db, by, &entry)).await,
        granted => granted,
    }
}

async fn try_to_grant(db: &Database, by: &str, entry: &LedgerEntry) -> Result<Receipt> {
    let tx = db.begin().await?;
    let receipt =
        post(&tx, std::slice::from_ref(entry), true, &SideTables::default()).await?[0].receipt(entry)?;
    let id = &entry.account;
    let change = audit::Change {
        actor: by,
        ..audit::Change::by_command_line(id, audit::Action::CreditsGrant, id.as_str())
    };
    let detail = json!({ "credits": entry.delta.credits(), "seq": receipt.seq });
    audit::write(&tx, change.with(detail)).await?;
    tx.commit().await?;
    Ok(receipt)
}

fn search(db: &Database, query: Option<&str>) -> sea_orm::Select<account::Entity> {
    let all = account::Entity::find();
    let Some(query) = query.map(str::trim).filter(|query| !query.is_empty()) else { return all };
    let query = &without_nul(query);
    let by_address = user::Entity::find()
        .select_only()
        .column(user::Column::AccountId)
        .filter(occurs(db, user::Column::Email, query))
        .into_query();
    let by_name = occurs(db, account::Column::Name, query);
    all.filter(by_name.add(account::Column::Id.eq(query)).add(account::Column::Id.in_subquery(by_address)))
}
