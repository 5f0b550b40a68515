//! Numbers that states give persons, in the forms that people write them in.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    beside::{in_number, matches, stands_alone},
    checks::{digits, luhn, verhoeff, weighted},
    kind::{PersonalData, PersonalDataKind},
};

/// A form of number.
struct NationalId {
    /// Two letters (ISO 3166-1).
    country: &'static str,
    pattern: LazyLock<Regex>,
    /// Whether a number of the pattern's form is valid.
    is_valid: fn(&str) -> bool,
}

macro_rules! forms {
    ($($country:literal $pattern:literal $is_valid:ident),+ $(,)?) => {
        [$(NationalId {
            country: $country,
            pattern: LazyLock::new(|| Regex::new($pattern).expect("the pattern is valid")),
            is_valid: $is_valid,
        }),+]
    };
}

static FORMS: [NationalId; 14] = forms![
    "US" r"[0-9]{3}-[0-9]{2}-[0-9]{4}" social_security,
    "GB" r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]" national_insurance,
    "ES" r"[0-9]{8}-?[A-HJ-NP-TV-Z]|[XYZ]-?[0-9]{7}-?[A-HJ-NP-TV-Z]" dni,
    "FR" r"[12] ?[0-9]{2} ?[01][0-9] ?[0-9][0-9AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}" nir,
    "IT" r"[A-Za-z]{6}[0-9]{2}[A-EHLMPRSTa-ehlmprst][0-9]{2}[A-Za-z][0-9]{3}[A-Za-z]" codice_fiscale,
    "BR" r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}" cpf,
    "PL" r"[0-9]{11}" pesel,
    "IN" r"[2-9][0-9]{3} [0-9]{4} [0-9]{4}" aadhaar,
    "IN" r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]" always,
    "CA" r"(?:SIN|sin|[Ss]ocial [Ii]nsurance(?: [Nn]umber)?)[ :#]{1,3}[1-79][0-9]{2}[ -][0-9]{3}[ -][0-9]{3}" sin,
    "CN" r"[1-8][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9][0-9]{3}[0-9Xx]" resident_id,
    "KR" r"[0-9]{2}[01][0-9][0-3][0-9]-[1-4][0-9]{6}" resident_registration,
    "SE" r"(?:19|20)?[0-9]{2}[01][0-9][0-3][0-9][-+][0-9]{4}" personnummer,
    "FI" r"[0-3][0-9][01][0-9]{3}[-+A][0-9]{3}[0-9A-FHJ-NPR-Y]" henkilotunnus,
];

/// The national ids of a message, in no order.
pub(super) fn find(content: &str) -> Vec<PersonalData> {
    let found = FORMS.iter().flat_map(|form| {
        matches(&form.pattern, content)
            .filter(|span| stands_alone(content, span) && !in_number(content, span))
            .filter(|span| (form.is_valid)(&content[span.clone()]))
            .map(|span| PersonalData {
                country: Some(form.country),
                ..PersonalData::new(PersonalDataKind::NationalId, span)
            })
    });
    found.collect()
}

/// PAN: its form is all there is to check.
fn always(_: &str) -> bool {
    true
}

/// Numbers that the Social Security Administration issues: no group is zero, and no area 666 or from 900.
fn social_security(text: &str) -> bool {
    let digits = digits(text);
    let area = number(&digits[..3]);
    area != 0 && area != 666 && area < 900 && number(&digits[3..5]) != 0 && number(&digits[5..]) != 0
}

/// Prefixes that are not issued.
fn national_insurance(text: &str) -> bool {
    !["BG", "GB", "NK", "KN", "TN", "NT", "ZZ"].iter().any(|prefix| text.starts_with(prefix))
}

/// The letter is the number modulo 23; X, Y and Z stand for 0, 1 and 2.
fn dni(text: &str) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let Some((number, letter)) = plain.split_at_checked(plain.len() - 1) else { return false };
    let number = number.replace('X', "0").replace('Y', "1").replace('Z', "2");
    let letter = letter.bytes().next();
    number.parse::<usize>().is_ok_and(|number| letter == LETTERS.get(number % LETTERS.len()).copied())
}

/// The key is 97 less the number modulo 97; 2A and 2B stand for 19 and 18.
fn nir(text: &str) -> bool {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.replace("2A", "19").replace("2B", "18");
    let Some((number, key)) = plain.split_at_checked(13) else { return false };
    let parsed = number.parse::<u64>().ok().zip(key.parse::<u64>().ok());
    parsed.is_some_and(|(number, key)| 97 - number % 97 == key)
}

