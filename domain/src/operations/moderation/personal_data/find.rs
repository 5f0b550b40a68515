//! What is found in a message, and the message without it.

use super::{
    doxxing::{self, CueSet},
    kind::{LikelyPersonalData, PersonalData},
    national_id, patterns, phone, postal_address,
};

/// The personal data of a message, in order, without overlaps.
pub fn find(content: &str) -> Vec<PersonalData> {
    let mut all = patterns::find(content);
    all.extend(national_id::find(content));
    all.extend(phone::find(content));
    all.extend(postal_address::find(content));
    // Of two that overlap, the kind that is told with more certainty; then the longer one.
    all.sort_by_key(|found| (found.kind, usize::MAX - found.span.len(), found.span.start));
    let mut kept: Vec<PersonalData> = Vec::new();
    for found in all {
        if kept.iter().all(|other| found.span.end <= other.span.start || other.span.end <= found.span.start) {
            kept.push(found);
        }
    }
    kept.sort_by_key(|found| found.span.start);
    kept
}

/// The personal data of a message with its probability, and the doxxing in it, in order. Doxxing overlaps the data that
/// it exposes.
pub fn find_likely(content: &str) -> Vec<LikelyPersonalData> {
    let found = find(content);
    let doxxing = doxxing::find(content, &found);
    let mut all: Vec<LikelyPersonalData> = found.into_iter().map(LikelyPersonalData::from).collect();
    all.extend(doxxing);
    all.sort_by_key(|one| one.start);
    all
}

/// What points to or against doxxing in a message.
pub fn doxxing_cues(content: &str) -> CueSet {
    doxxing::cues(content, &find(content))
}

