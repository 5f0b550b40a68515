//! Hashed n-gram features. The trainer and the server share this code.

use std::ops::Range;

use ports::text::Category;

use super::words::{LinkPosition, Normalized, Word};

/// Buckets for words and word pairs; the first in a weight table.
pub const WORD_BUCKETS: usize = 1 << 18;
/// Buckets for character n-grams.
pub const CHAR_BUCKETS: usize = 1 << 19;
/// Buckets for a message's form: links and their neighbours, length, capitals, long numbers; the last in a weight
/// table. Only [`FORM_HEADS`] have weights there: for other harms, form in the public data depends more on the source
/// than on the harm.
pub const FORM_BUCKETS: usize = 1 << 12;
/// The first bucket for form.
pub const FIRST_FORM_BUCKET: usize = WORD_BUCKETS + CHAR_BUCKETS;
/// The harms with weights in the buckets for form.
pub const FORM_HEADS: [Category; 1] = [Category::Spam];
pub const BUCKETS: usize = FIRST_FORM_BUCKET + FORM_BUCKETS;
/// Lengths of character n-grams. They never cross a word boundary, which counts as a character.
pub const CHAR_NGRAM: std::ops::RangeInclusive<usize> = 2..=5;

/// The features of a window of words in three views: words, characters and form. Each view is a list of buckets with
/// their counts, sorted by bucket, and is to be scaled to unit length.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// In the order of the buckets.
    pub views: [Vec<(u32, u32)>; 3],
}

impl Features {
    /// Extracts the features of a window of words.
    pub fn read(text: &Normalized, window: Range<usize>) -> Self {
        let mut views = [const { Vec::new() }; 3];
        let hashes = word_hashes(text);
        push_words(text, &hashes, window.clone(), &mut views[0]);
        for word in &text.words[window.clone()] {
            char_grams(text.word(word), |bucket| views[1].push(bucket));
        }
        push_form(text, &hashes, window, &mut views[2]);
        Self { views: views.map(|mut buckets| counts(&mut buckets).collect()) }
    }
}

/// The hash of each word.
pub(super) fn word_hashes(text: &Normalized) -> Vec<u64> {
    text.words.iter().map(|word| word_hash(text.word(word))).collect()
}

/// Adds the buckets of the words of a window and of their pairs; `hashes` are those of all words.
pub(super) fn push_words(text: &Normalized, hashes: &[u64], window: Range<usize>, buckets: &mut Vec<u32>) {
    let mut before = START;
    for hash in &hashes[window.clone()] {
        buckets.extend([word_bucket(*hash), word_bucket(pair_hash(before, *hash))]);
        before = *hash;
    }
    if Normalized::shouted(&text.words[window]) {
        buckets.push(word_bucket(SHOUTED));
    }
}

/// Adds the buckets of the form of a window; `hashes` are those of all words.
pub(super) fn push_form(text: &Normalized, hashes: &[u64], window: Range<usize>, buckets: &mut Vec<u32>) {
    let first = text.links.partition_point(|link| link.before < window.start);
    let near = text.links[first..].iter().take_while(|link| link.before <= window.end);
    let links = near.flat_map(|&LinkPosition { before: at, host }| {
        let before = if at == window.start { START } else { hashes[at - 1] };
        let after = if at == window.end { START } else { hashes[at] };
        [LINK, pair_hash(before, LINK), pair_hash(LINK, after), mix(host, LINK)]
    });
    buckets.extend(links.chain(shape(text, &text.words[window.clone()])).map(form_bucket));
}

/// Sorts buckets, and returns each with its count.
pub(super) fn counts(buckets: &mut [u32]) -> impl Iterator<Item = (u32, u32)> + Clone {
    buckets.sort_unstable();
    buckets.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32))
}

const START: u64 = 0x9e37_79b9_7f4a_7c15;
const SHOUTED: u64 = 0x0051_7cc1_b727_220a;
const LINK: u64 = 0x2545_f491_4f6c_dd1d;

/// Hashes a word.
pub fn word_hash(letters: &str) -> u64 {
    letters.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

/// Hashes a pair of consecutive words. The first word of a window pairs with [`START`].
pub fn pair_hash(first: u64, second: u64) -> u64 {
    mix(first.rotate_left(29), second)
}

/// Calls `found` with the bucket of each character n-gram of a word.
pub fn char_grams(letters: &str, mut found: impl FnMut(u32)) {
    let mut previous = [' '; 4];
    let mut held = 1;
    for char in letters.chars().chain([' ']) {
        let mut hash = mix(START, u64::from(u32::from(char)));
        for length in 2..=held + 1 {
            hash = mix(hash, u64::from(u32::from(previous[length - 2])));
            found(WORD_BUCKETS as u32 + (finish(hash) as u32 & (CHAR_BUCKETS as u32 - 1)));
        }
        previous.copy_within(0..3, 1);
        previous[0] = char;
        held = (held + 1).min(CHAR_NGRAM.end() - 1);
    }
}

/// The bucket of a word or pair hash.
pub fn word_bucket(hash: u64) -> u32 {
    finish(hash) as u32 & (WORD_BUCKETS as u32 - 1)
}

/// The window's length, the words in capitals, and whether there are long numbers and e-mail addresses.
fn shape(text: &Normalized, words: &[Word]) -> [u64; 4] {
    let number = words.iter().any(|word| text.word(word).starts_with("00000"));
    let length = (words.len() + 1).ilog2();
    [
        mix(1, u64::from(length)),
        mix(2, words.iter().filter(|word| word.loud).count().min(6) as u64),
        mix(3, u64::from(number)),
        mix(4, u64::from(text.email)),
    ]
}

fn form_bucket(hash: u64) -> u32 {
    FIRST_FORM_BUCKET as u32 + (finish(hash) as u32 & (FORM_BUCKETS as u32 - 1))
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9ddf_ea08_eb38_2d69).rotate_left(23)
}

fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}
