//! What is remembered of a message: hashes under the account's key, and counts.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use crate::operations::moderation::{Signals, TextMessage, rules};
use ports::text::links;

/// Bytes of a record as it is stored.
pub const RECORD_BYTES: usize = 60;

/// Links of a message that are remembered.
const LINKS: usize = 3;
/// A message of fewer bytes of folded text is only compared as a whole: much of chat is a word or two.
const SHORT: usize = 12;
/// Bytes of folded text that are compared, at most; a message may be longer.
const COMPARED: usize = 4_000;
/// Letters in a shingle.
const SHINGLE: usize = 4;
/// Bits in which the simhashes of near-duplicates differ, at most. Those of unrelated texts differ in about 32.
const NEAR: u32 = 9;

/// A message of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The same in each repetition of a request.
    pub(super) id: u64,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// 0 when the request names no author.
    pub(super) author: u64,
    /// The simhash of its shingles; for a short message, the hash of the whole.
    pub(super) text: u64,
    /// Hashes of host and path; 0 for none.
    pub(super) links: [u64; LINKS],
    pub(super) mentions: u16,
    /// Whether the author's account is new.
    pub(super) new: bool,
    pub(super) short: bool,
}

/// The key of an account's hashes.
#[derive(Clone, Copy)]
pub(super) struct HashKey(pub(super) [u8; 16]);

impl HashKey {
    /// Hashes parts. Never returns 0, which stands for nothing.
    pub(super) fn hash(&self, kind: u8, parts: &[&str]) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.0);
        hasher.write_u8(kind);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part.as_bytes());
        }
        hasher.finish().max(1)
    }
}

impl Record {
    pub(super) fn new(key: &HashKey, id: u64, at_ms: u64, message: &TextMessage, signals: &Signals) -> Self {
        let folded = rules::folded_words(&message.content, COMPARED);
        let short = folded.len() < SHORT;
        let author = message.named_author().map_or(0, |author| key.hash(1, &[author]));
        let mut found = [0; LINKS];
        // Most messages have no link, and signals have found none then.
        if !signals.links.is_empty() {
            let links = links::find(&message.content);
            let links = links.iter().filter(|link| !link.email && !is_trusted(signals, link.host_start));
            for (slot, link) in found.iter_mut().zip(links) {
                *slot = key.hash(2, &[&link.host, &link.path]);
            }
        }
        Self {
            id,
            at_ms,
            author,
            text: if short { key.hash(3, &[&folded]) } else { simhash(key, &folded) },
            links: found,
            mentions: u16::try_from(signals.mentions).unwrap_or(u16::MAX),
            new: signals.new_account,
            short,
        }
    }

    /// Whether two messages say the same, or nearly.
    pub(super) fn resembles(&self, other: &Self) -> bool {
        self.short == other.short
            && if self.short {
                self.text == other.text
            } else {
                (self.text ^ other.text).count_ones() <= NEAR
            }
    }

    /// Identifies the author. Each message without one counts as an author of its own.
    pub(super) fn who(&self) -> u64 {
        if self.author == 0 { self.id } else { self.author }
    }

    /// The record in bytes.
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        let numbers =
            [self.id, self.at_ms, self.author, self.text, self.links[0], self.links[1], self.links[2]];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes[56..58].copy_from_slice(&self.mentions.to_le_bytes());
        bytes[58] = u8::from(self.new);
        bytes[59] = u8::from(self.short);
        bytes
    }

    /// Reads a record; `None` for bytes of another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; RECORD_BYTES] = bytes.try_into().ok()?;
        let mut numbers = [0; 7];
        for (number, place) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
            *number = u64::from_le_bytes(place.try_into().ok()?);
        }
        let [id, at_ms, author, text, links @ ..] = numbers;
        let mentions = u16::from_le_bytes([bytes[56], bytes[57]]);
        Some(Self { id, at_ms, author, text, links, mentions, new: bytes[58] != 0, short: bytes[59] != 0 })
    }
}

/// Whether the link whose host begins there is trusted.
fn is_trusted(signals: &Signals, host_start: usize) -> bool {
    signals.links.iter().any(|link| link.trusted && link.start == host_start)
}

/// The simhash (Charikar) of a text's shingles: texts that share most of them differ in few bits.
fn simhash(key: &HashKey, folded: &str) -> u64 {
    let mut ends = folded.char_indices().map(|(at, _)| at).skip(SHINGLE).chain([folded.len()]);
    let mut votes = [0i32; 64];
    for (start, _) in folded.char_indices() {
        let Some(end) = ends.next() else { break };
        let hash = key.hash(4, &[&folded[start..end]]);
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().fold(0, |all, (bit, vote)| all | u64::from(*vote > 0) << bit)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::operations::moderation::{TextDraft, signals};

    pub(in super::super) fn record(id: u64, author: &str, content: &str) -> Record {
        let draft = TextDraft {
            content: content.to_owned(),
            author: Some(author.to_owned()),
            account_age_days: 30,
            ..TextDraft::default()
        };
        let message = TextMessage::parse("", draft).unwrap();
        let signals = signals::read(&message);
        Record::new(&HashKey([7; 16]), id, 1_000_000, &message, &signals)
    }

    #[test]
    fn near_duplicates_resemble_each_other_and_other_texts_do_not() {
        let spam = "join my server for free stuff right now everybody it is great fun";
        for (one, other, same) in [
            (spam, "JOIN my s3rver for free stuff right now everybody it is great fun!!!", true),
            (spam, "join my server for free stuff right now everybody it is great funn 8", true),
            (spam, "join us for a free game tonight everybody it will be great fun", false),
            ("good morning everybody here", "good evening, how are you all", false),
            ("lol", "LOL!!", true),
            ("lol", "lmao", false),
            ("gg wp", "gg wp all of you today", false),
        ] {
            let one = record(1, "a", one);
            let other = record(2, "b", other);
            let bits = (one.text ^ other.text).count_ones();
            assert_eq!(one.resembles(&other), same, "{bits} bits");
        }
    }

    #[test]
    fn a_record_is_stored_whole_and_holds_no_text() {
        let one = record(9, "somebody", "see evil-gifts.top/a and http://evil2-gifts.top @a @b");
        assert_eq!(Record::from_bytes(&one.to_bytes()), Some(one));
        assert!(one.links[1] != 0 && one.links[2] == 0 && one.mentions == 2, "{one:?}");
        assert_eq!(Record::from_bytes(&[0; 59]), None);
        let other_key = HashKey([8; 16]);
        assert_ne!(other_key.hash(1, &["somebody"]), one.author);
    }
}
