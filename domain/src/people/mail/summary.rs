//! Tells owners each week what their account did.

use chrono::{DateTime, TimeDelta, Utc};
use entity::{account, ledger, sample};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Alias, Expr, ExprTrait, Func},
};

use super::{MailKind, Mails, low_balance::owners, texts::Week};
use crate::{
    Result,
    foundation::database::Database,
    money::{amount::Amount, credits::EntryKind},
};

/// Accounts that are told in one run; the next run tells the others.
const ACCOUNTS_PER_RUN: u64 = 100;

#[derive(FromQueryResult)]
struct Charges {
    count: i64,
    spent: Option<i64>,
}

#[derive(FromQueryResult)]
struct Messages {
    count: i64,
    acted_upon: Option<i64>,
}

impl Mails {
    /// Sends the summaries that are due: seven days after the last one, to accounts that were charged since.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn send_summaries(&self, db: &Database) -> Result<()> {
        if !self.are_sent() || !self.settings.weekly_summary {
            return Ok(());
        }
        use account::Column;
        let now = Utc::now();
        let since = now - TimeDelta::days(7);
        let not_lately = Condition::any().add(Column::SummaryAt.is_null()).add(Column::SummaryAt.lt(since));
        let due = account::Entity::find()
            .filter(Column::ErasedAt.is_null())
            .filter(Column::CreatedAt.lt(since))
            .filter(not_lately.clone())
            .limit(ACCOUNTS_PER_RUN);
        for account in due.all(db.read()).await? {
            let week = match week(db, &account, since).await {
                Ok(week) => week,
                Err(error) => {
                    let cause = error.with_cause();
                    tracing::warn!(account = account.id, cause, "could not summarise the week of an account");
                    continue;
                }
            };
            let owners = owners(db, &account.id, MailKind::WeeklySummary).await?;
            let claimed = account::Entity::update_many()
                .col_expr(Column::SummaryAt, Expr::value(now))
                .filter(Column::Id.eq(&account.id))
                .filter(not_lately.clone());
            let claimed = claimed.exec(db.write()).await?.rows_affected == 1;
            let Some(week) = week.filter(|_| claimed) else { continue };
            for owner in &owners {
                self.summary(owner, &week);
            }
        }
        Ok(())
    }
}

/// What an account did since a time; none if it was not charged.
async fn week<'a>(
    db: &Database,
    account: &'a account::Model,
    since: DateTime<Utc>,
) -> Result<Option<Week<'a>>> {
    let spent = Func::sum(Expr::col(ledger::Column::Delta)).cast_as(Alias::new("BIGINT"));
    let charges = ledger::Entity::find()
        .select_only()
        .expr_as(Expr::col(ledger::Column::Seq).count(), "count")
        .expr_as(spent, "spent")
        .filter(ledger::Column::AccountId.eq(&account.id))
        .filter(ledger::Column::Kind.eq(EntryKind::Charge.as_str()))
        .filter(ledger::Column::CreatedAt.gte(since));
    let Some(charges) = charges.into_model::<Charges>().one(db.read()).await? else { return Ok(None) };
    if charges.count == 0 {
        return Ok(None);
    }
    let acted = Expr::case(sample::Column::Action.ne("none"), 1).finally(0);
    let acted = Func::sum(acted).cast_as(Alias::new("BIGINT"));
    let messages = sample::Entity::find()
        .select_only()
        .expr_as(Expr::col(sample::Column::Seq).count(), "count")
        .expr_as(acted, "acted_upon")
        .filter(sample::Column::AccountId.eq(&account.id))
        .filter(sample::Column::Action.is_not_null())
        .filter(sample::Column::CreatedAt.gte(since));
    let messages = messages.into_model::<Messages>().one(db.read()).await?;
    let messages = messages.unwrap_or(Messages { count: 0, acted_upon: None });
    Ok(Some(Week {
        account: &account.name,
        charges: charges.count.unsigned_abs(),
        spent: Amount::from_milli(-charges.spent.unwrap_or_default()),
        available: Amount::from_milli(account.balance - account.held),
        messages: messages.count.unsigned_abs(),
        acted_upon: messages.acted_upon.unwrap_or_default().unsigned_abs(),
    }))
}