/// A message with placeholders in place of what was found in it by [`find`].
pub fn redact(content: &str, found: &[PersonalData]) -> String {
    let mut redacted = String::with_capacity(content.len());
    let mut rest = 0;
    for PersonalData { kind, span, .. } in found {
        redacted.push_str(&content[rest..span.start]);
        redacted.push_str(&kind.placeholder());
        rest = span.end;
    }
    redacted.push_str(&content[rest..]);
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::moderation::PersonalDataKind;

    /// A message with what is found in it between guillemets, after its kind.
    fn marked(content: &str) -> String {
        let mut text = String::new();
        let mut rest = 0;
        for found in find(content) {
            text.push_str(&content[rest..found.span.start]);
            text.push_str(&format!("«{} {}»", found.kind.as_str(), &content[found.span.clone()]));
            rest = found.span.end;
        }
        text + &content[rest..]
    }

    #[test]
    fn what_is_personal_is_found_where_it_is() {
        for expected in [
            "write to «email ann.b+x@mail.example.co.uk», please",
            "mail «email jürgen@müller.example» or «email ann (at) example (dot) com»",
            "call «phone +44 20 7946 0958» now",
            "her number is «phone 07700 900123»",
            "(«phone (415) 555-2671»)",
            "tel: «phone 4155552671»",
            "«phone 06 12 34 56 78» svp",
            "card «payment_card 4111 1111 1111 1111», exp 12/29",
            "«payment_card 378282246310005»",
            "pay to «iban DE89 3704 0044 0532 0130 00» and wait",
            "«iban gb29nwbk60161331926819»",
            "my ip is «ip_address 81.2.69.142».",
            "«ip_address 2001:41d0:8:1:0:0:0:1» is mine",
            "«secret svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ» oops",
            "aws «secret AKIAIOSFODNN7EXAMPLE»",
            "clone «secret https://ann:hunter2@git.example.com»/repo",
            "ssn «national_id 219-09-9999»",
            "dni «national_id 12345678Z»",
            "cpf «national_id 111.444.777-35»",
            "«national_id RSSMRA85T10A562S»",
            "maestro «payment_card 6759 6498 2648»",
            "her address is «postal_address 12 Elm Street», call «phone +44 20 7946 0958»",
        ] {
            let content: String = plain(expected);
            assert_eq!(marked(&content), expected);
        }
    }

    /// A message without the marks.
    fn plain(marked: &str) -> String {
        let mut parts = marked.split('«');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (found, rest) = part.split_once('»').unwrap();
            text.push_str(found.split_once(' ').unwrap().1);
            text.push_str(rest);
        }
        text
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        for content in [
            "card 4111 1111 1111 1112 is no card",
            "0000 0000 0000 0000",
            "DE89 3704 0044 0532 0130 01",
            "version 1.2.3.4 is out, v10.0.0.1 too",
            "ping 192.168.0.1 or 127.0.0.1",
            "it is 12:30:45, a::b::c",
            "@ann@social.example said so",
            "git@github.com:ann/repo.git",
            "<@123456789012345678> joined <#987654321098765432>",
            "on 2026-11-27 10:15, score 3-2, 100 000 000 people",
            "order 1234567890 shipped",
            "000-12-3456 and 12345678A",
            "111.444.777-36",
            "https://example.com/a/4155552671?x=07700900123",
            "I scored 1,234,567,890 points",
            "mail me @ home, 5.5.5",
        ] {
            assert_eq!(marked(content), content);
        }
    }

    #[test]
    fn placeholders_stand_in_place_of_what_was_found() {
        let content = "ä ann@example.com, 4111-1111-1111-1111!";
        assert_eq!(redact(content, &find(content)), "ä [EMAIL], [PAYMENT_CARD]!");
        assert_eq!(redact("nothing", &[]), "nothing");
    }

    /// What is exposed in a message.
    fn exposed(content: &str) -> Vec<&str> {
        let all = find_likely(content);
        let doxxing = all.iter().filter(|one| one.kind == PersonalDataKind::Doxxing);
        doxxing.map(|one| &content[one.start..one.end]).collect()
    }

    #[test]
    fn data_of_somebody_else_that_is_posted_to_expose_them_is_doxxing() {
        for (content, expected) in [
            ("her real address is 12 Elm Street, go say hi guys", "12 Elm Street"),
            ("er wohnt in der Gartenstraße 12, klingelt mal bei dem petzer", "Gartenstraße 12"),
            ("his ip is 203.0.113.9 ddos him", "203.0.113.9"),
            (
                "ok. he walks his dog past the mill at 7 every morning, alone. just saying",
                "he walks his dog past the mill at 7 every morning, alone.",
            ),
        ] {
            assert_eq!(exposed(content), [expected], "{content}");
        }
    }

    #[test]
    fn data_of_oneself_and_of_businesses_warnings_and_questions_are_no_doxxing() {
        for content in [
            "my address is 33 Maple Street and my number is 415-555-0132",
            "call the shop at 415-555-0132, they deliver on sundays",
            "someone leaked my address on twitter, what do i do?",
            "please do not post her address or her phone number here",
            "lost dog near 12 Elm Street, call me on 415-555-0132",
            "does anyone know her address? i want to send her a card",
            "our dentist is at 48 Maple Avenue, she is great with kids",
            "",
        ] {
            assert_eq!(exposed(content), Vec::<&str>::new(), "{content}");
        }
    }

    #[test]
    fn what_is_exposed_is_redacted_once() {
        let content = "her real address is 12 Elm Street, go say hi guys";
        let kinds: Vec<&str> = find_likely(content).iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, ["postal_address", "doxxing"]);
        assert_eq!(redact(content, &find(content)), "her real address is [POSTAL_ADDRESS], go say hi guys");
    }

    proptest::proptest! {
        #[test]
        fn doxxing_is_inside_the_message(content in "\\PC{0,80}") {
            for one in find_likely(&content) {
                proptest::prop_assert!(content.get(one.start..one.end).is_some());
            }
        }

        #[test]
        fn any_text_can_be_redacted(content in "\\PC{0,80}") {
            let found = find(&content);
            proptest::prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
            redact(&content, &found);
        }

        #[test]
        fn text_of_digits_and_separators_can_be_redacted(content in "[0-9 ()+@.:/a-fA-FZ-]{0,60}") {
            redact(&content, &find(&content));
        }
    }
}
