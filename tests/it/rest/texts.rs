//! Texts that break careless code: every message gets a verdict, whose spans lie within the message.

use serde_json::{Value, json};

use crate::harness::{Db, Server, on_sqlite};

async fn verdicts_on_unusual_texts_have_valid_spans(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let texts = [
        "\u{200b}\u{200b}\u{200b}".to_owned(),
        "\u{200d}".repeat(10_000),
        "e\u{301}".repeat(5_000),
        "Z\u{351}\u{36b}\u{343}\u{36a}\u{302}\u{36b}\u{33d}\u{34f}a\u{346}\u{35b}l\u{351}go".to_owned(),
        "\u{202e}moc.elgoog//:sptth\u{202c}".to_owned(),
        "\u{fdfa}".repeat(10_000),
        "\u{fffd}\u{ffff}\u{10ffff}\u{e000}".to_owned(),
        "👩‍👩‍👧‍👦".repeat(1_000),
        "\u{1}\u{2}\u{7f}\u{85}".to_owned(),
        "a".repeat(10_000),
        "@".repeat(10_000),
        "https://".repeat(1_250),
        "https://a.b.c.d.e.f".to_owned(),
        "http://[::1]:99999/ http://%zz http:///// http://.".to_owned(),
        format!("https://{}.com", "a-".repeat(4_000)),
        "xn--".repeat(2_500),
        "https://xn--0.com https://аррӏе.com https://www。example。com".to_owned(),
        "f r e e   n i t r o  dlscord-gift . com".to_owned(),
        "fr33 n1tr0 @everyone discord.gg/abc".to_owned(),
        "İıẞßſΣςﬁ".repeat(1_000),
        "\"; DROP TABLE account; -- ${jndi:ldap://x} {{7*7}} %s%n".to_owned(),
        "\r\n\r\n\r\n x".to_owned(),
    ];
    for text in texts {
        let body = json!({ "content": text, "explain": true });
        let answer = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await;
        let shown: String = text.chars().take(40).collect();
        assert_eq!(answer.status, 200, "{shown:?}: {}", answer.text);
        let verdict = answer.body;
        let probabilities = verdict["action_probabilities"].as_object().unwrap();
        let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{shown:?}: probabilities sum to {sum}");
        assert!(verdict["threat_score"].as_f64().is_some_and(|score| score >= 0.0), "{shown:?}: {verdict}");
        spans_are_within(&verdict, text.chars().count() as u64);
        numbers_are_short(&verdict);
    }
}

/// Asserts that no number has meaningless digits, such as 0.19055999999999998.
fn numbers_are_short(value: &Value) {
    match value {
        Value::Number(number) => {
            let digits = number.to_string();
            let digits =
                digits.split('e').next().unwrap().trim_start_matches(['-', '0', '.']).replace('.', "");
            assert!(digits.len() <= 9, "{number}");
        }
        Value::Array(items) => items.iter().for_each(numbers_are_short),
        Value::Object(members) => members.values().for_each(numbers_are_short),
        _ => {}
    }
}

fn spans_are_within(verdict: &Value, characters: u64) {
    for signal in verdict["explanation"]["signals"].as_array().unwrap() {
        let start = signal["start"].as_u64().unwrap();
        let end = signal["end"].as_u64().unwrap();
        assert!(start <= end && end <= characters, "{signal} in {characters} characters");
    }
}

async fn hybrid_mode_detects_a_lure_that_native_mode_misses(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let lure = "hey, staff here: log in on the page i sent you or your account is gone tonight";
    let body = json!({
        "explain": true,
        "messages": [{ "content": lure, "mode": "native" }, { "content": lure }, { "content": "gg, see you at nine" }],
    });
    let answer = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
    let [native, hybrid] =
        [0, 1].map(|n: usize| answer["results"][n]["is_phishing_or_scam"].as_f64().unwrap());
    assert!(hybrid > 2.0 * native, "{answer}");
    assert_eq!(answer["results"][2]["action"], "none");
    let seen = answer["results"][1]["explanation"]["signals"].to_string();
    assert!(seen.contains("scam:the message as a whole"), "{seen}");
    for (mode, model, together) in
        [("native", "gavel-text-native-1.10.0", native), ("hybrid", "gavel-text-hybrid-1.9.0", hybrid)]
    {
        let body = json!({ "content": lure, "mode": mode });
        let alone = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
        assert_eq!((&alone["mode"], &alone["routing_model"]), (&json!(mode), &json!(model)));

        assert_eq!(alone["is_phishing_or_scam"].as_f64(), Some(together), "the same alone and in a batch");
    }
}

async fn a_span_counts_characters_not_bytes(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let content = "😀😀 höre: dlscord-gift.com/nitro";
    let body = json!({ "content": content, "explain": true });
    let verdict = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
    let signals = verdict["explanation"]["signals"].as_array().unwrap();
    let mut spans: Vec<String> = Vec::new();
    for signal in signals {
        let start = signal["start"].as_u64().unwrap() as usize;
        let end = signal["end"].as_u64().unwrap() as usize;
        spans.push(content.chars().skip(start).take(end - start).collect());
    }
    assert!(spans.iter().any(|span| span.starts_with("dlscord-gift.com")), "{spans:?} of {signals:?}");
}

