//! Statistics of datasets, compared with a reference that computes them from the list of samples.

use serde_json::{Map, Value, json};

use super::{
    made::{self, Dice, MadeQuestion, QUESTIONS},
    reference::{self, Aim, AnswerValue, Filter},
};
use crate::harness::{Account, Db, Server, on_both};

const STATS: &str = "count labelled credits days { day count labelled credits } \
    latency { count mean p50 p90 p95 p99 max } \
    keys { key count answered abstained labelled answers { value count } days { day value count } \
        agreement { count agreeing accuracy macroF1 kappa confusion { truth answered count } \
            classes { value support answered precision recall f1 } } \
        calibration { count ece brier bins { from to count confidence accuracy } } }";

/// An account with a key that may manage and a key that may read.
async fn people(db: &Db) -> (Account, String, String) {
    let account = db.account("1").await;
    let manage = db.scoped_key(&account, "manage").await;
    let read = db.scoped_key(&account, "read").await;
    (account, manage, read)
}

async fn judge(server: &Server, key: &str, name: &str) -> String {
    let input = json!({ "name": name, "instructions": { "team": ["billing", "sales"] } });
    server.create_judge(key, input).await
}

/// Asserts that two answers are equal, numbers within a tolerance.
fn same(found: &Value, wanted: &Value, path: &str) {
    match (found, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<_> = a.keys().chain(b.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                same(&found[key], &wanted[key], &format!("{path}.{key}"));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}: {found} is not {wanted}");
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                same(a, b, &format!("{path}[{place}]"));
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let a = a.as_f64().unwrap();
            let b = b.as_f64().unwrap();
            // Six digits are shown.
            assert!((a - b).abs() <= 5.1e-6 * b.abs() + 1e-9, "{path}: {a} is not {b}");
        }
        _ => assert_eq!(found, wanted, "{path}"),
    }
}

fn time(text: &str) -> Option<chrono::DateTime<chrono::Utc>> {
    Some(chrono::DateTime::parse_from_rfc3339(text).expect("a time").to_utc())
}

fn filters() -> Vec<Filter> {
    let day = time("2026-02-28T00:00:00Z");
    // Earlier than PostgreSQL can store, and later than SQLite can compare.
    let earliest = Some(chrono::DateTime::<chrono::Utc>::MIN_UTC);
    let last = Some(chrono::DateTime::<chrono::Utc>::MAX_UTC);
    vec![
        Filter::default(),
        Filter { since: day, ..Filter::default() },
        Filter { until: day, ..Filter::default() },
        Filter { since: day, until: time("2026-03-01T01:00:00+01:00"), ..Filter::default() },
        Filter { version: Some(3), ..Filter::default() },
        Filter { version: Some(4), ..Filter::default() },
        Filter { source: Some("import"), ..Filter::default() },
        Filter { source: Some("inference"), labelled: Some(true), ..Filter::default() },
        Filter { labelled: Some(true), ..Filter::default() },
        Filter { labelled: Some(false), version: Some(1), ..Filter::default() },
        Filter { since: earliest, until: last, ..Filter::default() },
        Filter { since: last, ..Filter::default() },
        Filter { until: earliest, ..Filter::default() },
        Filter { until: time("9999-12-31T23:30:00-01:00"), ..Filter::default() },
    ]
}

async fn every_figure_equals_that_of_the_reference(db: Db) {
    let server = Server::start(&db).await;
    let (account, manage, read) = people(&db).await;
    let first = judge(&server, &manage, "first").await;
    let second = judge(&server, &manage, "second").await;
    let mut dice = Dice(20_261_121);
    let mut samples = dice.samples(&first, 700);
    samples.extend(dice.samples(&second, 100));
    made::write(&db, &account.id, &samples).await;
    let query = format!(
        "query($id: ID!, $filter: SampleFilterInput) {{ judge(id: $id) {{ stats(filter: $filter) {{ {STATS} }} }} }}"
    );
    for filter in filters() {
        for judge in [&first, &second] {
            let variables = json!({ "id": judge, "filter": filter.input() });
            let found = server.ask(&read, &query, variables).await;
            same(
                &found["judge"]["stats"],
                &reference::stats(&samples, judge, &filter),
                &format!("{filter:?}"),
            );
        }
    }
    let whole = format!("{{ account {{ judges {{ nodes {{ id stats {{ {STATS} }} }} }} }} }}");
    let together = server.ask(&read, &whole, json!({})).await;
    let nodes = together["account"]["judges"]["nodes"].as_array().expect("Judges").clone();
    assert_eq!(nodes.len(), 2);
    for node in nodes {
        let id = node["id"].as_str().unwrap();
        same(&node["stats"], &reference::stats(&samples, id, &Filter::default()), "together");
    }
    made::remove(&db).await;
}

