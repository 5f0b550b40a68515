//! Links in messages: what is one and what is not, however it is written, and the domains that policies list.

use crate::graphql::mutation;
use serde_json::{Value, json};

use crate::harness::{Db, Server, on_sqlite};

const BATCH: &str = "/api/v1/moderate/text/batch";

/// Each with the host `evil-games.com` or another that nobody trusts.
const LINKS: [&str; 40] = [
    "https://evil-games.com",
    "http://www.evil-games.com/play?x=1",
    "see https://evil-games.com.",
    "evil-games.com",
    "go to EVIL-GAMES.COM/x now",
    "evilgames.com is down",
    "evilgames.lat/x",
    "evilgames.cfd",
    "evilgames.bond",
    "evilgames.cyou",
    "evilgames.ovh",
    "evilgames.live/x",
    "evilgames.live:8080/x",
    "evilgames.com.br",
    "evilgames.co.uk",
    "evil-games.vercel.app",
    "t.me/evilgames",
    "abcdefgh2345abcd.onion",
    "игры.рф",
    "xn--80aafey1amqq.xn--p1ai",
    "hxxp://evilgames.com",
    "hxxps[:]//evilgames[.]com/x",
    "evilgames[.]com",
    "evilgames(dot)com",
    "evilgames [dot] com",
    "look at evilgames dot com",
    "https:\\\\evilgames.com",
    "https:/evilgames.com",
    "//evilgames.com/x",
    "ftp://files.evilgames.com/x",
    "https://%65vilgames.com",
    "https://google.com@evilgames.com/login",
    "google.com@evilgames.top/login",
    "ｅｖｉｌｇａｍｅｓ．ｃｏｍ",
    "evilgames\u{3002}com",
    "evil\u{200b}games.com",
    "http://185.12.3.4/x",
    "http://[2001:db8::1]/x",
    "~~evilgames.com~~ _evilgames.net_x",
    "[click](https://evilgames.com/x)",
];

const NO_LINKS: [&str; 40] = [
    "hello everybody",
    "he is done.it was late",
    "it works.me too",
    "I like it.you should try",
    "so.on and so.forth",
    "wait...what is it",
    "what is this.now?",
    "good night.love you all",
    "see you.have fun",
    "e.g. this, i.e. that",
    "main.rs and README.md",
    "open src/main.rs:10 please",
    "edit main.py, then run.sh",
    "the zip is backup.zip",
    "Main.java does not compile",
    "libfoo.so is missing",
    "node.js vs asp.net core",
    "foo.bar() returns self.id",
    "console.log(x.name)",
    "point.map and row.data",
    "window.open is blocked",
    "array.select or list.all",
    "std::net and a.b.c",
    "version 1.2.3 of 10.0.0.1",
    "it costs 3.50 or 1.000.000",
    "at 10.30 p.m. or 5.pm",
    "connect the dot in red",
    "the dot com bubble was wild",
    "he owns a dot com company",
    "polka dot shoes and polka dot fashion",
    "quantum dot tv is nice",
    "bleed dot gg",
    "evilgames,com",
    "evilgames com",
    "bob@example.com is my mail",
    "今天很好。公司见。",
    "да.дети пришли",
    "C:\\games\\evil.com",
    "ratio a/b.com or and/or",
    "http:// and https:// are schemes",
];

async fn judged(server: &Server, key: &str, messages: &[Value]) -> Vec<Value> {
    let mut results = Vec::new();
    for part in messages.chunks(50) {
        let body = json!({ "messages": part, "explain": true });
        let answer = server.post(BATCH).key(key).json(body).send().await.ok();
        results.extend(answer["results"].as_array().unwrap().clone());
    }
    assert_eq!(results.len(), messages.len());
    results
}

fn messages(contents: &[&str], fields: Value) -> Vec<Value> {
    let each = contents.iter().map(|content| {
        let mut message = fields.clone();
        message["content"] = json!(content);
        message
    });
    each.collect()
}

/// Whether a verdict has a signal of this name.
fn has(verdict: &Value, name: &str) -> bool {
    let signals = verdict["explanation"]["signals"].as_array().unwrap();
    signals.iter().any(|signal| signal["name"].as_str().unwrap().starts_with(name))
}

async fn links_are_told_from_prose_and_code(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(200).await;
    let fields = json!({ "mode": "native", "account_age_days": 30 });
    let verdicts = judged(&server, &account.key, &messages(&LINKS, fields.clone())).await;
    for (content, verdict) in LINKS.iter().zip(verdicts) {
        assert!(has(&verdict, "link"), "{content}: {verdict}");
    }
    let verdicts = judged(&server, &account.key, &messages(&NO_LINKS, fields)).await;
    for (content, verdict) in NO_LINKS.iter().zip(verdicts) {
        assert!(!has(&verdict, "link"), "{content}: {verdict}");
    }
}

