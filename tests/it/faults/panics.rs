//! A panic during the work of a request, through the domain's own interface, since no HTTP request causes one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    Code,
    foundation::{allowed_backends::AllowedBackends, database::Database, events::Events},
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, FinishFlag, Payment},
        credits::{Payer, SideTables},
        idempotency::IdempotencyKey,
    },
};
use ports::id::{AccountId, KeyId, ModerationId, RequestId};
use serde::{Deserialize, Serialize};

use crate::harness::{Account, Db, inv, on_both};

#[derive(Debug, Serialize, Deserialize)]
struct TestResult(String);

impl Billable for TestResult {
    fn reference(&self) -> String {
        self.0.clone()
    }
}

fn payment(account: &Account) -> Payment {
    Payment {
        account: AccountId::from(account.id.clone()),
        payer: Payer::Key(KeyId::from(account.key_id.clone())),
        backends: AllowedBackends::all(),
        judge: None,
        endpoint: "a test",
        items: 1,
        request_id: RequestId::new(),
        at: None,
        finish: FinishFlag::default(),
        idempotency: Some(IdempotencyKey::new("k", "a test", &"the request").unwrap()),
    }
}

fn panics() -> domain::Result<TestResult> {
    panic!("on purpose")
}

async fn a_panic_releases_the_key_and_the_credits(db: Db) {
    let account = db.account(1).await;
    let connected = Database::connect(db.url(), 4).await.unwrap();
    let billing = Billing::start(connected.clone(), Events::start(connected), SideTables::default(), None);
    let billing = Arc::new(billing);
    let cost = Amount::from_milli(1_000);
    let start = Instant::now();
    for cost in [Cost::Reserved(cost), Cost::Held(cost)] {
        let error = billing.run(payment(&account), cost, async { panics() }).await.unwrap_err();
        assert_eq!(error.code, Code::InternalError);
    }
    let work = async { Ok(TestResult(ModerationId::new().to_string())) };
    let paid = billing.run::<TestResult, _, _>(payment(&account), Cost::Held(cost), work).await.unwrap();
    assert!(!paid.replayed && start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    assert_eq!(inv::balance(&db, &account.id).await, 0);
    assert!(billing.credits.is_running());
}

on_both!(a_panic_releases_the_key_and_the_credits);
