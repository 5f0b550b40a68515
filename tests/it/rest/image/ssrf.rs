//! Image URLs that lead to private addresses: the canary on this machine is never reached, the answer is a
//! 422 that reveals nothing, and nothing is charged.

use std::collections::BTreeSet;

use serde_json::json;

use crate::harness::{Account, Answer, Db, Origin, Server, client, inv, on_both, on_sqlite, response};

/// The error for every refused host.
const REFUSED: &str =
    "image_url must name a public host; this one cannot be found, or has an address that is not public";

/// Spellings of this machine, and hosts that only this machine or its network can reach.
const INWARD: &[&str] = &[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0X7F.1",
    "0177.0.0.1",
    "017700000001",
    "0177.0x0.1",
    "00000177.00.00.01",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "0",
    "0x0",
    "0.0.0.0",
    "localhost",
    "LOCALHOST",
    "ｌｏｃａｌｈｏｓｔ",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:7F00:0001]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::80ff:fffe]",
    "[fe80::1]",
    "[fc00::1]",
    "[fec0::1]",
    "[ff02::1]",
    "10.0.0.1",
    "10.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "0xc0a80001",
    "100.64.0.1",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "169.254.169.254",
    "2852039166",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
];

/// URLs that hide their target or use another protocol; `PORT` is the canary's.
const HIDDEN: &[&str] = &[
    "http://example.com@127.0.0.1:PORT/",
    "http://user:password@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#@example.com/",
    "http://127.0.0.1:PORT?@example.com/",
    "http://127.0.0.1:PORT\\@example.com/",
    "http:127.0.0.1:PORT/",
    "http:/127.0.0.1:PORT/",
    "http:////127.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT\\",
    "\u{1}\t http://127.0.0.1:PORT/ \r\n",
    "ht\ntp://127.0.\n0.1:PORT/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "/etc/passwd",
    "file:///etc/passwd",
    "file://127.0.0.1:PORT/etc/passwd",
    "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_GET",
    "dict://127.0.0.1:PORT/stats",
    "ldap://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "unix:/var/run/docker.sock",
    "jar:http://127.0.0.1:PORT/!/",
    "view-source:http://127.0.0.1:PORT/",
    "blob:http://127.0.0.1:PORT/",
    "http://[fe80::1%25lo]:PORT/",
    "http://127.0.0.1:PORT\r\nHost: example.com/",
    "http://",
    "",
];

/// A server on every address of this machine that must never be reached.
struct Canary {
    origin: Origin,
    port: u16,
    /// Its addresses; some machines have no IPv6.
    hosts: &'static [&'static str],
}

impl Canary {
    async fn start() -> Self {
        let (at, hosts): (_, &[&str]) = match std::net::TcpListener::bind("[::1]:0") {
            Ok(_) => ("[::]:0", &["127.0.0.1", "[::1]"]),
            Err(_) => ("0.0.0.0:0", &["127.0.0.1"]),
        };
        let origin = Origin::start(at, |_: &str| {
            response(200, &[("Content-Type", "image/png")], b"the canary's secret")
        })
        .await;
        let canary = Self { port: origin.address.port(), origin, hosts };
        // It must answer on each address, or the test would prove nothing.
        for host in hosts {
            let url = format!("http://{host}:{}/", canary.port);
            let client = client().build().expect("a client");
            assert_eq!(client.get(url).send().await.expect("the canary answers").status(), 200);
        }
        canary
    }

    /// The number of requests after those of `start`.
    fn touched(&self) -> usize {
        self.origin.heads().len() - self.hosts.len()
    }
}

async fn moderate(server: &Server, account: &Account, url: &str) -> Answer {
    server.post("/api/v1/moderate/image").key(&account.key).json(json!({ "image_url": url })).send().await
}

