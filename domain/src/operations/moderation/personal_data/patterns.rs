//! Data that a regular expression finds, and a check confirms.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    ops::Range,
    sync::LazyLock,
};

use iban::Iban;
use regex::Regex;

use super::{
    beside::{after, before, in_number, matches, stands_alone},
    checks::{digits, luhn},
    kind::{PersonalData, PersonalDataKind},
};

/// Access tokens and keys whose form their issuers have published.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&[
        // Gavel's keys.
        r"svc_live_[0-9A-Za-z]{36}",
        // Access keys of AWS.
        r"(?:AKIA|ASIA)[0-9A-Z]{16}",
        // GitHub, GitLab.
        r"gh[pousr]_[0-9A-Za-z]{36}",
        r"github_pat_[0-9A-Za-z_]{82}",
        r"glpat-[0-9A-Za-z_-]{20}",
        // Slack, Stripe, SendGrid, npm, Hugging Face.
        r"xox[abeoprs]-[0-9A-Za-z-]{10,250}",
        r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,250}",
        r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}",
        r"npm_[0-9A-Za-z]{36}",
        r"hf_[0-9A-Za-z]{34}",
        // OpenAI, Anthropic, OpenRouter; Google.
        r"sk-(?:[a-z0-9]{2,12}-)*[0-9A-Za-z_-]{20,250}",
        r"AIza[0-9A-Za-z_-]{35}",
        // Bots of Discord and Telegram.
        r"[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38}",
        r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}",
        // A JSON Web Token.
        r"eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}",
        // A private key, and the credentials in a URL.
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*-----END [A-Z ]{0,30}PRIVATE KEY-----",
        r"[a-z][a-z0-9+.-]{1,20}://[^\x00- /:@<>]{1,100}:[^\x00- /:@<>]{1,100}@[0-9A-Za-z.-]{1,250}",
    ])
});

/// Digits of a payment card, in groups or not.
static CARDS: LazyLock<Regex> = LazyLock::new(|| compile(&[r"[0-9](?:[ -]?[0-9]){11,18}"]));

/// The fewest digits of a card.
const SHORTEST_CARD: usize = 12;
/// The beginnings of Maestro's numbers that are few enough to tell one by.
const MAESTRO: [u32; 9] = [5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763];
/// Words that tell a card beside a number.
const CARD_WORDS: [&str; 10] =
    ["card", "maestro", "debit", "cvv", "cvc", "exp ", "karte", "carte", "tarjeta", "cartão"];

/// Two letters, two check digits, and up to 30 characters in groups or not.
static IBANS: LazyLock<Regex> =
    LazyLock::new(|| compile(&[r"[A-Za-z]{2}[0-9]{2}(?:[ -]?[0-9A-Za-z]){11,30}"]));

static IPV4: LazyLock<Regex> = LazyLock::new(|| compile(&[r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"]));

static IPV6: LazyLock<Regex> = LazyLock::new(|| compile(&[r"[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){3,7}"]));

/// An address, with letters of any script, or written to be read by people alone.
static EMAILS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&[
        r"[0-9A-Za-z_+%-][0-9A-Za-z._+%-]{0,63}@(?:[0-9A-Za-z][0-9A-Za-z-]{0,62}\.){1,8}[A-Za-z]{2,24}",
        concat!(
            r"(?:[0-9A-Za-z_+-]|[^\x00-\x7F]){1,64}@(?:(?:[0-9A-Za-z-]|[^\x00-\x7F]){1,63}\.){1,8}",
            r"(?:[A-Za-z]|[^\x00-\x7F]){2,24}"
        ),
        concat!(
            r"[0-9A-Za-z._+-]{1,64} ?[\[(] ?(?:at|AT|@) ?[\])] ?[0-9A-Za-z-]{1,63}",
            r"(?: ?[\[(] ?(?:dot|DOT|\.) ?[\])] ?[0-9A-Za-z-]{2,24}){1,4}"
        ),
    ])
});

/// One expression of several.
fn compile(patterns: &[&str]) -> Regex {
    Regex::new(&patterns.join("|")).expect("the patterns are valid")
}

