//! The database refuses the rows of one account: only its requests fail, although charges are committed in groups.

use std::time::Duration;

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Account, Db, Server, inv, on_both};

async fn execute(db: &Db, statements: &[&str]) {
    for statement in statements {
        db.execute(statement).await;
    }
}

async fn refuse_charges(db: &Db, account: &Account) {
    let when = format!("WHEN (NEW.account_id = '{}')", account.id);
    if db.is_sqlite() {
        let trigger = "CREATE TRIGGER refuse BEFORE INSERT ON ledger";
        execute(db, &[&format!("{trigger} {when} BEGIN SELECT RAISE(ABORT, 'refused'); END")]).await;
        return;
    }
    let function = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
                    $$ BEGIN RAISE EXCEPTION 'refused'; END $$";
    let trigger = "CREATE TRIGGER refuse BEFORE INSERT ON ledger FOR EACH ROW";
    execute(db, &[function, &format!("{trigger} {when} EXECUTE FUNCTION refuse()")]).await;
}

async fn accept_charges(db: &Db) {
    let on = if db.is_sqlite() { "" } else { " ON ledger" };
    execute(db, &[&format!("DROP TRIGGER refuse{on}")]).await;
}

async fn an_account_whose_rows_are_refused_fails_alone(db: Db) {
    let server = Server::start(&db).await;
    let good = server.account(100_000).await;
    let bad = server.account(100_000).await;
    refuse_charges(&db, &bad).await;
    let load = Load::start(&good, &[&server], 16);
    let refused = Load::start(&bad, &[&server], 4);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let refused = check(&db, &bad, &refused.stop().await).await;
    let served = check(&db, &good, &load.stop().await).await;
    report("rows refused", &refused);
    report("beside them", &served);
    assert_eq!(refused.by_status.keys().copied().collect::<Vec<_>>(), [500]);
    assert_eq!(served.by_status.keys().copied().collect::<Vec<_>>(), [200]);
    assert_eq!((refused.charges, refused.refunds, served.refunds), (0, 0, 0));
    assert_eq!(inv::balance(&db, &bad.id).await, 100_000_000);
    accept_charges(&db).await;
    server.moderate(&bad.key, "and now it is accepted").send().await.ok();
    no_log_holds_content(&db);
}

on_both!(an_account_whose_rows_are_refused_fails_alone);
