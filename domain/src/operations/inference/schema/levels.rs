//! The whole numbers that a subschema allows.

use serde_json::{Map, Value};

use super::node::{Document, Node};
use crate::{Error, Result, foundation::json_schema::child};

/// Up to here a double is exact.
const MOST: f64 = 9_007_199_254_740_991.0;

/// The numbers that `minimum`, `maximum` and `multipleOf` allow, the lowest first: at least one, at most `most`.
///
/// # Errors
/// `VALIDATION_FAILED` naming the pointer.
pub(super) fn levels(document: Document<'_>, node: &Node<'_>, most: usize) -> Result<Vec<i64>> {
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    document.only(node, &[&["type", "multipleOf"], &bounds[..]].concat())?;
    let step = number(node.schema, "multipleOf").unwrap_or(1.0);
    if step < 1.0 || step.fract() != 0.0 {
        return Err(document.invalid(&child(&node.pointer, "multipleOf"), "must be a whole number"));
    }
    let above = number(node.schema, "exclusiveMinimum").map(|bound| bound.floor() + 1.0);
    let below = number(node.schema, "exclusiveMaximum").map(|bound| bound.ceil() - 1.0);
    let lowest = tightest(number(node.schema, "minimum").map(f64::ceil), above, f64::max);
    let highest = tightest(number(node.schema, "maximum").map(f64::floor), below, f64::min);
    let lowest = lowest.ok_or_else(|| unbounded(document, node, most))?;
    let highest = highest.ok_or_else(|| unbounded(document, node, most))?;
    let lowest = (lowest / step).ceil() * step;
    let count = ((highest - lowest) / step).floor() + 1.0;
    if lowest.abs() > MOST || !(1.0..=most as f64).contains(&count) {
        return Err(unbounded(document, node, most));
    }
    Ok((0..count as i64).map(|level| lowest as i64 + level * step as i64).collect())
}

fn unbounded(document: Document<'_>, node: &Node<'_>, most: usize) -> Error {
    let message = format!("must have a `minimum` and a `maximum` that allow 1 to {most} numbers");
    document.invalid(&node.pointer, &message)
}

fn number(schema: &Map<String, Value>, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

fn tightest(one: Option<f64>, other: Option<f64>, of: fn(f64, f64) -> f64) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(of(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> Option<Vec<i64>> {
        let document = Document { field: "s", root: schema };
        levels(document, &document.root().unwrap(), 10).ok()
    }

    #[test]
    fn every_way_to_bound_a_number_gives_its_levels() {
        for (schema, expected) in [
            (json!({ "minimum": 1, "maximum": 3 }), Some(vec![1, 2, 3])),
            (json!({ "minimum": 1.0, "maximum": 3.0 }), Some(vec![1, 2, 3])),
            (json!({ "minimum": -0.5, "maximum": 1.5 }), Some(vec![0, 1])),
            (json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 3 }), Some(vec![1, 2])),
            (json!({ "minimum": 1, "exclusiveMinimum": 1, "maximum": 2 }), Some(vec![2])),
            (
                json!({ "minimum": 0, "maximum": 90, "multipleOf": 10 }),
                Some((0..10).map(|n| n * 10).collect()),
            ),
            (json!({ "minimum": -3, "maximum": 3, "multipleOf": 2 }), Some(vec![-2, 0, 2])),
            (json!({ "minimum": 0, "maximum": 10 }), None),
            (json!({ "minimum": 2, "maximum": 1 }), None),
            (json!({ "minimum": 1 }), None),
            (json!({ "maximum": 1 }), None),
            (json!({ "minimum": 0, "maximum": 1, "multipleOf": 0.5 }), None),
            (json!({ "minimum": 1e300, "maximum": 1e300 }), None),
            (json!({ "minimum": 0, "maximum": 1, "pattern": "x" }), None),
        ] {
            assert_eq!(of(&schema), expected, "{schema}");
        }
    }
}
