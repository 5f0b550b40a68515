//! What is wrong with a setting, in words. Figment's own messages name types of Rust.

use anyhow::anyhow;
use domain::foundation::wrong_shape::must_be;
use figment::error::Kind;

const ADDRESS: &str = "an address and a port, such as 127.0.0.1:8080";

/// An error of Figment, which names the setting and what it must be.
pub(crate) fn in_words(error: &figment::Error) -> anyhow::Error {
    let setting = name(&error.path);
    if setting.is_empty() {
        return anyhow!("{error}");
    }
    let words = match &error.kind {
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            let expected = if expected == "socket address" { ADDRESS } else { expected };
            must_be(expected, &found.to_string()).replace("an object", "a table")
        }
        Kind::UnknownVariant(found, known) => format!("must be one of: {}, not `{found}`", known.join(", ")),
        Kind::UnknownField(_, known) => format!("is not a setting; use one of: {}", known.join(", ")),
        Kind::MissingField(field) => return anyhow!("{setting}.{field} is required"),
        Kind::Message(message) if message == "invalid socket address syntax" => format!("must be {ADDRESS}"),
        // This one names the setting itself.
        Kind::Message(message) if message.starts_with(&setting) => return anyhow!("{message}"),
        Kind::Message(message) => format!("is not valid: {message}"),
        _ => return anyhow!("{error}"),
    };
    anyhow!("{setting} {words}")
}

/// `backends.near.url` or `cascade[0].below`.
fn name(path: &[String]) -> String {
    let mut name = String::new();
    for key in path {
        match key.parse::<usize>() {
            Ok(index) => name.push_str(&format!("[{index}]")),
            Err(_) if name.is_empty() => name.push_str(key),
            Err(_) => name.push_str(&format!(".{key}")),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use crate::config::Config;

    /// The error for a settings file.
    fn refused(settings: &str) -> String {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(settings.as_bytes()).unwrap();
        Config::read(Some(file.path())).err().unwrap().root_cause().to_string()
    }

    #[test]
    fn a_wrong_setting_is_named_with_what_it_must_be() {
        for (settings, words) in [
            ("database_pool = 'many'", "database_pool must be a number, not the string \"many\""),
            ("batch_messages = 1.5", "batch_messages must be an integer of 0 or more, not 1.5"),
            ("database_url = 5", "database_url must be a string, not the number 5"),
            ("listen = 'nowhere'", "listen must be an address and a port, such as 127.0.0.1:8080"),
            ("log_format = 'xml'", "log_format must be one of: auto, json, text, not `xml`"),
            ("trusted_proxies = 'x'", "trusted_proxies must be networks such as 10.0.0.0/8, not `x`"),
            ("cascade = [{ a = 1 }]", "cascade[0].a is not a setting; use one of: backend, below"),
            ("backends = 5", "backends must be a table, not the number 5"),
            ("backends.good.url = 'http://a'", "backends.good.kind is required"),
            (
                "[backends.good]\nkind = 'openai_chat'\nrotations = 'x'",
                "backends.good.rotations must be an integer of 0 or more, not the string \"x\"",
            ),
        ] {
            assert_eq!(refused(settings), words, "{settings}");
        }
    }
}
