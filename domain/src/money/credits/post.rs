//! Posts entries: locks the accounts, computes the outcomes, and writes balances, ledger rows, side rows and holds. The
//! caller owns the transaction.

use std::collections::{HashMap, HashSet};

use entity::{account, hold, ledger};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
    sea_query::{Expr, LockType},
};

use super::{
    EntryKind, LedgerEntry, Payer, Receipt, SideTables,
    entry::PostOutcome,
    side_table::PostedEntry,
    tally::{Funds, LedgerRow, Posted, tally},
};
use crate::money::amount::Amount;
use ports::id::AccountId;

/// Posts entries on a transaction. With `again`, request ids that are already in the ledger are looked up first and
/// keep their receipts; without it they violate the unique key.
pub(crate) async fn post(
    tx: &DatabaseTransaction,
    entries: &[LedgerEntry],
    again: bool,
    side_tables: &SideTables,
) -> Result<Vec<PostOutcome>, DbErr> {
    let mut funds = lock(tx, entries.iter().map(|entry| entry.account.as_str())).await?;
    // A job repeats its charges after a crash, also those of a hold that has ended since.
    let repeated = entries.iter().filter(|entry| again || entry.job().is_some());
    let mut posted = find_posted(tx, repeated, &funds).await?;
    let mut holds = find_holds(tx, entries).await?;
    let (outcomes, rows) = tally(&mut funds, &mut posted, &mut holds, entries);
    if !rows.is_empty() {
        write_funds(tx, rows.iter().map(|row| entries[row.entry].account.as_str()), &funds).await?;
        write_ledger(tx, entries, &rows).await?;
        write_side_rows(tx, entries, &rows, &outcomes, side_tables).await?;
        write_holds(tx, entries, &rows, &holds).await?;
    }
    Ok(outcomes)
}

/// Locks an account. A transaction that changes jobs, or what they work for, beside other rows locks the account first,
/// as charges do: so no two transactions wait for each other in a circle. What only refers to the account, such as an
/// entry of the audit log, does not wait for this lock.
///
/// # Errors
/// When the database does not answer.
pub(crate) async fn lock_account(tx: &DatabaseTransaction, account: &AccountId) -> Result<(), DbErr> {
    lock(tx, [account.as_str()]).await.map(drop)
}

