//! Parses the literal that a minified CommonJS module exports.
//!
//! Supported are objects with bare or quoted keys, arrays, strings, numbers such as `-.001` and `1e3`, `true`, `false`,
//! `null`, `!0` and `!1`. Everything else is refused; nothing is ever evaluated.

use serde_json::{Map, Number, Value};

use super::error::ConvertError;

/// Maximum nesting, so that hostile input cannot exhaust the stack.
const DEPTH: usize = 64;

/// Parses the literal after the first `.exports=` that is followed by an object or a string.
///
/// # Errors
/// If there is no such literal, or it is not supported; the message names the byte.
pub(super) fn exported(module: &str) -> Result<Value, ConvertError> {
    const EXPORTS: &str = ".exports=";
    let at = module
        .match_indices(EXPORTS)
        .map(|(at, _)| at + EXPORTS.len())
        .find(|&at| matches!(module.as_bytes().get(at), Some(b'{' | b'"' | b'\'')))
        .ok_or("the module exports no literal")?;
    let mut parser = LiteralParser { text: module, at };
    parser.value(DEPTH).map_err(|error| error.within(format!("byte {}", parser.at)))
}

struct LiteralParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> LiteralParser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, ConvertError> {
        let depth = depth.checked_sub(1).ok_or("nested too deeply")?;
        match self.peek().ok_or("ends early")? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' | '\'' => Ok(Value::String(self.string()?)),
            '!' => {
                self.at += 1;
                match self.peek() {
                    Some('0') => self.skip(1, true.into()),
                    Some('1') => self.skip(1, false.into()),
                    _ => Err("`!` is supported only before 0 and 1".into()),
                }
            }
            '-' | '.' | '0'..='9' => self.number(),
            _ => match self.word() {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                "null" => Ok(Value::Null),
                _ => Err("not a literal".into()),
            },
        }
    }

    fn skip(&mut self, bytes: usize, value: Value) -> Result<Value, ConvertError> {
        self.at += bytes;
        Ok(value)
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Result<Value, ConvertError> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-')).unwrap_or(rest.len());
        self.at += end;
        let text = &rest[..end];
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(integer.into());
        }
        let number = text.parse().ok().and_then(Number::from_f64);
        number.map(Value::Number).ok_or_else(|| format!("{text:.40} is not a number").into())
    }

    fn string(&mut self) -> Result<String, ConvertError> {
        let quote = self.rest().chars().next().ok_or("ends early")?;
        self.at += 1;
        let rest = self.rest();
        let end = rest.find(quote).ok_or("unterminated string")?;
        let text = &rest[..end];
        if text.contains(['\\', '\n']) {
            return Err("escapes in strings are not supported".into());
        }
        self.at += end + 1;
        Ok(text.into())
    }

    fn array(&mut self, depth: usize) -> Result<Value, ConvertError> {
        self.at += 1;
        let mut values = Vec::new();
        while !self.take(']') {
            values.push(self.value(depth)?);
            if !self.take(',') && self.peek() != Some(']') {
                return Err("expected , or ]".into());
            }
        }
        Ok(Value::Array(values))
    }

    fn object(&mut self, depth: usize) -> Result<Value, ConvertError> {
        self.at += 1;
        let mut fields = Map::new();
        while !self.take('}') {
            let key = match self.peek() {
                Some('"' | '\'') => self.string()?,
                _ => self.word().to_owned(),
            };
            if key.is_empty() || !self.take(':') {
                return Err("expected a key and a colon".into());
            }
            fields.insert(key, self.value(depth)?);
            if !self.take(',') && self.peek() != Some('}') {
                return Err("expected , or }".into());
            }
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(literal: &str) -> Result<Value, ConvertError> {
        exported(&format!(
            "!function(a){{module.exports=a()}}({{1:[function(a,n,i){{n.exports={literal}}}]}})"
        ))
    }

    #[test]
    fn the_output_of_minifiers_is_parsed() {
        let value = read(r#"{a:!0,b:!1,c:.001,"d-e":-.5e-3,$f_1:[1,-2,[],{}],g:'x',h:null,i:-0}"#).unwrap();
        let expected = json!({
            "a": true, "b": false, "c": 0.001, "d-e": -0.0005, "$f_1": [1, -2, [], {}], "g": "x", "h": null, "i": 0
        });
        assert_eq!(value, expected);
        assert_eq!(read(r#""QUJD""#).unwrap(), json!("QUJD"));
    }

    #[test]
    fn code_is_refused() {
        for code in [
            "{a:b()}",
            "{a:b}",
            "{a:!2}",
            "{a:1+1}",
            "{a:`x`}",
            "{a:\"\\x41\"}",
            "{a:[1",
            "{a}",
            "[1 2]",
            "{a:1e999}",
        ] {
            assert!(read(code).is_err(), "{code}");
        }
        assert!(exported("exports.default=1").is_err());
        let deep = format!("{{a:{}", "[".repeat(100_000));
        assert!(read(&deep).unwrap_err().to_string().contains("nested"));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(text in ".*", literal in "[-{}\\[\\]!:,.\"'a-e0-9\\\\ é]{0,40}") {
            let _ = exported(&text);
            let _ = read(&format!("{{{literal}"));
            let _ = read(&format!("{{a:{literal}}}"));
        }
    }
}
