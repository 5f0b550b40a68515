//! Disguises of a message, each of which a person reads without effort. They are applied to whole messages.

use ports::text::reader::cyrillic_twin;

/// A way to disguise a message.
pub struct Disguise {
    pub name: &'static str,
    pub apply: fn(&str) -> String,
}

impl Disguise {
    /// Whether it adds codes that a program reads, which no other disguise may change.
    pub fn is_code(&self) -> bool {
        self.name.ends_with("colours")
    }
}

/// All of them.
pub const DISGUISES: [Disguise; 40] = [
    disguise("emoji behind each word", |text| words(text, |word| format!("{word}😂"))),
    disguise("emoji before each word", |text| words(text, |word| format!("🎉{word}"))),
    disguise("emoji behind the message", |text| format!("{text}😂😂")),
    disguise("emoji in place of spaces", |text| text.replace(' ', "💀😭")),
    disguise("heart with a variation selector", |text| words(text, |word| format!("{word}❤\u{fe0f}"))),
    disguise("keycap behind each word", |text| words(text, |word| format!("{word}1\u{fe0f}\u{20e3}"))),
    disguise("flag behind each word", |text| words(text, |word| format!("{word}🇺🇸"))),
    disguise("joined emoji behind each word", |text| {
        words(text, |word| format!("{word}👨\u{200d}👩\u{200d}👧"))
    }),
    disguise("skin tone behind each word", |text| words(text, |word| format!("{word}👍🏽"))),
    disguise("20 emoji behind the message", |text| format!("{text}{}", "🤣".repeat(20))),
    disguise("variation selectors between letters", |text| between(text, "\u{fe0f}")),
    disguise("zero-width spaces between letters", |text| between(text, "\u{200b}")),
    disguise("soft hyphens between letters", |text| between(text, "\u{ad}")),
    disguise("tags between letters", |text| between(text, "\u{e0061}")),
    disguise("direction marks", |text| words(text, |word| format!("\u{202e}{word}\u{202c}"))),
    disguise("Cyrillic look-alikes", |text| letters(text, cyrillic_twin)),
    disguise("Greek look-alikes", |text| letters(text, greek_twin)),
    disguise("full width", |text| letters(text, |char| shifted(char, 'a', '\u{ff41}', 26))),
    disguise("mathematical bold", |text| letters(text, |char| shifted(char, 'a', '\u{1d41a}', 26))),
    disguise("letters in circles", |text| letters(text, |char| shifted(char, 'a', '\u{24d0}', 26))),
    disguise("letters in black squares", |text| {
        letters(&text.to_uppercase(), |char| shifted(char, 'A', '\u{1f170}', 26))
    }),
    disguise("accents", |text| behind_letters(text, "\u{301}")),
    disguise("strokes and enclosing marks", |text| behind_letters(text, "\u{336}\u{489}\u{20dd}")),
    disguise("capitals", str::to_uppercase),
    disguise("capitals in turn", |text| in_turn(text, |char| char.to_uppercase().collect())),
    disguise("digits for vowels", |text| letters(text, digit_for)),
    disguise("$ for s, @ for a", |text| letters(text, sign_for)),
    disguise("a digit behind each word", |text| long_words(text, |word| format!("{word}1"))),
    disguise("letters repeated", |text| long_words(text, stretched)),
    disguise("spaces between letters", |text| {
        // Two spaces between words, as a person would write them.
        long_words(text, |word| spaced(word, "\0")).replace(' ', "  ").replace('\0', " ")
    }),
    disguise("dots between letters", |text| long_words(text, |word| spaced(word, "."))),
    disguise("hyphens between letters", |text| long_words(text, |word| spaced(word, "-"))),
    disguise("a hyphen within each word", |text| long_words(text, |word| halved(word, "-"))),
    disguise("words joined", |text| {
        let joinable = text.split(' ').count() <= 6 && text.split(' ').all(is_word);
        if joinable { text.replace(' ', "") } else { text.to_owned() }
    }),
    disguise("Minecraft's colours", |text| behind_each(text, |at| ["§4", "§l", "§c"][at % 3])),
    disguise("Quake's colours", |text| behind_each(text, |at| ["^1", "^2", "^xF00"][at % 3])),
    disguise("IRC's colours", |text| behind_each(text, |at| ["\u{3}04", "\u{2}", "\u{3}12,04"][at % 3])),
    disguise("Markdown within words", |text| long_words(text, bold_letter)),
    disguise("spoilers", |text| words(text, |word| format!("||{word}||"))),
    disguise("each word on a line", |text| text.replace(' ', "\n")),
];