async fn thresholds_equal_those_of_the_reference(db: Db) {
    let server = Server::start(&db).await;
    let (account, manage, read) = people(&db).await;
    let judge = judge(&server, &manage, "one").await;
    let samples = Dice(7).samples(&judge, 500);
    made::write(&db, &account.id, &samples).await;
    let aims = [
        Aim::Precision(0.5),
        Aim::Precision(0.75),
        Aim::Precision(1.0),
        Aim::Recall(0.3),
        Aim::Recall(0.9),
        Aim::Recall(1.0),
    ];
    let mut reached = 0;
    let mut asked = 0;
    for filter in
        [Filter::default(), Filter { version: Some(3), source: Some("inference"), ..Filter::default() }]
    {
        for MadeQuestion { key, values, .. } in QUESTIONS {
            for value in values.iter().chain(&["no such value", "nul\0"]) {
                let mut parts = String::new();
                let mut variables = Map::new();
                for (place, aim) in aims.iter().enumerate() {
                    let part = format!(
                        "t{place}: threshold(value: $value, precision: $p{place}, recall: $r{place}) \
                        {{ probability precision recall count support answered }} "
                    );
                    parts += part.as_str();
                    variables.insert(format!("p{place}"), json!(aim.precision()));
                    variables.insert(format!("r{place}"), json!(aim.recall()));
                }
                let declared: String =
                    (0..aims.len()).map(|place| format!(", $p{place}: Float, $r{place}: Float")).collect();
                let query = format!(
                    "query($id: ID!, $key: String!, $value: String!, $filter: SampleFilterInput{declared}) \
                     {{ judge(id: $id) {{ stats(filter: $filter) {{ key(key: $key) {{ key {parts} }} }} }} }}"
                );
                variables.extend([("id".to_owned(), json!(judge)), ("key".to_owned(), json!(key))]);
                variables.extend([("value".to_owned(), json!(value)), ("filter".to_owned(), filter.input())]);
                let found = server.ask(&read, &query, Value::Object(variables)).await;
                for (place, aim) in aims.iter().enumerate() {
                    let of = AnswerValue { judge: &judge, key, value };
                    let wanted = reference::threshold(&samples, of, &filter, *aim);
                    let found = &found["judge"]["stats"]["key"][format!("t{place}")];
                    same(found, &wanted, &format!("{key} {value} {aim:?}"));
                    assert_eq!(
                        found["probability"], wanted["probability"],
                        "equal to the last bit; otherwise the rule misses a sample"
                    );
                    reached += usize::from(!wanted.is_null());
                    asked += 1;
                }
            }
        }
    }
    assert!(reached > asked / 4 && reached < asked, "{reached} of {asked} can be reached");
    made::remove(&db).await;
}

async fn an_empty_dataset_has_counts_but_no_figures(db: Db) {
    let server = Server::start(&db).await;
    let (_, manage, read) = people(&db).await;
    let judge = judge(&server, &manage, "empty").await;
    let query = format!(
        "query($id: ID!) {{ judge(id: $id) {{ stats {{ {STATS} key(key: \"team\") {{ key }} }} }} }}"
    );
    let found = server.ask(&read, &query, json!({ "id": judge })).await;
    let wanted = json!({
        "count": 0, "labelled": 0, "credits": 0.0, "days": [], "latency": null, "keys": [], "key": null,
    });
    assert_eq!(found["judge"]["stats"], wanted);
}

async fn a_threshold_needs_one_attainable_target(db: Db) {
    let server = Server::start(&db).await;
    let (account, manage, read) = people(&db).await;
    let judge = judge(&server, &manage, "one").await;
    let samples = Dice(1).samples(&judge, 20);
    made::write(&db, &account.id, &samples).await;
    let aims = ["", ", precision: 0.5, recall: 0.5", ", precision: 0", ", recall: 1.01", ", precision: -1"];
    for aim in aims {
        let query = format!(
            "query($id: ID!) {{ judge(id: $id) {{ stats {{ key(key: \"team\") {{ threshold(value: \"billing\"{aim}) \
             {{ probability }} }} }} }} }}"
        );
        server.graphql(&query, json!({ "id": judge })).key(&read).send().await.refused("VALIDATION_FAILED");
    }
    made::remove(&db).await;
}

async fn samples_of_other_accounts_are_not_counted(db: Db) {
    let server = Server::start(&db).await;
    let (account, manage, _) = people(&db).await;
    let (_, _, stranger) = people(&db).await;
    let judge = judge(&server, &manage, "one").await;
    made::write(&db, &account.id, &Dice(1).samples(&judge, 20)).await;
    let query = "query($id: ID!) { judge(id: $id) { stats { count keys { key } } } }";
    let answer = server.graphql(query, json!({ "id": judge })).key(&stranger).send().await;
    answer.refused("NOT_FOUND");
    assert!(!answer.text.contains("team"), "{}", answer.text);
    made::remove(&db).await;
}

on_both!(
    every_figure_equals_that_of_the_reference,
    thresholds_equal_those_of_the_reference,
    an_empty_dataset_has_counts_but_no_figures,
    a_threshold_needs_one_attainable_target,
    samples_of_other_accounts_are_not_counted,
);
