//! Limits of a document's size. They are checked before the parser, which recurses, and before validation, which walks
//! a fragment again for each spread: a document within the limits is cheap for both. Depth and complexity are limits of
//! the schema, and `introspection` has one of its own.

use std::collections::HashMap;

use async_graphql::{
    Name,
    parser::types::{ExecutableDocument, Field, Selection, SelectionSet},
};
use domain::{Code, Error, Result};

/// Bytes of a document. Long values belong into variables.
const MAX_BYTES: usize = 65_536;
/// Tokens of a document: names, values and punctuation.
const MAX_TOKENS: usize = 5_000;
/// Brackets within brackets, and selections within selections, fragments included.
const MAX_NESTING: usize = 48;
/// Fields with an alias.
const MAX_ALIASES: usize = 50;
/// Fields and fragments, each counted as often as it is spread.
const MAX_SELECTIONS: usize = 5_000;
/// The fields that ask for the schema.
const INTROSPECTION: [&str; 2] = ["__schema", "__type"];

/// Checks a document's text, before it is parsed.
///
/// # Errors
/// `VALIDATION_FAILED`, naming the limit.
pub(super) fn check_text(document: &str) -> Result<()> {
    if document.len() > MAX_BYTES {
        return Err(over_limit("have", MAX_BYTES, "bytes"));
    }
    let mut tokens = 0;
    let mut nesting = 0usize;
    let mut rest = document.as_bytes();
    while let Some(&first) = rest.first() {
        let length = match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {
                rest = &rest[1..];
                continue;
            }
            b'#' => {
                rest = &rest[rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())..];
                continue;
            }
            b'"' => string_length(rest),
            byte if is_word(byte) => rest.iter().take_while(|byte| is_word(**byte)).count(),
            _ => 1,
        };
        match first {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        tokens += 1;
        if tokens > MAX_TOKENS {
            return Err(over_limit("have", MAX_TOKENS, "tokens"));
        }
        if nesting > MAX_NESTING {
            return Err(over_limit("nest", MAX_NESTING, "levels deep"));
        }
        rest = &rest[length.min(rest.len())..];
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+') || byte >= 0x80
}

