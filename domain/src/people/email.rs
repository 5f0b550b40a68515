//! The one form of an e-mail address, in which it is stored and unique: lower case, NFKC, the host as in the DNS.

use email_address::{EmailAddress, Options};
use entity::user;
use ports::text::reader::is_invisible;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use unicode_normalization::UnicodeNormalization;

use crate::{Error, Result};

/// Maximum bytes of an address.
const MAX_BYTES: usize = 254;

/// The addresses that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A name without quotes at a host with a name.
    Usual,
    /// Also a quoted name, and an IP address in brackets as the host: for the operator at the command line.
    Any,
}

/// The normal form of an address.
///
/// # Errors
/// `VALIDATION_FAILED` for an invalid address, and for one with invisible characters.
pub(crate) fn normalize(email: &str, syntax: Syntax) -> Result<String> {
    let lower: String = email.trim().nfkc().flat_map(char::to_lowercase).nfkc().collect();
    parse(&lower, syntax)
        .ok_or_else(|| Error::invalid("email", "must be an e-mail address, such as ann@example.com"))
}

fn parse(lower: &str, syntax: Syntax) -> Option<String> {
    let options = Options {
        allow_display_text: false,
        allow_domain_literal: syntax == Syntax::Any,
        ..Options::default()
    };
    let address = EmailAddress::parse_with_options(lower, options).ok()?;
    let name = address.local_part();
    let host = address.domain();
    let host =
        if host.starts_with('[') { host.to_owned() } else { idna::domain_to_ascii_strict(host).ok()? };
    let numeric = host.rsplit('.').next()?.bytes().all(|byte| byte.is_ascii_digit());
    let quoted = name.starts_with('"') && syntax == Syntax::Usual;
    let normal = format!("{name}@{host}");
    let hidden = lower.chars().any(|char| char.is_control() || is_invisible(char));
    (!numeric && !quoted && !hidden && normal.len() <= MAX_BYTES).then_some(normal)
}

/// Finds the person with an address.
pub(crate) async fn find_person(db: &impl ConnectionTrait, email: &str) -> Result<Option<user::Model>> {
    let Ok(email) = normalize(email, Syntax::Any) else { return Ok(None) };
    Ok(user::Entity::find().filter(user::Column::Email.eq(email)).one(db).await?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usual(email: &str) -> Option<String> {
        normalize(email, Syntax::Usual).ok()
    }

    #[test]
    fn an_address_has_one_form() {
        for (written, normal) in [
            ("own@example.com", "own@example.com"),
            ("  Own@Example.COM ", "own@example.com"),
            ("ｏｗｎ@ｅｘａｍｐｌｅ．ｃｏｍ", "own@example.com"),
            ("own@exampⅼe.com", "own@example.com"),
            ("own+tag@example.com", "own+tag@example.com"),
            ("JÜRGEN@example.com", "jürgen@example.com"),
            ("ju\u{308}rgen@example.com", "jürgen@example.com"),
            ("a@BÜCHER.example", "a@xn--bcher-kva.example"),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
            // The first letter is Cyrillic: another host, which nobody takes for the other one.
            ("a@еxample.com", "a@xn--xample-2of.com"),
            ("ops@intranet", "ops@intranet"),
            ("x@1.example.com", "x@1.example.com"),
        ] {
            assert_eq!(usual(written).as_deref(), Some(normal), "{written:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_from_another_address_or_is_none_is_refused() {
        for wrong in [
            "",
            "x",
            "@example.com",
            "x@",
            "x@y@example.com",
            "own@example.com\u{200b}",
            "own\u{200b}@example.com",
            "own@exam\u{ad}ple.com",
            "own@example.com\u{2060}",
            "\u{202e}own@example.com",
            "own\u{fe0f}@example.com",
            "own\u{3164}@example.com",
            "own\0@example.com",
            "own @example.com",
            "own@exa mple.com",
            "own@example.com.",
            "own@.example.com",
            "own@example..com",
            "own@-example.com",
            ".own@example.com",
            "own.@example.com",
            "own@127.0.0.1",
            "own@[127.0.0.1]",
            "own@[IPv6:::1]",
            "\"own\"@example.com",
            "\"own\u{200b}\"@example.com",
            "Own <own@example.com>",
            "own@example.com, other@example.com",
            &format!("{}@example.com", "x".repeat(65)),
            &format!("x@{}.com", ["x".repeat(63).as_str(); 4].join(".")),
        ] {
            assert_eq!(usual(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn an_operator_may_use_any_syntax() {
        for address in ["own@[127.0.0.1]", "\"own name\"@example.com"] {
            assert_eq!(normalize(address, Syntax::Any).unwrap(), address);
        }
        for wrong in ["own@[127.0.0.1]\u{200b}", "\"own\u{200b}\"@example.com", "own"] {
            assert!(normalize(wrong, Syntax::Any).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn a_normal_form_is_its_own(written in "\\PC{1,8}@[\\PC]{1,8}\\.[a-z]{2,4}") {
            if let Some(normal) = usual(&written) {
                prop_assert_eq!(usual(&normal), Some(normal));
            }
        }
    }
}
