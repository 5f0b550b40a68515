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

/// The forms in which an address may be stored: as it is written, in lower case, which earlier builds stored, its
/// normal form, and that with the host in letters, as earlier builds stored it too.
fn stored_forms(email: &str) -> Vec<String> {
    let mut forms = vec![email.trim().to_lowercase()];
    let normal = normalize(email, Syntax::Any).ok();
    let in_letters = normal.as_deref().and_then(|normal| normal.rsplit_once('@'));
    let in_letters = in_letters.map(|(name, host)| format!("{name}@{}", idna::domain_to_unicode(host).0));
    for form in normal.iter().cloned().chain(in_letters) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Finds the person with an address. Of two, whose addresses an older version took for different ones, it is the one
/// whose address is written so.
pub(crate) async fn find_person(db: &impl ConnectionTrait, email: &str) -> Result<Option<user::Model>> {
    let forms = stored_forms(email);
    let found = user::Entity::find().filter(user::Column::Email.is_in(&forms)).all(db).await?;
    Ok(found.into_iter().max_by_key(|person| person.email == forms[0]))
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

    #[test]
    fn a_person_is_found_by_the_form_that_an_older_version_stored() {
        assert_eq!(stored_forms(" Own@Example.com"), ["own@example.com"]);
        for written in ["a@Bücher.example", "a@XN--bcher-kva.example"] {
            let mut forms = stored_forms(written);
            forms.sort();
            assert_eq!(forms, ["a@bücher.example", "a@xn--bcher-kva.example"]);
        }
        assert_eq!(stored_forms("own@example.com\u{200b}"), ["own@example.com\u{200b}"]);
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