async fn a_look_alike_is_judged_the_same_under_every_ending_and_disguise(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(200).await;
    let contents = [
        "discorcl.com/x",
        "discorcl.lat/x",
        "discorcl.cyou/x",
        "discorcl[.]com/x",
        "hxxps://discorcl.com/x",
        "https://d%69scorcl.com/x",
        "ｄｉｓｃｏｒｃｌ.com/x",
        "https:\\\\discorcl.com/x",
        "https://discord.com@discorcl.com/x",
    ];
    for mode in ["native", "hybrid"] {
        let verdicts = judged(
            &server,
            &account.key,
            &messages(&contents, json!({ "mode": mode, "account_age_days": 30 })),
        )
        .await;
        for (content, verdict) in contents.iter().zip(verdicts) {
            assert!(has(&verdict, "look_alike_domain:discord"), "{mode} {content}: {verdict}");
            assert_eq!(verdict["action"], "timeout", "{mode} {content}: {verdict}");
        }
    }
}

async fn links_of_the_brands_themselves_are_no_alarm(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(200).await;
    let contents = [
        "https://discord.gift/aB3dE5fG7hJ9kL1m",
        "happy birthday! https://discord.gift/aB3dE5fG7hJ9kL1m",
        "discord.com/nitro",
        "https://discord.com/channels/1/2/3",
        "https://support.discord.com/hc/en-us",
        "https://dis.gd/terms",
        "https://store.steampowered.com/app/730",
        "the game is on sale: store.steampowered.com/app/730",
        "https://steamcommunity.com/id/somebody",
        "https://s.team/p/abcd-efgh",
        "https://help.steampowered.com/en",
        "https://www.paypal.com/myaccount",
        "https://www.google.co.uk/search?q=cats",
        "https://docs.google.com/document/d/1",
        "https://www.amazon.de/dp/B0",
        "https://create.roblox.com/dashboard",
        "https://www.twitch.tv/somebody",
        "https://www.minecraft.net/en-us/download",
        "[help.steampowered.com](https://store.steampowered.com/about)",
    ];
    for mode in ["native", "hybrid"] {
        let verdicts = judged(
            &server,
            &account.key,
            &messages(&contents, json!({ "mode": mode, "account_age_days": 30 })),
        )
        .await;
        for (content, verdict) in contents.iter().zip(verdicts) {
            assert_eq!(verdict["action"], "none", "{mode} {content}: {verdict}");
            assert!(
                !has(&verdict, "brand_in_domain") && !has(&verdict, "look_alike"),
                "{content}: {verdict}"
            );
        }
    }
}

async fn a_policy_may_list_any_domain_and_finds_it_bare_or_dressed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(200).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
    let domains = ["t.me", "wa.me", "grabify.link", "evil.net", "evil.live", ".onion", "evil.internal"];
    let rules = json!({ "block": [{ "action": "ban", "domains": domains }] });
    let fields = "userErrors { field message }";
    let create = mutation("createModerationPolicy", fields);
    let input = json!({ "name": "listed", "rules": rules });
    let made = server.ask(&key, &create, json!({ "input": input })).await["payload"].clone();
    assert_eq!(made["userErrors"], json!([]), "{made}");
    let blocked = [
        "t.me",
        "join t.me/abc",
        "wa.me is here",
        "https://wa.me/123",
        "grabify.link",
        "grabify.link/AB12",
        "a.evil.net",
        "evil.live",
        "(evil.live)",
        "EVIL.LIVE",
        "evil[.]live",
        "evil dot live",
        "ｅｖｉｌ．ｌｉｖｅ",
        "hxxp://evil.live",
        "https://%65vil.live/x",
        "https://good.com@evil.live",
        "abcdefgh2345abcd.onion/market",
        "http://a.onion",
        "evil.internal",
    ];
    let policy = json!({ "mode": "native", "account_age_days": 30, "policy": "listed" });
    let verdicts = judged(&server, &key, &messages(&blocked, policy.clone())).await;
    for (content, verdict) in blocked.iter().zip(verdicts) {
        assert_eq!(verdict["action"], "ban", "{content}: {verdict}");
        assert!(has(&verdict, "policy:blocked_domain"), "{content}: {verdict}");
    }
    let fine = [
        "at.me",
        "evil.net.example.com",
        "evil live",
        "good.live",
        "bob@evil.live",
        "https://evil.live@good.com",
    ];
    let verdicts = judged(&server, &key, &messages(&fine, policy)).await;
    for (content, verdict) in fine.iter().zip(verdicts) {
        assert!(!has(&verdict, "policy:"), "{content}: {verdict}");
    }
    for wrong in ["evil", "a b.com", "evil.com/path", "a@evil.com", ".notanending", "1.2.3"] {
        let rules = json!({ "block": [{ "action": "ban", "domains": [wrong] }] });
        let input = json!({ "name": "wrong", "rules": rules });
        let refused = server.ask(&key, &create, json!({ "input": input })).await["payload"].clone();
        let message = refused["userErrors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains("domain such as example.com"), "{wrong}: {refused}");
    }
}

on_sqlite!(
    links_are_told_from_prose_and_code,
    a_look_alike_is_judged_the_same_under_every_ending_and_disguise,
    links_of_the_brands_themselves_are_no_alarm,
    a_policy_may_list_any_domain_and_finds_it_bare_or_dressed,
);
