//! JSON pointers (RFC 6901), and how errors name the places that they point to.

use percent_encoding::percent_decode_str;

/// Maximum characters of a place in an error: names in a value may be as long as the value.
const MAX_PLACE_CHARS: usize = 500;

/// Names a place in a field, such as `state#/order/id`; the root has the name of the field.
pub(crate) fn place(field: &str, pointer: &str) -> String {
    if pointer.is_empty() {
        return field.to_owned();
    }
    let place = format!("{field}#{pointer}");
    match place.char_indices().nth(MAX_PLACE_CHARS) {
        Some((end, _)) => format!("{}…", &place[..end]),
        None => place,
    }
}

/// The pointer to a member or an item of what `pointer` points to.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The pointer in a `$ref` to the same document, such as `#/$defs/team`; `None` for any other reference.
pub(crate) fn local_reference(reference: &str) -> Option<String> {
    let fragment = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    (fragment.is_empty() || fragment.starts_with('/')).then(|| fragment.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_references_are_json_pointers() {
        assert_eq!(place("state", ""), "state");
        assert_eq!(place("state", &child(&child("", "a/b"), "~c")), "state#/a~1b/~0c");
        assert_eq!(place("state", &child("", &"x".repeat(1_000))).chars().count(), MAX_PLACE_CHARS + 1);
        for (reference, pointer) in [
            ("#", Some("")),
            ("#/$defs/a", Some("/$defs/a")),
            ("#/$defs/a%20b", Some("/$defs/a b")),
            ("#anchor", None),
            ("other.json#/a", None),
            ("https://example.com/", None),
            ("#/%ff", None),
        ] {
            assert_eq!(local_reference(reference).as_deref(), pointer, "{reference}");
        }
    }
}
