//! Measures how long it takes to check a state of 4 KiB against a schema of 50 rules. Prints the microseconds of a
//! check of one that fits, and of one that does not in its last member.

use std::{hint::black_box, time::Instant};

use anyhow::{Result, anyhow};
use domain::foundation::json_schema::JsonSchema;
use serde_json::{Map, Value, json};

const CHECKS: u32 = 20_000;

pub(crate) fn run() -> Result<()> {
    let schema = JsonSchema::parse("schema", &schema()).map_err(|error| anyhow!(error.message))?;
    let fits = state("AB123");
    let unfit = state("ab123");
    for (state, expected) in [(&fits, true), (&unfit, false)] {
        anyhow::ensure!(
            schema.check("state", state).is_ok() == expected,
            "the schema and the state disagree"
        );
        let start = Instant::now();
        for _ in 0..CHECKS {
            let _ = black_box(schema.check("state", black_box(state)));
        }
        let bytes = state.to_string().len();
        println!("{bytes} bytes: {:.2} µs", start.elapsed().as_secs_f64() * 1e6 / f64::from(CHECKS));
    }
    Ok(())
}

/// Ten properties with five rules each.
fn schema() -> Value {
    let properties: Map<String, Value> = (0..10)
        .map(|n| {
            let lines =
                json!({ "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": 20 });
            let order = json!({
                "type": "object",
                "properties": {
                    "lines": lines,
                    "total": { "type": "number", "minimum": 0 },
                    "state": { "enum": ["open", "paid", "sent", "returned"] },
                    "id": { "type": "string", "pattern": "^[A-Z]{2}\\d+$" },
                },
                "required": ["id", "lines"],
                "additionalProperties": false,
            });
            (format!("order{n}"), order)
        })
        .collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// A state of 4 KiB, whose last member has this id.
fn state(last: &str) -> Value {
    let orders = (0..10).map(|n| {
        let lines: Vec<String> =
            (0..4).map(|line| format!("line {line}: {}", "a lamp, a desk, ".repeat(5))).collect();
        let id = if n == 9 { last } else { "AB123" };
        (
            format!("order{n}"),
            json!({ "lines": lines, "total": 9.5 + f64::from(n), "state": "paid", "id": id }),
        )
    });
    Value::Object(orders.collect())
}
