//! The clients retry on their own. Failed requests cost nothing; an answer lost on the way is paid once under an
//! `Idempotency-Key`, which all clients but the Rust one can send.

use serde_json::json;
use typesafe_jev::Config;

use super::{gateway::Gateway, paid, program::Program, rust, serving::Serving};
use crate::harness::{Db, Fault, on_both, on_sqlite};

/// The programs that make one call, and the path they call.
fn programs() -> [(&'static str, Program); 3] {
    [
        ("/v1/systemone", Program::python(&["system_one.py", "once"])),
        ("/v1/decisions", Program::python(&["openai_decisions.py", "once"])),
        ("/v1/systemone", Program::node(&["system_one.mjs", "once"])),
    ]
}

/// The first two answers are lost; the third, to the last retry, arrives.
async fn a_lost_answer_is_paid_once(db: Db) {
    let Serving { server, upstream } = &Serving::start(&db).await;
    for (path, program) in programs() {
        let account = server.account(10).await;
        let gateway = Gateway::before(server, 2).await;
        let already = upstream.asked().len();
        let program = program.with(&gateway.url(), &account).env("IDEMPOTENCY_KEY", "a-ticket");
        let found = program.findings().await;
        assert_eq!((found["retries"].as_u64(), gateway.seen()), (Some(2), 3), "{found}");
        assert!(found["noul"].as_f64().is_some_and(|noul| (0.0..=1.0).contains(&noul)), "{found}");
        assert_eq!(paid::charges(&db, &account).await, json!({ path: 1 }));
        assert_eq!(paid::spent(&db, &account).await, 500);
        assert_eq!(upstream.asked().len(), already + 1, "the work was done again");
    }
}

/// The model server fails twice, and Gavel is configured not to retry.
async fn failures_cost_nothing(db: Db) {
    let Serving { server, upstream } = &Serving::with(&db, &[("GAVEL_BACKEND_RETRIES", "0")]).await;
    let two_faults = [Some(Fault::Status(500)), Some(Fault::Reset)];
    for (path, program) in programs() {
        let account = server.account(10).await;
        upstream.next(two_faults.clone());
        let found =
            program.with(&server.base_url, &account).env("IDEMPOTENCY_KEY", "a-ticket").findings().await;
        assert_eq!(found["retries"], 2, "{found}");
        assert_eq!(paid::charges(&db, &account).await, json!({ path: 1 }));
    }
    let account = server.account(10).await;
    upstream.next(two_faults);
    let client = rust::client(server, &account.key, Config { backoff_scale: 0.0, ..Config::default() });
    assert_eq!(rust::asked(client).await, (1, 2));
    assert_eq!(paid::charges(&db, &account).await, json!({ "/v1/systemone": 1 }));
}

on_both!(a_lost_answer_is_paid_once);
on_sqlite!(failures_cost_nothing);
