//! Escapes of characters beyond U+FFFF in strings: `\u{1F600}` and the surrogate pair `\uD83D\uDE00`, which the
//! specification has (October 2021 draft, "String Value") and the parser does not know.

use std::borrow::Cow;

/// Replaces these escapes in a document: by `\uXXXX` up to U+FFFF, and by the character itself beyond. What is not a
/// valid escape is left for the parser to refuse.
pub(in crate::graphql) fn replace_wide_escapes(document: &str) -> Cow<'_, str> {
    if !document.contains("\\u") {
        return Cow::Borrowed(document);
    }
    let mut replaced = String::with_capacity(document.len());
    let mut rest = document;
    while let Some(at) = rest.find(['"', '#']) {
        let (before, token) = rest.split_at(at);
        replaced.push_str(before);
        let length = if token.starts_with("\"\"\"") {
            end_of_block_string(token)
        } else if token.starts_with('"') {
            end_of_string(token)
        } else {
            token.find('\n').unwrap_or(token.len())
        };
        let (token, after) = token.split_at(length);
        if token.starts_with('"') && !token.starts_with("\"\"\"") {
            push_string(&mut replaced, token);
        } else {
            replaced.push_str(token);
        }
        rest = after;
    }
    replaced.push_str(rest);
    Cow::Owned(replaced)
}

/// The length of the block string at the beginning of `text`.
fn end_of_block_string(text: &str) -> usize {
    let mut at = 3;
    while let Some(found) = text[at..].find("\"\"\"") {
        let end = at + found + 3;
        if !text[..at + found].ends_with('\\') {
            return end;
        }
        at = end;
    }
    text.len()
}

/// The length of the string at the beginning of `text`, which ends with its line at the latest.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = char == '\\' && !escaped,
        }
    }
    text.len()
}

fn push_string(replaced: &mut String, mut string: &str) {
    while let Some(at) = string.find('\\') {
        let (before, escape) = string.split_at(at);
        replaced.push_str(before);
        let length = match wide_escape(escape) {
            Some((char, length)) if u32::from(char) > 0xFFFF => {
                replaced.push(char);
                length
            }
            Some((char, length)) => {
                replaced.push_str(&format!("\\u{:04X}", u32::from(char)));
                length
            }
            None => {
                // A backslash and what it escapes, which may be a backslash.
                let length = escape.char_indices().nth(2).map_or(escape.len(), |(at, _)| at);
                replaced.push_str(&escape[..length]);
                length
            }
        };
        string = &escape[length..];
    }
    replaced.push_str(string);
}

/// The character and the length of the escape at the beginning of `text`, if it is one of the two forms.
fn wide_escape(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("\\u")?;
    if let Some(braced) = digits.strip_prefix('{') {
        let (digits, _) = braced.split_once('}')?;
        let hexadecimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        // Leading zeros are allowed, so that the number of digits says nothing.
        let significant = digits.trim_start_matches('0');
        let point = if significant.is_empty() { 0 } else { u32::from_str_radix(significant, 16).ok()? };
        return hexadecimal.then(|| char::from_u32(point)).flatten().map(|char| (char, digits.len() + 4));
    }
    let high = four_digits(digits)?;
    let low = four_digits(digits.get(4..)?.strip_prefix("\\u")?)?;
    let pair = char::decode_utf16([high, low]).next()?.ok()?;
    (u32::from(pair) > 0xFFFF).then_some((pair, 12))
}

fn four_digits(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::replace_wide_escapes;

    #[test]
    fn wide_escapes_become_characters() {
        for (document, expected) in [
            (r#"{ a(b: "\u{1F600}") }"#, "{ a(b: \"😀\") }"),
            (r#"{ a(b: "\u{0001F600}!") }"#, "{ a(b: \"😀!\") }"),
            (r#"{ a(b: "x\uD83D\uDE00y") }"#, "{ a(b: \"x😀y\") }"),
            (r#"{ a(b: "\u{22}\u{5c}\u{e9}") }"#, r#"{ a(b: "\u0022\u005C\u00E9") }"#),
            // Beside other strings and comments.
            ("# \"\\u{1F600}\n{ a(b: \"\\u{1F600}\") }", "# \"\\u{1F600}\n{ a(b: \"😀\") }"),
            (r#"{ a(b: "", c: "\u{1F600}") }"#, "{ a(b: \"\", c: \"😀\") }"),
            (
                r#"{ a(b: """ "\u{1F600} \""" """, c: "\u{1F600}") }"#,
                "{ a(b: \"\"\" \"\\u{1F600} \\\"\"\" \"\"\", c: \"😀\") }",
            ),
        ] {
            assert_eq!(replace_wide_escapes(document), expected, "{document}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for document in [
            r#"{ a(b: "\u00e9 \n \\u{1F600} \" \u{}") }"#,
            r#"{ a(b: "\u{110000} \u{D800} \u{xyz} \u{1F600") }"#,
            r#"{ a(b: "\uD83D \uDE00 \uD83D\u0041 \uD83D") }"#,
            r#"{ a(b: "\u"#,
            "{ a(b: \"\\u{1F600\n}\") }",
            r#"""" \u{1F600} "#,
        ] {
            assert_eq!(replace_wide_escapes(document), document, "{document}");
        }
    }
}