async fn private_addresses_are_not_reached_in_any_spelling(db: Db) {
    let canary = Canary::start().await;
    let server = Server::start(&db).await;
    let account = server.account(1000).await;
    let port = canary.port;
    for host in INWARD {
        for url in [format!("http://{host}:{port}/a.png"), format!("https://{host}:{port}/a.png")] {
            let answer = moderate(&server, &account, &url).await;
            assert_eq!(answer.fails(422, "INVALID_IMAGE"), REFUSED, "{url}");
            assert_eq!(answer.field(), "image_url");
        }
    }
    for url in HIDDEN {
        let url = url.replace("PORT", &port.to_string());
        let answer = moderate(&server, &account, &url).await;
        let message = answer.fails(422, "INVALID_IMAGE");
        assert!(message.starts_with("image_url must "), "{url:?}: {message}");
    }
    // The server cannot be reached through itself either.
    moderate(&server, &account, &server.base_url).await.fails(422, "INVALID_IMAGE");
    assert_eq!(canary.touched(), 0);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn redirects_do_not_lead_to_private_addresses(db: Db) {
    let canary = Canary::start().await;
    let port = canary.port;
    let targets: Vec<String> = INWARD
        .iter()
        .map(|host| format!("http://{host}:{port}/"))
        .chain(HIDDEN.iter().map(|url| url.replace("PORT", &port.to_string())))
        // Without URLs that a header cannot carry or that lead back to the origin.
        .filter(|url| !url.contains(['\r', '\n', '\u{1}']) && !url.starts_with("/etc") && !url.is_empty())
        .filter(|url| !["http:127", "http:/127", "127"].iter().any(|start| url.starts_with(start)))
        .chain([
            format!("//127.0.0.1:{port}/"),
            format!("/\\127.0.0.1:{port}/"),
            format!("\\\\[::1]:{port}/"),
        ])
        .collect();
    let count = targets.len();
    // `/302/7` redirects to target 7, `/far/302/7` in three steps.
    // The only allowed address; the canary's addresses are not allowed.
    let origin = Origin::start("127.0.0.9:0", move |path: &str| {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match parts[..] {
            ["far", status, target] => {
                response(302, &[("Location", &format!("/near/{status}/{target}"))], b"")
            }
            ["near", status, target] => {
                response(302, &[("Location", &format!("../../{status}/{target}"))], b"")
            }
            [status, target] => {
                let target: &str = &targets[target.parse::<usize>().expect("a number")];
                response(status.parse().expect("a status"), &[("Location", target)], b"")
            }
            _ => response(404, &[], b""),
        }
    })
    .await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.9").start().await;
    let account = server.account(1000).await;
    let mut said = BTreeSet::new();
    for target in 0..count {
        let status = [301, 302, 303, 307, 308][target % 5];
        let way = ["", "", "/far"][target % 3];
        let answer = moderate(&server, &account, &origin.url(&format!("{way}/{status}/{target}"))).await;
        let message = answer.fails(422, "INVALID_IMAGE").to_owned();
        assert!(message.starts_with("image_url redirects to "), "{target}: {message}");
        said.insert(message);
    }
    assert!(said.len() <= 4, "one sentence for each kind of refusal: {said:?}");
    assert!(origin.heads().len() >= count);
    assert_eq!(canary.touched(), 0);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn allowed_addresses_are_reached_and_their_neighbours_are_not(db: Db) {
    let canary = Canary::start().await;
    let port = canary.port;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.8/30 [::1]").start().await;
    let account = server.account(1000).await;
    let allowed = ["127.0.0.8", "127.0.0.11", "2130706443", "[::1]", "[0:0::1]"];
    let allowed = &allowed[..if canary.hosts.len() == 2 { 5 } else { 3 }];
    for host in allowed {
        let answer = moderate(&server, &account, &format!("http://{host}:{port}/")).await;
        // The canary's answer is no picture, which the decoder reports.
        assert!(!answer.error().starts_with("image_url must name"), "{host}: {}", answer.text);
        assert!(!answer.text.contains("secret"), "{}", answer.text);
    }
    assert_eq!(canary.touched(), allowed.len());
    for host in
        ["127.0.0.7", "127.0.0.12", "127.0.0.1", "[::ffff:127.0.0.8]", "[64:ff9b::127.0.0.8]", "0.0.0.0"]
    {
        let answer = moderate(&server, &account, &format!("http://{host}:{port}/")).await;
        assert_eq!(answer.fails(422, "INVALID_IMAGE"), REFUSED, "{host}");
    }
    assert_eq!(canary.touched(), allowed.len());
}

on_both!(private_addresses_are_not_reached_in_any_spelling);
on_sqlite!(
    redirects_do_not_lead_to_private_addresses,
    allowed_addresses_are_reached_and_their_neighbours_are_not
);