/// All but national ids and telephone numbers, in no order.
pub(super) fn find(content: &str) -> Vec<PersonalData> {
    let mut found = Vec::new();
    let secrets = matches(&SECRETS, content).filter(|span| stands_alone(content, span));
    found.extend(secrets.map(|span| PersonalData::new(PersonalDataKind::Secret, span)));
    let cards = matches(&CARDS, content)
        .filter_map(|span| longest(content, span, is_card))
        .filter(|span| digits(&content[span.clone()]).len() > SHORTEST_CARD || is_short_card(content, span));
    found.extend(cards.map(|span| PersonalData::new(PersonalDataKind::PaymentCard, span)));
    let ibans = matches(&IBANS, content).filter_map(|span| longest(content, span, is_iban));
    found.extend(ibans.map(|span| PersonalData::new(PersonalDataKind::Iban, span)));
    let v4 = matches(&IPV4, content)
        .filter(|span| stands_alone(content, span) && !in_number(content, span) && !is_version(content, span))
        .filter(|span| content[span.clone()].parse().is_ok_and(is_public));
    let v6 = matches(&IPV6, content)
        .filter(|span| stands_alone(content, span) && !content[span.end..].starts_with(':'))
        .filter(|span| {
            content[span.clone()].parse::<Ipv6Addr>().is_ok_and(|ip| ip.segments()[0] & 0xE000 == 0x2000)
        });
    found.extend(v4.chain(v6).map(|span| PersonalData::new(PersonalDataKind::IpAddress, span)));
    let emails = matches(&EMAILS, content).map(|span| without_symbols(content, span));
    let emails = emails.filter(|span| is_email(content, span));
    found.extend(emails.map(|span| PersonalData::new(PersonalDataKind::Email, span)));
    found
}

/// The ranges of the large networks (ISO/IEC 7812), their lengths, and Luhn's check digit.
fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let start = digits.iter().take(4).fold(0, |number, digit| number * 10 + digit);
    let known = match (start, digits.len()) {
        // Visa; Mastercard; American Express; JCB; Diners Club.
        (4000..=4999, 13 | 16 | 19)
        | (5100..=5599 | 2221..=2720, 16)
        | (3400..=3499 | 3700..=3799, 15)
        | (3500..=3599, 16)
        | (1800 | 2131, 15)
        | (3000..=3059 | 3600..=3699 | 3800..=3999, 14) => true,
        // Discover; UnionPay; Maestro.
        (6011 | 6440..=6599 | 6200..=6299, 16..=19) => true,
        (5000..=5099 | 5600..=5899 | 6300..=6399 | 6700..=6799, 12..=19) => true,
        _ => false,
    };
    known && luhn(&digits)
}

/// Whether a card's number of twelve digits is one: telephone numbers with a country's code are as long, and begin
/// alike.
fn is_short_card(content: &str, span: &Range<usize>) -> bool {
    let digits = digits(&content[span.clone()]);
    let start = digits.iter().take(4).fold(0, |number, digit| number * 10 + digit);
    let beside = [before(content, span), after(content, span)].concat().to_lowercase();
    let is_called_so = CARD_WORDS.iter().any(|word| beside.contains(word));
    !content[..span.start].ends_with('+') && (MAESTRO.contains(&start) || is_called_so)
}

/// The longest valid number at the start of a span, which may have taken more than the number.
fn longest(content: &str, span: Range<usize>, is_valid: fn(&str) -> bool) -> Option<Range<usize>> {
    let ends = content[span.clone()].char_indices().map(|(at, char)| span.start + at + char.len_utf8());
    let ends: Vec<usize> = ends.collect();
    let spans = ends.into_iter().rev().map(|end| span.start..end);
    spans
        .filter(|span| stands_alone(content, span) && !in_number(content, span))
        .find(|span| is_valid(&content[span.clone()]))
}

/// The country's format and the check digits (ISO 13616).
fn is_iban(text: &str) -> bool {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    plain.to_ascii_uppercase().parse::<Iban>().is_ok()
}

/// Whether an address is one of the internet's.
fn is_public(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    let shared = first == 100 && (64..128).contains(&second);
    !(first == 0
        || first >= 224
        || shared
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation())
}

/// Whether a word before it says that it is a version.
fn is_version(content: &str, span: &Range<usize>) -> bool {
    let before = before(content, span).trim_end().to_ascii_lowercase();
    let word = before.rsplit(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    matches!(
        word,
        "v" | "version" | "ver" | "release" | "build" | "firmware" | "update" | "patch" | "section"
    )
}

/// The part of an address behind the last character that is neither ASCII nor of a word, such as an emoji or a space.
fn without_symbols(content: &str, span: Range<usize>) -> Range<usize> {
    let symbol = content[span.clone()]
        .char_indices()
        .rev()
        .find(|(_, char)| !char.is_ascii() && !char.is_alphanumeric());
    let start = symbol.map_or(span.start, |(at, char)| span.start + at + char.len_utf8());
    start..span.end
}

/// Whether it is an address, and no handle, repository or part of a URL.
fn is_email(content: &str, span: &Range<usize>) -> bool {
    let before = content[..span.start].chars().next_back();
    let after = content[span.end..].chars().next();
    let joined = matches!(before, Some('@' | '/' | ':' | '.')) && !content[..span.start].ends_with("mailto:");
    let repository = after == Some(':') && content[span.clone()].starts_with("git@");
    let longer = before.is_some_and(char::is_alphanumeric)
        || after.is_some_and(|char| char.is_alphanumeric() || char == '@');
    let whole = content[span.clone()].contains(['@', '[', '(']);
    whole && !joined && !repository && !longer
}
