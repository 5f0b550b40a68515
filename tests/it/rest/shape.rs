//! Answers with placeholders for values that change from run to run.

use serde_json::Value;

/// Replaces values that change from run to run by a description, which it checks.
pub(super) fn shape(mut body: Value) -> Value {
    replace(&mut body);
    body
}

fn replace(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if let Some(kind) = kind(name, value) {
                    *value = kind.into();
                } else {
                    replace(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace),
        _ => {}
    }
}

fn kind(name: &str, value: &Value) -> Option<&'static str> {
    let text = value.as_str().unwrap_or_default();
    let number = value.as_f64();
    let fraction = number.filter(|number| (0.0..=1.0).contains(number));
    match name {
        "id" => ["mod_…", "inf_…"].into_iter().find(|kind| text.starts_with(kind.trim_end_matches('…'))),
        "request_id" => text.starts_with("req_").then_some("req_…"),
        "timestamp" => chrono::DateTime::parse_from_rfc3339(text).ok().map(|_| "a time"),
        "action" => ["ban", "timeout", "warn", "none"].contains(&text).then_some("an action"),
        "choice" => Some("a choice"),
        "input_tokens" | "output_tokens" | "total_tokens" => value.as_u64().map(|_| "0 or more"),
        "routing_model" => {
            (text.contains("gavel-text-native-") || text == "gavel-text-hybrid-1.9.0").then_some("a model")
        }
        "normalized_text" => (!text.is_empty()).then_some("a text"),
        "language" => (text == "en").then_some("a language"),
        "signals" => value.is_array().then_some("signals"),
        "latency_ms" | "total_latency_ms" | "threat_score" | "score" => {
            number.filter(|n| *n >= 0.0).map(|_| "0 or more")
        }
        "credits_deducted" | "remaining_credits" | "imageCreditCost" | "textCreditCost" => None,
        _ => fraction.map(|_| "0 to 1"),
    }
}
