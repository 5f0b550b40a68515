//! One form for all JSON texts that mean the same.

use serde_json::Value;

/// The value with the members of its objects in order, and whole numbers without a fraction.
pub(crate) fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            Value::Object(sorted.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Number(number) => whole(number.as_f64()).map_or_else(|| value.clone(), Value::from),
        plain => plain.clone(),
    }
}

/// A number that a double holds exactly, without its fraction of 0.
fn whole(number: Option<f64>) -> Option<i64> {
    /// Up to here doubles hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.filter(|number| number.fract() == 0.0 && number.abs() < EXACT).map(|number| number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::canonical;

    #[test]
    fn what_means_the_same_has_one_form() {
        for (one, other) in [
            (r#"{"a":1,"b":{"c":2,"d":[3]}}"#, r#"{"b":{"d":[3.0],"c":2},"a":1e0}"#),
            ("-0.0", "0"),
            ("0.5", "5e-1"),
        ] {
            let [one, other] = [one, other].map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(canonical(&one).to_string(), canonical(&other).to_string());
        }
        for (one, other) in [
            (json!([1, 2]), json!([2, 1])),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)),
            (json!("1"), json!(1)),
            (json!({ "a": null }), json!({})),
        ] {
            assert_ne!(canonical(&one).to_string(), canonical(&other).to_string());
        }
    }
}
