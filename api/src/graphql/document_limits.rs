//! How large a document may be. Asked before the parser, which recurses, and before validation, which walks each spread of a
//! fragment anew: what passes here is cheap for both. Depth and complexity by the schema are the schema's own limits.

use std::collections::HashMap;

use async_graphql::{
    Name,
    parser::types::{ExecutableDocument, Field, Selection, SelectionSet},
};
use domain::{Code, Error, Result};

/// Bytes of a document. What is long belongs into variables.
const BYTES: usize = 65_536;
/// Tokens of a document: names, values and punctuation.
const TOKENS: usize = 5_000;
/// Brackets within brackets, and selections within selections, fragments included.
const NESTING: usize = 48;
/// Fields that are asked for under another name.
const ALIASES: usize = 50;
/// Fields and fragments, each counted as often as it is spread.
const SELECTIONS: usize = 5_000;
/// Lists of introspection within each other, each of which may multiply the answer by the number of types.
const LISTS: usize = 2;
const OF_TYPES: [&str; 4] = ["fields", "inputFields", "interfaces", "possibleTypes"];

/// Refuses a document that should not even be parsed.
///
/// # Errors
/// `VALIDATION_FAILED`, naming the limit.
pub(super) fn check_text(document: &str) -> Result<()> {
    if document.len() > BYTES {
        return Err(too("have", BYTES, "bytes"));
    }
    let (mut tokens, mut nesting, mut rest) = (0, 0usize, document.as_bytes());
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
            b'"' => string(rest),
            byte if is_word(byte) => rest.iter().take_while(|byte| is_word(**byte)).count(),
            _ => 1,
        };
        match first {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        tokens += 1;
        if tokens > TOKENS {
            return Err(too("have", TOKENS, "tokens"));
        }
        if nesting > NESTING {
            return Err(too("nest", NESTING, "levels deep"));
        }
        rest = &rest[length.min(rest.len())..];
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+') || byte >= 0x80
}

/// How long the string is that a text begins with.
fn string(text: &[u8]) -> usize {
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

/// Refuses a document that would be laborious to validate, such as one whose fragments spread themselves.
///
/// # Errors
/// `VALIDATION_FAILED`, naming the limit.
pub(super) fn check_document(document: &ExecutableDocument) -> Result<()> {
    let mut weighing = Weighing { document, aliases: 0, fragments: HashMap::new() };
    let mut selections = 0usize;
    for (_, operation) in document.operations.iter() {
        let weight = weighing.set(&operation.node.selection_set.node, 0)?;
        selections = selections.saturating_add(weight.selections);
    }
    for name in document.fragments.keys() {
        weighing.fragment(name, 0)?;
    }
    if selections > SELECTIONS { Err(too("select", SELECTIONS, "fields")) } else { Ok(()) }
}

fn too(verb: &str, most: usize, what: &str) -> Error {
    Error::new(Code::ValidationFailed, format!("a document may {verb} {most} {what} at most"))
}

/// What a selection comes to.
#[derive(Clone, Copy, Default)]
struct Weight {
    selections: usize,
    levels: usize,
    /// Lists of introspection within each other.
    lists: usize,
}

/// Weighs each fragment once, however often it is spread.
struct Weighing<'a> {
    document: &'a ExecutableDocument,
    aliases: usize,
    /// None while it is being weighed.
    fragments: HashMap<&'a Name, Option<Weight>>,
}

impl<'a> Weighing<'a> {
    fn set(&mut self, set: &'a SelectionSet, level: usize) -> Result<Weight> {
        fits(level)?;
        let mut sum = Weight::default();
        for selection in &set.items {
            let one = match &selection.node {
                Selection::Field(field) => self.field(&field.node, level)?,
                Selection::InlineFragment(inline) => self.set(&inline.node.selection_set.node, level + 1)?,
                Selection::FragmentSpread(spread) => {
                    self.fragment(&spread.node.fragment_name.node, level + 1)?
                }
            };
            sum.selections = sum.selections.saturating_add(one.selections).saturating_add(1);
            sum.levels = sum.levels.max(one.levels + 1);
            sum.lists = sum.lists.max(one.lists);
        }
        Ok(sum)
    }