/// The check letter is the sum of the values of all characters modulo 26; those in odd places have values of their own.
fn codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let values = text.chars().map(|char| match char.to_digit(36) {
        Some(digit @ 0..=9) => digit,
        Some(letter) => letter - 10,
        None => 0,
    });
    let values: Vec<u32> = values.collect();
    let Some((check, rest)) = values.split_last() else { return false };
    let sum: u32 = rest
        .iter()
        .enumerate()
        .map(|(place, value)| if place.is_multiple_of(2) { ODD[*value as usize % 26] } else { *value })
        .sum();
    sum % 26 == *check
}

/// Two check digits, each a weighted sum modulo 11.
fn cpf(text: &str) -> bool {
    let digits = digits(text);
    let same = digits.iter().all(|digit| *digit == digits[0]);
    let first = weighted(&digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    let second = weighted(&digits, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10;
    !same && digits[9] == first && digits[10] == second
}

/// A date of birth, whose month says the century, and a weighted sum modulo 10. Nobody is taken to be born before 1920:
/// telephone numbers begin alike.
fn pesel(text: &str) -> bool {
    let digits = digits(text);
    if number(&digits[..2]) < 20 && number(&digits[2..4]) <= 12 {
        return false;
    }
    let month = number(&digits[2..4]) % 20;
    let day = number(&digits[4..6]);
    let sum = weighted(&digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
    (1..=12).contains(&month) && (1..=31).contains(&day) && sum.is_multiple_of(10)
}

fn aadhaar(text: &str) -> bool {
    verhoeff(&digits(text))
}

fn sin(text: &str) -> bool {
    luhn(&digits(text))
}

/// A weighted sum modulo 11, where X is 10 (GB 11643-1999).
fn resident_id(text: &str) -> bool {
    const CHECK: &[u8] = b"10X98765432";
    let sum = weighted(&digits(&text[..17]), &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    text.to_ascii_uppercase().bytes().last() == CHECK.get(sum as usize % 11).copied()
        && is_date(&text[10..14])
}

/// A weighted sum modulo 11. Numbers since October 2020 have no check digit.
fn resident_registration(text: &str) -> bool {
    is_date(&text[2..6])
}

/// Luhn's check digit over the date without the century.
fn personnummer(text: &str) -> bool {
    let digits = digits(text);
    let last = &digits[digits.len() - 10..];
    luhn(last)
}

/// The number of nine digits modulo 31 says the last character.
fn henkilotunnus(text: &str) -> bool {
    const CHECK: &[u8] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let digits = digits(&text[..10]);
    text.bytes().last() == CHECK.get(number(&digits) as usize % 31).copied()
}

/// Whether four digits are a month and a day.
fn is_date(text: &str) -> bool {
    let digits = digits(text);
    (1..=12).contains(&number(&digits[..2])) && (1..=31).contains(&number(&digits[2..]))
}

/// Digits as a number.
fn number(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + digit)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn numbers_are_those_of_their_countries() {
        // Examples from the descriptions of the formats; none is a person's.
        for (content, country) in [
            ("219-09-9999", "US"),
            ("AB 12 34 56 C", "GB"),
            ("12345678Z", "ES"),
            ("X1234567L", "ES"),
            ("2 55 08 14 168 025 38", "FR"),
            ("RSSMRA85T10A562S", "IT"),
            ("111.444.777-35", "BR"),
            ("11144477735", "BR"),
            ("44051401359", "PL"),
            ("ABCPE1234F", "IN"),
            ("SIN 130 692 544", "CA"),
            ("11010519491231002X", "CN"),
            ("900101-1234567", "KR"),
            ("811218-9876", "SE"),
            ("131052-308T", "FI"),
        ] {
            let found = find(content);
            let countries: Vec<&str> = found.iter().filter_map(|found| found.country).collect();
            assert_eq!(countries, [country], "{content}");
        }
        for content in [
            "666-09-9999",
            "219-00-9999",
            "GB 12 34 56 C",
            "12345678A",
            "130 692 544",
            "44051401358",
            "131052-308U",
        ] {
            assert_eq!(find(content), [], "{content}");
        }
    }
}