const fn disguise(name: &'static str, apply: fn(&str) -> String) -> Disguise {
    Disguise { name, apply }
}

/// Whether a piece of a message is a word, and no link, mention or number.
fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !word.contains(['/', '@', '<', '_', '.', ':'])
}

fn words(text: &str, change: impl Fn(&str) -> String) -> String {
    let words = text.split(' ').map(|word| if is_word(word) { change(word) } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// Changes the words of three to twenty letters, without the punctuation behind them.
fn long_words(text: &str, change: impl Fn(&str) -> String) -> String {
    words(text, |word| {
        let bare = word.trim_end_matches(|char: char| !char.is_alphanumeric());
        let plain = bare.chars().all(char::is_alphabetic) && (3..=20).contains(&bare.chars().count());
        if plain { format!("{}{}", change(bare), &word[bare.len()..]) } else { word.to_owned() }
    })
}

/// Changes single letters of words, where there is a change.
fn letters(text: &str, change: impl Fn(char) -> Option<char>) -> String {
    words(text, |word| word.chars().map(|char| change(char).unwrap_or(char)).collect())
}

fn in_turn(text: &str, change: impl Fn(char) -> String) -> String {
    words(text, |word| {
        let changed = word.chars().enumerate();
        changed.map(|(at, char)| if at % 2 == 1 { change(char) } else { char.to_string() }).collect()
    })
}

fn between(text: &str, sign: &str) -> String {
    words(text, |word| spaced(word, sign))
}

fn spaced(word: &str, sign: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(sign)
}

fn behind_letters(text: &str, marks: &str) -> String {
    words(text, |word| {
        let marked = word.chars().map(|char| match char.is_ascii_alphabetic() {
            true => format!("{char}{marks}"),
            false => char.to_string(),
        });
        marked.collect()
    })
}

/// Puts codes before the letters of words.
fn behind_each(text: &str, code: impl Fn(usize) -> &'static str) -> String {
    words(text, |word| {
        let coded = word.chars().enumerate().map(|(at, char)| match char.is_alphabetic() {
            true => format!("{}{char}", code(at)),
            false => char.to_string(),
        });
        coded.collect()
    })
}

fn shifted(char: char, first: char, onto: char, count: u32) -> Option<char> {
    let place = u32::from(char).checked_sub(u32::from(first)).filter(|place| *place < count)?;
    char::from_u32(u32::from(onto) + place)
}

fn greek_twin(char: char) -> Option<char> {
    let at = "aoiknptuvxy".chars().position(|latin| latin == char)?;
    "αοικηρτυνχγ".chars().nth(at)
}

fn digit_for(char: char) -> Option<char> {
    let at = "aeioAEIO".chars().position(|vowel| vowel == char)?;
    "43104310".chars().nth(at)
}

fn sign_for(char: char) -> Option<char> {
    match char {
        's' | 'S' => Some('$'),
        'a' | 'A' => Some('@'),
        _ => None,
    }
}

/// A word with its last vowel four times.
fn stretched(word: &str) -> String {
    let Some(at) = word.rfind(|char| "aeiouAEIOU".contains(char)) else { return word.to_owned() };
    format!("{}{}{}", &word[..at], word[at..=at].repeat(4), &word[at + 1..])
}

fn halved(word: &str, sign: &str) -> String {
    let half = word.char_indices().nth(word.chars().count() / 2).map_or(0, |(at, _)| at);
    format!("{}{sign}{}", &word[..half], &word[half..])
}

fn bold_letter(word: &str) -> String {
    let first: String = word.chars().take(1).collect();
    let second: String = word.chars().skip(1).take(1).collect();
    let rest: String = word.chars().skip(2).collect();
    format!("{first}**{second}**{rest}")
}