/// The length of the string literal that a text begins with.
fn string_length(text: &[u8]) -> usize {
    let (quote, mut at): (&[u8], usize) =
        if text.starts_with(b"\"\"\"") { (b"\"\"\"", 3) } else { (b"\"", 1) };
    while at < text.len() {
        if text[at] == b'\\' {
            at += 2;
        } else if text[at..].starts_with(quote) {
            return at + quote.len();
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Whether a document asks for the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Introspects(pub(super) bool);

/// Checks a parsed document, before it is validated. Refuses fragments that spread themselves as well.
///
/// # Errors
/// `VALIDATION_FAILED`, naming the limit.
pub(super) fn check_document(document: &ExecutableDocument) -> Result<Introspects> {
    let mut sizes = Sizes { document, aliases: 0, introspects: false, fragments: HashMap::new() };
    let mut selections = 0usize;
    for (_, operation) in document.operations.iter() {
        let size = sizes.selection_set(&operation.node.selection_set.node, 0)?;
        selections = selections.saturating_add(size.selections);
    }
    for name in document.fragments.keys() {
        sizes.fragment(name, 0)?;
    }
    if selections > MAX_SELECTIONS {
        return Err(over_limit("select", MAX_SELECTIONS, "fields"));
    }
    Ok(Introspects(sizes.introspects))
}

fn over_limit(verb: &str, most: usize, what: &str) -> Error {
    Error::new(Code::ValidationFailed, format!("a document may {verb} at most {most} {what}"))
}

/// The size of a selection, with fragments spread.
#[derive(Clone, Copy, Default)]
struct Size {
    selections: usize,
    levels: usize,
}

/// Computes sizes. The size of a fragment is computed once, however often it is spread.
struct Sizes<'a> {
    document: &'a ExecutableDocument,
    aliases: usize,
    introspects: bool,
    /// None while a fragment's size is being computed.
    fragments: HashMap<&'a Name, Option<Size>>,
}

impl<'a> Sizes<'a> {
    fn selection_set(&mut self, set: &'a SelectionSet, level: usize) -> Result<Size> {
        check_level(level)?;
        let mut sum = Size::default();
        for selection in &set.items {
            let one = match &selection.node {
                Selection::Field(field) => self.field(&field.node, level)?,
                Selection::InlineFragment(inline) => {
                    self.selection_set(&inline.node.selection_set.node, level + 1)?
                }
                Selection::FragmentSpread(spread) => {
                    self.fragment(&spread.node.fragment_name.node, level + 1)?
                }
            };
            sum.selections = sum.selections.saturating_add(one.selections).saturating_add(1);
            sum.levels = sum.levels.max(one.levels + 1);
        }
        Ok(sum)
    }

    fn field(&mut self, field: &'a Field, level: usize) -> Result<Size> {
        self.aliases += usize::from(field.alias.is_some());
        if self.aliases > MAX_ALIASES {
            return Err(over_limit("have", MAX_ALIASES, "aliases"));
        }
        self.introspects |= INTROSPECTION.contains(&field.name.node.as_str());
        self.selection_set(&field.selection_set.node, level + 1)
    }

    fn fragment(&mut self, name: &'a Name, level: usize) -> Result<Size> {
        match self.fragments.get(name) {
            Some(Some(size)) => check_level(level + size.levels).map(|()| *size),
            Some(None) => {
                let message = format!("the fragment `{name}` contains itself");
                Err(Error::new(Code::ValidationFailed, message))
            }
            None => {
                // Validation refuses a spread of a fragment that does not exist.
                let Some(fragment) = self.document.fragments.get(name) else { return Ok(Size::default()) };
                self.fragments.insert(name, None);
                let size = self.selection_set(&fragment.node.selection_set.node, level)?;
                self.fragments.insert(name, Some(size));
                Ok(size)
            }
        }
    }
}

fn check_level(level: usize) -> Result<()> {
    if level > MAX_NESTING { Err(over_limit("nest", MAX_NESTING, "levels deep")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use proptest::prelude::*;

    use super::*;

    fn refused(document: &str) -> Option<String> {
        let checked = check_text(document)
            .and_then(|()| check_document(&parse_query(document).expect("it parses")).map(drop));
        checked.err().map(|error| error.message)
    }

    #[test]
    fn ordinary_documents_pass() {
        for document in [
            "{ a }",
            "query Q($x: [Int!] = [1, 2]) { a(x: $x, s: \"}}}}\\\"{{{{\") { ...F } } fragment F on T { b c }",
            "{ a(s: \"\"\"\n [[[[ \\\"\"\" ]] \"\"\") } # {{{{{",
            "{ a { ...Missing } }",
        ] {
            assert_eq!(refused(document), None, "{document}");
        }
    }

    #[test]
    fn what_nests_is_refused_before_it_is_parsed() {
        for bracket in ["{a", "[", "("] {
            let document = format!("{{ a(x: {}", bracket.repeat(20_000));
            let error = check_text(&document[..60_000.min(document.len())]).unwrap_err();
            assert!(error.message.contains("nest") || error.message.contains("tokens"), "{}", error.message);
        }
        assert!(check_text(&"[".repeat(MAX_NESTING + 1)).is_err());
        assert!(check_text(&"[".repeat(MAX_NESTING)).is_ok());
        assert!(check_text(&"a ".repeat(MAX_TOKENS + 1)).is_err());
        assert!(check_text(&"#".repeat(MAX_BYTES + 1)).is_err());
    }

    fn aliases(count: usize) -> String {
        (0..count).map(|i| format!("a{i}: b ")).collect()
    }

    #[test]
    fn aliases_and_selections_are_counted() {
        assert_eq!(refused(&format!("{{ {} }}", aliases(MAX_ALIASES))), None);
        assert!(refused(&format!("{{ {} }}", aliases(MAX_ALIASES + 1))).unwrap().contains("aliases"));
        // Each fragment spreads the next one ten times.
        let mut document = String::from("{ ...F0 }");
        for i in 0..20 {
            document.push_str(&format!(" fragment F{i} on T {{ {} }}", format!("...F{} ", i + 1).repeat(10)));
        }
        document += " fragment F20 on T { b }";
        assert!(refused(&document).unwrap().contains("fields"));
    }

    /// A document with a fragment that spreads another, `count` deep.
    fn chain(count: usize) -> String {
        let links: String = (0..count).map(|i| format!(" fragment F{i} on T {{ ...F{} }}", i + 1)).collect();
        format!("{{ ...F0 }}{links} fragment F{count} on T {{ b }}")
    }

    #[test]
    fn cycles_and_long_chains_of_fragments_are_refused() {
        let cyclic = "{ ...A } fragment A on T { b { ...B } } fragment B on T { ...A }";
        assert!(refused(cyclic).unwrap().contains("contains itself"));
        assert!(refused("{ a } fragment A on T { ...A }").unwrap().contains("contains itself"));
        assert_eq!(refused(&chain(20)), None);
        assert!(refused(&chain(500)).unwrap().contains("nest"));
    }

    proptest! {
        #[test]
        fn a_document_that_passes_is_parsed_or_refused(
            parts in prop::collection::vec(
                prop_oneof![
                    r##"query Q|fragment F on T|mutation|b: c|\.\.\.F|\.\.\. on T|@skip[(]if: true[)]|[$]x: Int = 1"##,
                    r##"[{]|[}]|[(]|[)]|\[|\]|"|"""|\\u[0-9a-f]{4}|#|\n| |\PC{0,3}|[0-9]{1,400}[.]?[0-9]{0,3}"##,
                ],
                0..40,
            ),
            nested in 0_usize..60,
        ) {
            let document = format!("{}{}{}", "{a".repeat(nested), parts.join(" "), "}".repeat(nested));
            if check_text(&document).is_ok() && let Ok(document) = parse_query(&document) {
                let code = check_document(&document).err().map(|error| error.code);
                prop_assert!([None, Some(Code::ValidationFailed)].contains(&code));
            }
        }
    }
}