/// Reads and locks the accounts, in id order so that two replicas cannot deadlock. Erased accounts are left out:
/// nothing may be written to them.
pub(super) async fn lock(
    tx: &DatabaseTransaction,
    accounts: impl IntoIterator<Item = &str>,
) -> Result<HashMap<String, Funds>, DbErr> {
    let mut ids: Vec<&str> = accounts.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    let rows: Vec<(String, i64, i64, i64)> = account::Entity::find()
        .select_only()
        .columns([
            account::Column::Id,
            account::Column::Balance,
            account::Column::Held,
            account::Column::LedgerSeq,
        ])
        .filter(account::Column::Id.is_in(ids))
        .filter(account::Column::ErasedAt.is_null())
        .order_by_asc(account::Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_tuple()
        .all(tx)
        .await?;
    Ok(rows.into_iter().map(|(id, balance, held, seq)| (id, Funds { balance, held, seq })).collect())
}

/// Finds entries posted before. Called after the accounts are locked, when no commit of those entries can be in
/// progress.
async fn find_posted(
    tx: &DatabaseTransaction,
    entries: impl Iterator<Item = &'_ LedgerEntry>,
    funds: &HashMap<String, Funds>,
) -> Result<HashMap<String, Posted>, DbErr> {
    let ids: Vec<&str> = entries.map(|entry| entry.request_id.as_str()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = ledger::Entity::find().filter(ledger::Column::RequestId.is_in(ids)).all(tx).await?;
    let posted = rows.into_iter().map(|row| {
        let held = funds.get(&row.account_id).map_or(0, |funds| funds.held);
        let receipt = Receipt {
            deducted: Amount::from_milli(-row.delta),
            remaining: Amount::from_milli(row.balance_after - held),
            seq: row.seq,
        };
        (row.request_id, Posted { reference: row.reference, receipt })
    });
    Ok(posted.collect())
}

/// The amounts of the holds that the entries spend, by the id of the hold's request or job. Every change of a hold
/// locks its account.
async fn find_holds(
    tx: &DatabaseTransaction,
    entries: &[LedgerEntry],
) -> Result<HashMap<String, i64>, DbErr> {
    let ids: HashSet<&str> = entries.iter().filter_map(LedgerEntry::held_for).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let holds = hold::Entity::find().filter(hold::Column::RequestId.is_in(ids)).all(tx).await?;
    Ok(holds.into_iter().map(|hold| (hold.request_id, hold.amount)).collect())
}

/// Deletes the holds that have ended, and updates those that were spent in part.
async fn write_holds(
    tx: &DatabaseTransaction,
    entries: &[LedgerEntry],
    rows: &[LedgerRow],
    holds: &HashMap<String, i64>,
) -> Result<(), DbErr> {
    let spent: HashSet<&str> = rows.iter().filter_map(|row| entries[row.entry].held_for()).collect();
    let (left, ended): (Vec<&str>, Vec<&str>) = spent.into_iter().partition(|id| holds.contains_key(*id));
    if !ended.is_empty() {
        hold::Entity::delete_many().filter(hold::Column::RequestId.is_in(ended)).exec(tx).await?;
    }
    for id in left {
        hold::Entity::update_many()
            .col_expr(hold::Column::Amount, Expr::value(holds[id]))
            .filter(hold::Column::RequestId.eq(id))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Sets an account's total of holds. The account must be locked.
pub(super) async fn write_held(tx: &DatabaseTransaction, account: &str, held: i64) -> Result<(), DbErr> {
    account::Entity::update_many()
        .col_expr(account::Column::Held, Expr::value(held))
        .filter(account::Column::Id.eq(account))
        .exec(tx)
        .await?;
    Ok(())
}

/// Updates the balances and totals of holds of `accounts` in one statement. They must be locked.
pub(super) async fn write_funds(
    tx: &DatabaseTransaction,
    accounts: impl Iterator<Item = &str>,
    funds: &HashMap<String, Funds>,
) -> Result<(), DbErr> {
    let mut ids: Vec<&str> = accounts.collect();
    ids.sort_unstable();
    ids.dedup();
    let mut values = Vec::with_capacity(ids.len() * 4);
    let mut tuples = Vec::with_capacity(ids.len());
    for id in ids {
        let n = values.len();
        tuples.push(format!(
            "(CAST(${} AS TEXT), CAST(${} AS BIGINT), CAST(${} AS BIGINT), CAST(${} AS BIGINT))",
            n + 1,
            n + 2,
            n + 3,
            n + 4
        ));
        let Funds { balance, held, seq } = funds[id];
        values.extend([id.into(), balance.into(), held.into(), seq.into()]);
    }
    let sql = format!(
        "WITH new(id, balance, held, seq) AS (VALUES {}) \
         UPDATE account SET balance = new.balance, held = new.held, ledger_seq = new.seq \
         FROM new WHERE account.id = new.id",
        tuples.join(", ")
    );
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}

async fn write_ledger(
    tx: &DatabaseTransaction,
    entries: &[LedgerEntry],
    rows: &[LedgerRow],
) -> Result<(), DbErr> {
    let now = chrono::Utc::now();
    let models = rows.iter().map(|row| {
        let entry = &entries[row.entry];
        let (key, user) = match &entry.payer {
            Some(Payer::Key(key)) => (Some(key.to_string()), None),
            Some(Payer::User(user)) => (None, Some(user.to_string())),
            None => (None, None),
        };
        ledger::ActiveModel {
            account_id: Set(entry.account.to_string()),
            seq: Set(row.seq),
            request_id: Set(entry.request_id.to_string()),
            kind: Set(entry.kind.as_str().to_owned()),
            delta: Set(entry.delta.milli()),
            balance_after: Set(row.balance_after),
            items: Set(i64::try_from(entry.items).unwrap_or(i64::MAX)),
            reference: Set(entry.reference.clone()),
            endpoint: Set(entry.endpoint.as_deref().map(str::to_owned)),
            api_key_id: Set(key),
            user_id: Set(user),
            job_id: Set(entry.job().map(ToString::to_string)),
            judge_id: Set(entry.judge.as_ref().map(ToString::to_string)),
            note: Set(entry.note.clone()),
            created_at: Set(entry.at.unwrap_or(now)),
        }
    });
    ledger::Entity::insert_many(models).exec_without_returning(tx).await?;
    Ok(())
}

/// Lets each side table write the rows that accompany the charges, and delete the rows of refunded charges, whose
/// client never received the answer.
async fn write_side_rows(
    tx: &DatabaseTransaction,
    entries: &[LedgerEntry],
    rows: &[LedgerRow],
    outcomes: &[PostOutcome],
    side_tables: &SideTables,
) -> Result<(), DbErr> {
    let posted = rows.iter().filter_map(|row| match outcomes[row.entry] {
        PostOutcome::Posted(receipt) => Some(PostedEntry { entry: &entries[row.entry], receipt }),
        _ => None,
    });
    let posted: Vec<_> = posted.collect();
    let refunds = posted.iter().filter(|posted| posted.entry.kind == EntryKind::Refund);
    let refunded: Vec<&str> = refunds.filter_map(|posted| posted.entry.reference.as_deref()).collect();
    side_tables.write(tx, &posted, &refunded).await
}
