//! The scripts of languages, by which a message in a foreign script is recognised. Languages of one script are not
//! distinguished.

/// A set of scripts, one bit each.
pub type Scripts = u16;

pub const LATIN: Scripts = 1;
pub const CYRILLIC: Scripts = 1 << 1;
pub const ARABIC: Scripts = 1 << 2;
pub const DEVANAGARI: Scripts = 1 << 3;
pub const HAN: Scripts = 1 << 4;
pub const KANA: Scripts = 1 << 5;
pub const HANGUL: Scripts = 1 << 6;
pub const GREEK: Scripts = 1 << 7;
pub const HEBREW: Scripts = 1 << 8;
pub const THAI: Scripts = 1 << 9;
/// All of them.
pub const ALL: Scripts = LATIN | CYRILLIC | ARABIC | DEVANAGARI | HAN | KANA | HANGUL | GREEK | HEBREW | THAI;

/// Languages by their ISO 639-1 codes. Hindi is written in both scripts.
const LANGUAGES: [(&str, Scripts); 34] = [
    ("ar", ARABIC),
    ("bg", CYRILLIC),
    ("cs", LATIN),
    ("da", LATIN),
    ("de", LATIN),
    ("el", GREEK),
    ("en", LATIN),
    ("es", LATIN),
    ("et", LATIN),
    ("fa", ARABIC),
    ("fi", LATIN),
    ("fr", LATIN),
    ("he", HEBREW),
    ("hi", DEVANAGARI | LATIN),
    ("hr", LATIN),
    ("hu", LATIN),
    ("id", LATIN),
    ("it", LATIN),
    ("ja", HAN | KANA),
    ("ko", HANGUL),
    ("nl", LATIN),
    ("no", LATIN),
    ("pl", LATIN),
    ("pt", LATIN),
    ("ro", LATIN),
    ("ru", CYRILLIC),
    ("sr", CYRILLIC | LATIN),
    ("sv", LATIN),
    ("th", THAI),
    ("tr", LATIN),
    ("uk", CYRILLIC),
    ("ur", ARABIC),
    ("vi", LATIN),
    ("zh", HAN),
];

/// Minimum number of letters in a message for its script to count.
const MIN_LETTERS: usize = 4;

/// The scripts of a language; `None` for an unknown code.
pub fn of_language(code: &str) -> Option<Scripts> {
    LANGUAGES.iter().find(|(known, _)| *known == code).map(|(_, scripts)| *scripts)
}

/// The codes of all languages.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// Whether most letters of a text are in none of `known`. Letters of other scripts than the listed ones count as
/// foreign.
pub fn is_foreign(text: &str, known: Scripts) -> bool {
    let mut letters = 0;
    let mut foreign = 0;
    for char in text.chars().filter(|char| char.is_alphabetic()) {
        letters += 1;
        foreign += usize::from(script(char) & known == 0);
    }
    letters >= MIN_LETTERS && foreign * 2 > letters
}

/// Whether words of a character's script are written without spaces between them.
pub fn is_unspaced(char: char) -> bool {
    script(char) & (HAN | KANA | THAI) != 0
}

/// The script of a letter; 0 for one that is not listed.
pub fn script(char: char) -> Scripts {
    match char {
        'A'..='Z'
        | 'a'..='z'
        | '\u{aa}'..='\u{ac}'
        | '\u{ae}'..='\u{24f}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{ff21}'..='\u{ff5a}' => LATIN,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => GREEK,
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' => CYRILLIC,
        '\u{590}'..='\u{5ff}' => HEBREW,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
            ARABIC
        }
        '\u{900}'..='\u{97f}' | '\u{a8e0}'..='\u{a8ff}' => DEVANAGARI,
        '\u{e00}'..='\u{e7f}' => THAI,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => HANGUL,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => KANA,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => HAN,
        '\u{20000}'..='\u{323af}' => HAN,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(text: &str, codes: &[&str]) -> bool {
        is_foreign(text, codes.iter().filter_map(|code| of_language(code)).fold(0, |all, one| all | one))
    }

    #[test]
    fn a_message_in_a_script_of_no_known_language_is_foreign() {
        for (text, codes, expected) in [
            ("hello there", &["en"][..], false),
            ("привет всем", &["en"], true),
            ("привет всем", &["en", "ru"], false),
            // A soft hyphen is of no script.
            ("a\u{ad}\u{ad}\u{ad}\u{ad} привет", &["ru"], false),
            ("gg привет", &["en"], true),
            ("hello привет", &["en"], true),
            ("hello you привет", &["en"], false),
            ("你好，大家好", &["ja"], false),
            ("안녕하세요", &["ja", "zh"], true),
            ("नमस्ते दोस्तों", &["hi"], false),
            ("аб", &["en"], false),
            ("123 !!!", &["en"], false),
        ] {
            assert_eq!(foreign(text, codes), expected, "{text} {codes:?}");
        }
    }
}
