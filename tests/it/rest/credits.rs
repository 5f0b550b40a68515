//! What requests cost, and that they cost it once.

use crate::harness::{Db, Server, inv, on_both};

async fn a_message_costs_half_a_credit(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let verdict = server.moderate(&account.key, "good morning, everyone").send().await.ok();
    assert_eq!((&verdict["credits_deducted"], &verdict["remaining_credits"]), (&0.5.into(), &9.5.into()));
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!((charges.len(), charges[0].delta, charges[0].balance_after), (1, -500, 9500));
}

on_both!(a_message_costs_half_a_credit);