    fn field(&mut self, field: &'a Field, level: usize) -> Result<Weight> {
        self.aliases += usize::from(field.alias.is_some());
        if self.aliases > ALIASES {
            return Err(too("have", ALIASES, "aliases"));
        }
        let below = self.set(&field.selection_set.node, level + 1)?;
        let name = field.name.node.as_str();
        if name.starts_with("__") && below.lists > LISTS {
            return Err(too("nest", LISTS, "lists of the schema within each other"));
        }
        Ok(Weight { lists: below.lists + usize::from(OF_TYPES.contains(&name)), ..below })
    }

    fn fragment(&mut self, name: &'a Name, level: usize) -> Result<Weight> {
        match self.fragments.get(name) {
            Some(Some(weight)) => fits(level + weight.levels).map(|()| *weight),
            Some(None) => {
                let message = format!("the fragment `{name}` contains itself");
                Err(Error::new(Code::ValidationFailed, message))
            }
            None => {
                // One that is not there is validation's to name.
                let Some(fragment) = self.document.fragments.get(name) else { return Ok(Weight::default()) };
                self.fragments.insert(name, None);
                let weight = self.set(&fragment.node.selection_set.node, level)?;
                self.fragments.insert(name, Some(weight));
                Ok(weight)
            }
        }
    }
}

fn fits(level: usize) -> Result<()> {
    if level > NESTING { Err(too("nest", NESTING, "levels deep")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    fn refused(document: &str) -> Option<String> {
        let checked =
            check_text(document).and_then(|()| check_document(&parse_query(document).expect("it parses")));
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
        assert!(check_text(&"[".repeat(NESTING + 1)).is_err());
        assert!(check_text(&"[".repeat(NESTING)).is_ok());
        assert!(check_text(&"a ".repeat(TOKENS + 1)).is_err());
        assert!(check_text(&"#".repeat(BYTES + 1)).is_err());
    }

    #[test]
    fn aliases_and_selections_are_counted() {
        let aliases = |count: usize| (0..count).map(|i| format!("a{i}: b ")).collect::<String>();
        assert_eq!(refused(&format!("{{ {} }}", aliases(ALIASES))), None);
        assert!(refused(&format!("{{ {} }}", aliases(ALIASES + 1))).unwrap().contains("aliases"));
        // Each fragment spreads the next one ten times.
        let mut document = String::from("{ ...F0 }");
        for i in 0..20 {
            document.push_str(&format!(" fragment F{i} on T {{ {} }}", format!("...F{} ", i + 1).repeat(10)));
        }
        document += " fragment F20 on T { b }";
        assert!(refused(&document).unwrap().contains("fields"));
    }

    #[test]
    fn introspection_goes_round_twice_at_most() {
        let within =
            |inner: &str| format!("{{ __schema {{ types {{ fields {{ type {{ {inner} }} }} }} }} }}");
        assert_eq!(refused(&within("interfaces { name }")), None);
        let thrice = within("interfaces { possibleTypes { name } }");
        assert!(refused(&thrice).unwrap().contains("lists of the schema"));
        let apart = "{ __schema { types { ...A } } } fragment A on __Type { fields { type { ...B } } } \
            fragment B on __Type { interfaces { possibleTypes { name } } }";
        assert!(refused(apart).unwrap().contains("lists of the schema"));
    }

    #[test]
    fn cycles_and_long_chains_of_fragments_are_refused() {
        let cyclic = "{ ...A } fragment A on T { b { ...B } } fragment B on T { ...A }";
        assert!(refused(cyclic).unwrap().contains("contains itself"));
        assert!(refused("{ a } fragment A on T { ...A }").unwrap().contains("contains itself"));
        let chain = |count: usize| {
            let link = |i: usize| format!(" fragment F{i} on T {{ ...F{} }}", i + 1);
            let links: String = (0..count).map(link).collect();
            format!("{{ ...F0 }}{links} fragment F{count} on T {{ b }}")
        };
        assert_eq!(refused(&chain(20)), None);
        assert!(refused(&chain(500)).unwrap().contains("nest"));
    }
}