async fn a_message_gets_the_same_verdict_alone_and_in_a_batch(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let content = "everyone gets a free skin, log in at steamcommunlty.com/gift";
    let alone = server.moderate(&account.key, content).send().await.ok();
    let mut messages = vec![json!({ "content": "a long message about nothing ".repeat(100) }); 30];
    messages.insert(17, json!({ "content": content }));
    let body = json!({ "messages": messages });
    let batch = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
    let together = &batch["results"][17];
    assert_eq!(together["content"], content);
    for field in
        ["action", "threat_score", "is_phishing_or_scam", "requires_mod_review", "action_probabilities"]
    {
        assert_eq!(alone[field], together[field], "{field}");
    }
}

async fn lures_are_acted_on_and_small_talk_is_allowed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let lure = "@everyone free nitro for 3 months, claim it now: https://dlscord-gift.com/nitro";
    let lure = server.moderate(&account.key, lure).send().await.ok();
    let talk = server.moderate(&account.key, "does anyone want to play later tonight?").send().await.ok();
    assert_ne!(lure["action"], "none", "{lure}");
    assert_eq!(talk["action"], "none", "{talk}");
    let [more, less] = [&lure, &talk].map(|verdict| verdict["threat_score"].as_f64().unwrap());
    assert!(more > less, "{lure} {talk}");
}

async fn new_accounts_with_many_mentions_raise_the_threat_of_a_raid(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut scores = Vec::new();
    for (age, mentions) in [(400, 0), (0, 0), (0, 30)] {
        let body = json!({ "content": "join us now", "account_age_days": age, "mentions_count": mentions });
        let answer = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
        scores.push(answer["threat_score"].as_f64().unwrap());
    }
    assert!(scores[0] <= scores[1] && scores[1] < scores[2], "{scores:?}");
}

/// The language selects the model, and the explanation names it.
async fn a_language_is_detected_and_is_harmless_by_itself(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    for (calm, abusive, language) in [
        ("wir treffen uns heute abend und spielen noch eine runde", "du bist so ein dummes arschloch", "de"),
        (
            "on se retrouve ce soir pour une partie avec les autres",
            "espèce de connard, ferme ta gueule",
            "fr",
        ),
        ("bu akşam birlikte oyun oynayalım mı", "sen tam bir aptalsın, siktir git", "tr"),
        ("今天天气很好，我们去公园吧", "闭嘴，你这个白痴", "zh"),
        ("aaj raat ko khelte hain bhai sab log", "tu bahut bada chutiya hai", "hi-Latn"),
    ] {
        let messages = json!([{ "content": calm }, { "content": abusive }]);
        let body = json!({ "explain": true, "messages": messages });
        let answer =
            server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
        let [calm, abusive] = [0, 1].map(|n| answer["results"][n].clone());
        assert_eq!(calm["explanation"]["language"], language, "{calm}");
        assert_eq!(calm["action"], "none", "{calm}");
        let [toxic, harmless] =
            [&abusive, &calm].map(|verdict| verdict["explanation"]["categories"]["toxic"].as_f64().unwrap());
        assert!(toxic > 0.5 && harmless < 0.2, "{calm} {abusive}");
        let alone = server.moderate(&account.key, abusive["content"].as_str().unwrap()).send().await.ok();
        assert_eq!(alone["routing_model"], "gavel-text-multilingual-1.3.0", "{alone}");
    }
}

/// Whether the server has a thread of the model for other languages.
fn model_is_loaded(server: &Server) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap();
    threads.flatten().any(|thread| {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        name.starts_with("gavel-texts")
    })
}

/// A deployment that moderates only English does not load the model of other languages.
async fn the_multilingual_model_is_loaded_on_first_use(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;

    server.moderate(&account.key, "you are a worthless idiot").send().await.ok();
    assert!(!model_is_loaded(&server));
    let german = server.moderate(&account.key, "du bist so ein dummes arschloch");
    // Concurrently, so that both wait for one load.
    let (one, other) = tokio::join!(german.send(), server.moderate(&account.key, "espèce de connard").send());
    assert_eq!(one.ok()["routing_model"], "gavel-text-multilingual-1.3.0");
    assert_eq!(other.ok()["routing_model"], "gavel-text-multilingual-1.3.0");
    assert!(model_is_loaded(&server));
}

on_sqlite!(
    the_multilingual_model_is_loaded_on_first_use,
    a_language_is_detected_and_is_harmless_by_itself,
    verdicts_on_unusual_texts_have_valid_spans,
    hybrid_mode_detects_a_lure_that_native_mode_misses,
    a_span_counts_characters_not_bytes,
    a_message_gets_the_same_verdict_alone_and_in_a_batch,
    lures_are_acted_on_and_small_talk_is_allowed,
    new_accounts_with_many_mentions_raise_the_threat_of_a_raid,
);
