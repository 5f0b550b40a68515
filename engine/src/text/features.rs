//! Turns words into hashed n-grams. The trainer and the server run this very code, so they cannot disagree.

use super::normalize::{Normalized, Word};

/// Buckets for words and pairs of words; they come first in a weight table.
pub const WORD_BUCKETS: usize = 1 << 18;
/// Buckets for character n-grams.
pub const CHAR_BUCKETS: usize = 1 << 18;
/// All buckets.
pub const BUCKETS: usize = WORD_BUCKETS + CHAR_BUCKETS;
/// Shortest and longest character n-gram; they never cross a word's edge, which counts as a character.
pub const CHAR_NGRAM: std::ops::RangeInclusive<usize> = 2..=5;

/// The n-grams of a stretch of words: one view of words, one of characters, each with its own length of 1.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Buckets below [`WORD_BUCKETS`], sorted, each with how often it occurs.
    pub words: Vec<(u32, u32)>,
    /// Buckets from [`WORD_BUCKETS`] on, sorted, each with how often it occurs.
    pub chars: Vec<(u32, u32)>,
}

impl Features {
    /// Reads a stretch of words.
    pub fn read(text: &Normalized, words: &[Word]) -> Self {
        let mut pairs = Vec::with_capacity(words.len() * 2);
        let mut grams = Vec::with_capacity(words.len() * 20);
        let mut previous = START;
        for word in words {
            let letters = text.word(word);
            let hash = word_hash(letters);
            pairs.push(word_bucket(hash));
            pairs.push(word_bucket(pair_hash(previous, hash)));
            previous = hash;
            char_grams(letters, |bucket| grams.push(bucket));
        }
        if text.shouted {
            pairs.push(word_bucket(SHOUTED));
        }
        Self { words: count(pairs), chars: count(grams) }
    }
}

const START: u64 = 0x9e37_79b9_7f4a_7c15;
const SHOUTED: u64 = 0x51_7cc1_b727_220a;

/// The hash of one word.
pub fn word_hash(letters: &str) -> u64 {
    letters.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

/// The hash of two words in order; the first word of a stretch pairs with a start mark.
pub fn pair_hash(first: u64, second: u64) -> u64 {
    mix(first.rotate_left(29), second)
}

/// Calls `found` with the bucket of each character n-gram of one word.
pub fn char_grams(letters: &str, mut found: impl FnMut(u32)) {
    let mut window = [' '; 4];
    let mut held = 1;
    for char in letters.chars().chain([' ']) {
        let mut hash = mix(START, u64::from(u32::from(char)));
        for length in 2..=held + 1 {
            hash = mix(hash, u64::from(u32::from(window[length - 2])));
            found(WORD_BUCKETS as u32 + (finish(hash) as u32 & (CHAR_BUCKETS as u32 - 1)));
        }
        window.copy_within(0..3, 1);
        window[0] = char;
        held = (held + 1).min(CHAR_NGRAM.end() - 1);
    }
}

/// The bucket of a word or pair hash.
pub fn word_bucket(hash: u64) -> u32 {
    finish(hash) as u32 & (WORD_BUCKETS as u32 - 1)
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9ddf_ea08_eb38_2d69).rotate_left(23)
}

fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

fn count(mut buckets: Vec<u32>) -> Vec<(u32, u32)> {
    buckets.sort_unstable();
    let mut counted: Vec<(u32, u32)> = Vec::with_capacity(buckets.len());
    for bucket in buckets {
        match counted.last_mut() {
            Some((last, times)) if *last == bucket => *times += 1,
            _ => counted.push((bucket, 1)),
        }
    }
    counted
}
