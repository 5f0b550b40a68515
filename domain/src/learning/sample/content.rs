//! The content hash by which equal samples are found.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::foundation::canonical_json::canonical;

/// Hex SHA-256 of a state, and of instructions that are not the Judge's; independent of the order of object
/// members.
pub fn content_hash(state: &Value, instructions: Option<&Value>) -> String {
    let mut hash = Sha256::new();
    hash.update(canonical(state).to_string());
    if let Some(instructions) = instructions {
        hash.update("\n");
        hash.update(canonical(instructions).to_string());
    }
    format!("{:x}", hash.finalize())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hash_does_not_see_the_order_of_members() {
        let one = content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 3 }] }), None);
        assert_eq!(one, content_hash(&json!({ "b": [{ "d": 3, "c": 2 }], "a": 1 }), None));
        assert_ne!(one, content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 4 }] }), None));
        assert_ne!(one, content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 3 }] }), Some(&json!("why?"))));
    }
}
