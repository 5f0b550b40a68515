//! Image URLs with names whose server never answers, beside another account's image URLs.

use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::task::JoinSet;

use super::victim::{FLOOR, beside};
use crate::harness::{
    Account, Db, NameAnswer, NameServer, Origin, Request, Server, on_sqlite,
    picture::{IMAGE, fixture},
    response,
};

const ACCOUNTS: usize = 12;
/// Requests of each account at once.
const AT_ONCE: usize = 12;
const ATTACK: Duration = Duration::from_secs(8);

/// The URLs end names in a dot, so that the search domains of this machine are not asked for.
async fn name_server() -> NameServer {
    NameServer::start(|name| match name {
        "pictures.test" => NameAnswer::Address(Ipv4Addr::LOCALHOST),
        "missing.test" => NameAnswer::Missing,
        _ => NameAnswer::Silence,
    })
    .await
}

async fn server(db: &Db, names: &NameServer) -> Server {
    let server = Server::with(db).env("GAVEL_NAME_SERVERS", names.address);
    server.env("GAVEL_FETCH_ALLOW", "127.0.0.0/8").start().await
}

fn by_url(server: &Server, account: &Account, url: &str) -> Request {
    server.post(IMAGE).key(&account.key).json(json!({ "image_url": url }))
}

async fn names_that_never_resolve_do_not_delay_others(db: Db) {
    let names = name_server().await;
    let picture = fixture("rgb.jpg");
    let origin = Origin::start("127.0.0.1:0", move |_| response(200, &[], &picture)).await;
    let server = server(&db, &names).await;
    let victim = server.account(1_000).await;
    let mut attackers = Vec::new();
    for _ in 0..ACCOUNTS {
        attackers.push(server.account(1).await);
    }
    // Each name is new, so that no answer is cached.
    let count = AtomicUsize::new(0);
    let attack = async {
        let start = Instant::now();
        let mut refused = 0;
        while start.elapsed() < ATTACK {
            let mut clients = JoinSet::new();
            for attacker in attackers.iter().flat_map(|attacker| [attacker; AT_ONCE]) {
                let url = format!("http://n{}.silent.test./", count.fetch_add(1, Ordering::SeqCst));
                clients.spawn(by_url(&server, attacker, &url).send());
            }
            for answer in clients.join_all().await {
                match answer.status {
                    422 => answer.fails(422, "INVALID_IMAGE"),
                    _ => answer.fails(503, "OVERLOADED"),
                };
                refused += 1;
            }
        }
        refused
    };
    let url = format!("http://pictures.test.:{}/picture.jpg", origin.address.port());
    let (refused, fared) = beside("silent names", || by_url(&server, &victim, &url), attack).await;
    assert!(refused >= ACCOUNTS * AT_ONCE, "{refused}");
    fared.well(10, FLOOR, Duration::from_secs(5));
}

async fn a_name_that_does_not_exist_is_asked_for_once_and_a_silent_one_is_refused_alike(db: Db) {
    let names = name_server().await;
    let server = server(&db, &names).await;
    let account = server.account(1).await;
    let message =
        "image_url must name a public host; this one cannot be found, or has an address that is not public";
    for _ in 0..2 {
        let answer = by_url(&server, &account, "http://missing.test./").send().await;
        assert_eq!(answer.fails(422, "INVALID_IMAGE"), message);
    }
    let asked = names.asked("missing.test");
    assert!((1..=2).contains(&asked), "once for each type of address, not {asked} times");
    let start = Instant::now();
    let answer = by_url(&server, &account, "http://silent.test./").send().await;
    assert_eq!(answer.fails(422, "INVALID_IMAGE"), message);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

on_sqlite!(
    names_that_never_resolve_do_not_delay_others,
    a_name_that_does_not_exist_is_asked_for_once_and_a_silent_one_is_refused_alike,
);
