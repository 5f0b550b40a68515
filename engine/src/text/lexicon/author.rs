//! Whether an insult is said of the author: "I'm an idiot" is nobody's abuse.

use ports::text::scripts::is_unspaced;

use crate::text::words::Normalized;

/// Words of the first person, as normalised: an insult right after one, or with words of [`BETWEEN`] in between, is
/// about the author.
const AUTHOR: &str = "im ima myself ich bin suis jsuis soy sono sou ik ben jestem bylem bylam я أنا انا aku saya gue \
                      gua gw मैं 난 나 나는 내가 저는 전 我是 我就是 我真是 我真 我太 俺は 俺って 私は 私って 僕は \
                      僕って";
/// Pairs of words that mean the same only together.
const PAIRS: [(&str, &str); 8] = [
    ("i", "am"),
    ("i", "was"),
    ("am", "i"),
    ("feel", "like"),
    ("war", "ich"),
    ("yo", "fui"),
    ("eu", "fui"),
    ("io", "ero"),
];
/// The same in Hindi in Latin letters; in other languages they mean something else.
const HINGLISH: &str = "main mai mein";
/// Articles, adverbs and insults that may stand between.
const BETWEEN: &str = "a an the such so really just fucking total complete absolute dumb stupid big huge worthless \
                       useless piece of ein eine echt halt doch wirklich manchmal einfach un une vraiment trop \
                       tellement una uno muy tan bien proprio davvero um uma muito tao een zo ook wel такои такая \
                       просто же bir emang memang एक ही ek hi 진짜";
/// How many words may stand between.
const MOST_BETWEEN: usize = 4;

/// Whether what begins at the byte `start` of a message is said of its author.
pub(super) fn is_of_author(text: &Normalized, start: usize, language: &str) -> bool {
    let first = text.words.partition_point(|word| word.end <= start);
    if let Some(word) = text.words.get(first).filter(|word| word.start < start) {
        let before = &text.text[word.start..start];
        return AUTHOR.split(' ').any(|author| author.starts_with(is_unspaced) && before.ends_with(author));
    }
    let mut at = first;
    for _ in 0..=MOST_BETWEEN {
        let Some(before) = at.checked_sub(1) else { return false };
        let word = text.word(&text.words[before]);
        let ahead = before.checked_sub(1).map_or("", |ahead| text.word(&text.words[ahead]));
        let is_author = has(AUTHOR, word)
            || PAIRS.contains(&(ahead, word))
            || language == "hi-Latn" && has(HINGLISH, word);
        if is_author || !has(BETWEEN, word) {
            return is_author;
        }
        at = before;
    }
    false
}

/// Whether a word is one of some, which spaces separate.
fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}
