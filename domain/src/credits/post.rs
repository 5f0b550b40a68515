//! Entries into rows: locks the accounts, does the arithmetic, writes balances, ledger and stored answers, ends holds. The
//! caller owns the transaction.

use std::collections::HashMap;

use entity::{account, hold, ledger, sample};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
    QueryOrder, QuerySelect, Statement, sea_query::Expr,
};

use super::{
    Amount, Entry, Kind, Receipt,
    entry::Outcome,
    tally::{Funds, Posted, Row, tally},
};
use crate::dataset;

/// Posts entries on a transaction. With `again`, request ids that are in the ledger already are found there first and
/// keep their receipts; without it they fail on the unique key.
pub(crate) async fn post(
    tx: &DatabaseTransaction,
    entries: &[Entry],
    again: bool,
) -> Result<Vec<Outcome>, DbErr> {
    let mut funds = lock(tx, entries.iter().map(|entry| entry.account.as_str())).await?;
    let mut posted = if again { find_posted(tx, entries, &funds).await? } else { HashMap::new() };
    let holds = find_holds(tx, entries).await?;
    let (outcomes, rows) = tally(&mut funds, &mut posted, &holds, entries);
    if !rows.is_empty() {
        write_balances(tx, entries, &rows, &funds).await?;
        write_ledger(tx, entries, &rows).await?;
        write_answers(tx, entries, &rows, &outcomes).await?;
        let samples: Vec<_> = rows.iter().filter_map(|row| entries[row.entry].sample.as_deref()).collect();
        dataset::insert(tx, &samples).await?;
        forget_refunded(tx, entries, &rows).await?;
        end_holds(tx, entries, &rows).await?;
    }
    Ok(outcomes)
}

/// Reads and locks the accounts, in id order so that two replicas cannot lock each other out. One that was erased is none:
/// nothing of it may be written any more.
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
        .lock_exclusive()
        .into_tuple()
        .all(tx)
        .await?;
    Ok(rows.into_iter().map(|(id, balance, held, seq)| (id, Funds { balance, held, seq })).collect())
}

/// Finds what was posted before, once the accounts are locked: no commit of theirs can still be under way then.
async fn find_posted(
    tx: &DatabaseTransaction,
    entries: &[Entry],
    funds: &HashMap<String, Funds>,
) -> Result<HashMap<String, Posted>, DbErr> {
    let ids = entries.iter().map(|entry| entry.request_id.as_str());
    let rows = ledger::Entity::find().filter(ledger::Column::RequestId.is_in(ids)).all(tx).await?;
    let receipt = |row: &ledger::Model| Receipt {
        deducted: Amount::from_milli(-row.delta),
        remaining: Amount::from_milli(
            row.balance_after - funds.get(&row.account_id).map_or(0, |funds| funds.held),
        ),
        seq: row.seq,
    };
    let posted = |row: ledger::Model| Posted { receipt: receipt(&row), reference: row.reference };
    Ok(rows.into_iter().map(|row| (row.request_id.clone(), posted(row))).collect())
}

/// What is held for the entries that capture, by request id. Whoever changes holds has locked their account.
async fn find_holds(tx: &DatabaseTransaction, entries: &[Entry]) -> Result<HashMap<String, i64>, DbErr> {
    let ids: Vec<&str> = captured(entries.iter()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let holds = hold::Entity::find().filter(hold::Column::RequestId.is_in(ids)).all(tx).await?;
    Ok(holds.into_iter().map(|hold| (hold.request_id, hold.amount)).collect())
}

/// Deletes the holds that were captured.
async fn end_holds(tx: &DatabaseTransaction, entries: &[Entry], rows: &[Row]) -> Result<(), DbErr> {
    let ids: Vec<&str> = captured(rows.iter().map(|row| &entries[row.entry])).collect();
    if !ids.is_empty() {
        hold::Entity::delete_many().filter(hold::Column::RequestId.is_in(ids)).exec(tx).await?;
    }
    Ok(())
}

fn captured<'a>(entries: impl Iterator<Item = &'a Entry>) -> impl Iterator<Item = &'a str> {
    entries.filter(|entry| entry.captures).map(|entry| entry.request_id.as_str())
}

/// Sets what is held of an account, which must be locked.
pub(super) async fn write_held(tx: &DatabaseTransaction, account: &str, held: i64) -> Result<(), DbErr> {
    account::Entity::update_many()
        .col_expr(account::Column::Held, Expr::value(held))
        .filter(account::Column::Id.eq(account))
        .exec(tx)
        .await?;
    Ok(())
}

/// Sets the new balances and what is held, all accounts in one statement.
async fn write_balances(
    tx: &DatabaseTransaction,
    entries: &[Entry],
    rows: &[Row],
    funds: &HashMap<String, Funds>,
) -> Result<(), DbErr> {
    let mut ids: Vec<&str> = rows.iter().map(|row| entries[row.entry].account.as_str()).collect();
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

async fn write_ledger(tx: &DatabaseTransaction, entries: &[Entry], rows: &[Row]) -> Result<(), DbErr> {
    let now = chrono::Utc::now();
    let models = rows.iter().map(|row| {
        let entry = &entries[row.entry];
        ledger::ActiveModel {
            account_id: Set(entry.account.to_string()),
            seq: Set(row.seq),
            request_id: Set(entry.request_id.to_string()),
            kind: Set(entry.kind.as_str().to_owned()),
            delta: Set(entry.delta.milli()),
            balance_after: Set(row.balance_after),
            reference: Set(entry.reference.clone()),
            endpoint: Set(entry.endpoint.map(str::to_owned)),
            api_key_id: Set(entry.key.clone().map(String::from)),
            note: Set(entry.note.clone()),
            created_at: Set(now),
        }
    });
    ledger::Entity::insert_many(models).exec_without_returning(tx).await?;
    Ok(())
}

/// What was recorded with a charge goes when that is undone: the client never had the answer.
async fn forget_refunded(tx: &DatabaseTransaction, entries: &[Entry], rows: &[Row]) -> Result<(), DbErr> {
    let refunds = rows.iter().map(|row| &entries[row.entry]).filter(|entry| entry.kind == Kind::Refund);
    let charges: Vec<&str> = refunds.filter_map(|entry| entry.reference.as_deref()).collect();
    if !charges.is_empty() {
        sample::Entity::delete_many().filter(sample::Column::RequestId.is_in(charges)).exec(tx).await?;
    }
    Ok(())
}

/// Stores what is to be answered again under an `Idempotency-Key`, all in one statement.
async fn write_answers(
    tx: &DatabaseTransaction,
    entries: &[Entry],
    rows: &[Row],
    outcomes: &[Outcome],
) -> Result<(), DbErr> {
    let (mut values, mut tuples) = (Vec::new(), Vec::new());
    for row in rows {
        let entry = &entries[row.entry];
        let (Some(answer), Outcome::Posted(receipt)) = (&entry.answer, outcomes[row.entry]) else { continue };
        let stored = serde_json::json!({ "receipt": receipt, "outcome": answer.outcome }).to_string();
        let n = values.len();
        tuples.push(format!("(${}, ${}, ${}, ${})", n + 1, n + 2, n + 3, n + 4));
        values.extend([
            entry.account.as_str().into(),
            answer.key.as_str().into(),
            entry.request_id.as_str().into(),
            stored.into(),
        ]);
    }
    if tuples.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "WITH new(account, key, request, answer) AS (VALUES {}) \
         UPDATE idempotency SET answer = new.answer FROM new \
         WHERE account_id = new.account AND idempotency.key = new.key AND request_id = new.request",
        tuples.join(", ")
    );
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}
