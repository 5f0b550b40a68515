//! Personal data in formats that are ambiguous on their own: `number 33`, `555-0142`, a licence plate.

use std::{net::Ipv4Addr, ops::Range, sync::LazyLock};

use regex::Regex;

use crate::operations::moderation::personal_data::{
    beside::{in_number, matches, stands_alone},
    expression::compile,
};

static PHONES: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"0[0-9]{2,4} ?[0-9]{2,8}(?: ?[0-9]{2,4}){0,4}|0[0-9](?: ?[0-9]{2}){4}|",
        r"\(?[0-9]{3}\)?[ -]?[0-9]{3}[ -]?[0-9]{3,4}|[0-9]{3}[- ][0-9]{4}"
    ))
});

static ADDRESSES_OF_HOSTS: LazyLock<Regex> = LazyLock::new(|| compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"));
/// Public DNS resolvers.
const RESOLVERS: [[u8; 4]; 5] = [[8, 8, 8, 8], [8, 8, 4, 4], [1, 1, 1, 1], [1, 0, 0, 1], [9, 9, 9, 9]];

static PLATES: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"[A-Z]{2}[0-9]{2} ?[A-Z]{3}|[A-Z]{3} ?[0-9][A-Z0-9][0-9]{2}|[0-9]{4} ?[A-Z]{3}|",
        r"[A-Z]{2}-?[0-9]{3}-?[A-Z]{2}|",
        r"[A-Z]{1,3}[- ][A-Z]{1,2} ?[0-9]{2,4}|[A-Z]{2,3}[- ]?[0-9]{4}|[0-9][A-Z]{3}[0-9]{3}|",
        r"[0-9]{2}-[A-Z]{2}-[0-9]{2}"
    ))
});

static STREETS: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)[0-9]{1,5}[a-z]?,? (?:[NSEW] )?(?:[\p{L}'’-]+ ){1,2}?(?:street|st|avenue|ave|road|rd|lane|ln|",
        r"boulevard|blvd|",
        r"crescent|terrace|drive|dr|court|ct|place|pl|way|circle|close|gardens|grove|mews|row|hill|walk|",
        r"trail|alley|view|",
        r"yard|square|rise|house|quay|bank)|",
        r"[\p{L}-]+(?:straße|strasse|weg|gasse|allee|platz|ring|damm|stieg|grund|laan|straat|",
        r"gracht) [0-9]{1,4}[a-z]?|",
        r"(?:calle|avenida|rua|via|viale|ul\.?|ulicy|улица|улице|",
        r"ул\.) (?:[\p{L}.'-]+ ){0,3}?[\p{L}.'-]+,? (?:д\. ?|no ?)?[0-9]{1,4}|",
        r"[0-9]{1,4},? (?:bis )?(?:rue|avenue|impasse|allée|place|boulevard|chemin|quai)(?: \p{L}+){1,3}|",
        r"(?:number|no|nr|hausnummer|house|numero) ?\.?[0-9]{1,4}|\p{L}+ (?:sokak|caddesi) (?:no )?[0-9]+|",
        r"(?:flat|apt|unit|room|suite|daire|apto|ap) ?[0-9]+"
    ))
});

/// Where there is such data, in no order.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let hosts = matches(&ADDRESSES_OF_HOSTS, text).filter(|span| is_somebodys(&text[span.clone()]));
    let numbers = matches(&PHONES, text).chain(hosts).filter(|span| !in_number(text, span));
    let rest = matches(&PLATES, text).chain(matches(&STREETS, text));
    numbers.chain(rest).filter(|span| stands_alone(text, span)).collect()
}

/// Whether an IP address may be somebody's at home.
fn is_somebodys(text: &str) -> bool {
    text.parse().is_ok_and(|address: Ipv4Addr| {
        !address.is_private() && !address.is_loopback() && !RESOLVERS.contains(&address.octets())
    })
}
