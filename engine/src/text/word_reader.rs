//! Splits a message into words, as they read without disguise, and skips links, mentions and markup. Leetspeak,
//! spelt-out words and repeated letters are left to `normalize`, which needs whole words for them.

use ports::text::{
    links::Link,
    reader::{Glyph, glyphs, is_invisible, unleet},
    scripts::is_unspaced,
};

use super::{
    features::word_hash,
    leet::Leet,
    lexicon::Vocabulary,
    raw_words::{Gap, RawSentence, RawWords},
    sentence::sentence_ends,
    words::{LinkPosition, Word},
};

/// The emoji that say something by themselves: gestures, weapons, what stands for sex, death, animals in the place of
/// people, money. Each is a word. All others are left out.
const TELLING_EMOJI: &str = "🖕🔫🔪🗡💣🧨🍆🍑💦🍌🐒🐵🦍🐷🐖🐍🐀🤮🪦⚰💰🤑💸💊";

/// The most characters behind `@` that are looked at for a word.
const MAX_DISGUISED_LETTERS: usize = 32;

pub(super) struct WordReader<'a> {
    content: &'a str,
    links: &'a [Link],
    glyphs: Vec<Glyph>,
    /// The numbers of the glyphs behind the sentences.
    sentence_ends: Vec<usize>,
    raw: RawWords,
    /// How the current sentence is written, and the number of the glyph behind it.
    leet: Leet,
    sentence_end: usize,
    start: usize,
    from: usize,
    to: usize,
    gap: Gap,
    /// Letters of the current word, and capitals among them.
    letters: u32,
    capitals: u32,
}

impl<'a> WordReader<'a> {
    pub(super) fn new(content: &'a str, links: &'a [Link]) -> Self {
        let glyphs = glyphs(content);
        Self {
            content,
            links,
            sentence_ends: sentence_ends(&glyphs),
            glyphs,
            raw: RawWords::default(),
            leet: Leet::default(),
            sentence_end: 0,
            start: 0,
            from: 0,
            to: 0,
            gap: Gap::default(),
            letters: 0,
            capitals: 0,
        }
    }

    pub(super) fn read(mut self) -> RawWords {
        let mut next = 0;
        let mut links = self.links.iter().peekable();
        while let Some(glyph) = self.glyphs.get(next).copied() {
            self.begin_sentence(next);
            while links.next_if(|link| link.end <= glyph.start).is_some() {}
            if let Some(link) = links.peek().filter(|link| link.start <= glyph.start) {
                self.cut();
                if !link.email {
                    let position = LinkPosition { before: self.raw.words.len(), host: word_hash(&link.host) };
                    self.raw.links.push(position);
                }
                next = self.skip(next, link.end);
                continue;
            }
            let skipped = self.markup(glyph);
            if skipped > 0 {
                self.cut();
                next = self.skip(next, glyph.start + skipped);
                continue;
            }
            self.count_letter(next);
            self.push(glyph, next);
            next += 1;
        }
        self.cut();
        self.raw
    }

    /// Begins a sentence where character number `next` is behind the one before.
    fn begin_sentence(&mut self, next: usize) {
        if next < self.sentence_end {
            return;
        }
        let number = self.sentence_ends.partition_point(|end| *end <= next);
        let from = number.checked_sub(1).map_or(0, |before| self.sentence_ends[before]);
        self.cut();
        self.sentence_end = self.sentence_ends[number];
        self.leet = Leet::of(&self.glyphs[from..self.sentence_end]);
        self.raw.sentences.push(RawSentence { from: self.raw.words.len(), leet: self.leet });
    }

    /// Leaves out the characters from number `next` on that begin before the byte `end`, and returns the number of the
    /// first one behind.
    fn skip(&mut self, next: usize, end: usize) -> usize {
        self.gap = Gap { length: u8::MAX, spaces: 0, spaced: true, punctuated: true };
        let skipped = self.glyphs[next..].iter().take_while(|glyph| glyph.start < end).count();
        next + skipped.max(1)
    }

    /// Counts the letter of the message that a glyph is the first part of.
    fn count_letter(&mut self, at: usize) {
        let Glyph { start, end, .. } = self.glyphs[at];
        if at > 0 && self.glyphs[at - 1].start == start {
            return;
        }
        let written = self.content[start..end].chars().next().unwrap_or(' ');
        self.letters += u32::from(written.is_alphabetic());
        self.capitals += u32::from(written.is_uppercase());
    }

    /// The length of the mention or of a chat client's `<...>` markup that begins here, or 0.
    fn markup(&self, glyph: Glyph) -> usize {
        let rest = &self.content[glyph.start..];
        let at_start = glyph.char == '@' && self.start == self.raw.text.len();
        if at_start && !self.is_disguised_word(glyph) {
            return name_len(rest);
        }
        let rest = rest.as_bytes();
        match glyph.char {
            '<' if matches!(rest.get(1), Some(b'@' | b'#' | b':' | b'a' | b'/')) => {
                let length = rest.iter().take(64).take_while(|byte| !matches!(byte, b'>' | b' ')).count();
                let closed = rest.get(length) == Some(&b'>');
                if closed && rest[..length].iter().any(u8::is_ascii_digit) { length + 1 } else { 0 }
            }
            _ => 0,
        }
    }

    /// Whether `@` is the first letter of a word: of a known one, as in `@re`, and of one that is none without it where
    /// signs are letters throughout the sentence.
    fn is_disguised_word(&self, at: Glyph) -> bool {
        let rest = self.content[at.end..].chars().take(MAX_DISGUISED_LETTERS);
        let rest = rest.take_while(|char| char.is_alphanumeric() || matches!(char, '$' | '@'));
        let rest: String = rest.flat_map(char::to_lowercase).map(unleet).collect();
        let vocabulary = Vocabulary::shared();
        rest.len() > 1 && vocabulary.is_word(&format!("a{rest}"))
            || self.leet.signs && !vocabulary.is_word(&rest)
    }

    fn push(&mut self, glyph: Glyph, at: usize) {
        if glyph.emoji {
            self.push_separator(glyph, TELLING_EMOJI.contains(glyph.char));
        } else if self.is_of_word(glyph.char, at) {
            if self.changes_script(glyph.char) {
                self.cut();
            }
            if self.raw.text.len() == self.start {
                self.from = glyph.start;
            }
            self.to = glyph.end;
            self.raw.text.push(glyph.char);
        } else if glyph.char != '\'' && glyph.char != '`' || self.raw.text.len() == self.start {
            self.push_separator(glyph, matches!(glyph.char, '!' | '?' | '€' | '$'));
        }
    }

    /// Whether a character would join Latin letters and letters of a script without spaces in one word.
    fn changes_script(&self, char: char) -> bool {
        let last = self.raw.text[self.start..].chars().next_back();
        last.is_some_and(|last| {
            is_unspaced(last) && char.is_ascii_alphanumeric()
                || last.is_ascii_alphanumeric() && is_unspaced(char)
        })
    }

    /// Whether a character is part of a word: a letter, a digit, or a sign in the place of one.
    fn is_of_word(&self, char: char, at: usize) -> bool {
        let word = &self.raw.text[self.start..];
        let inside = !word.is_empty();
        let ahead = self.glyphs.get(at + 1).filter(|next| !next.emoji).map_or(' ', |next| next.char);
        match char {
            '*' => inside && (ahead.is_alphanumeric() || ahead == '*' || word.ends_with('*')),
            '$' => {
                ahead.is_alphabetic()
                    || matches!(ahead, '$' | '@')
                    || inside
                        && word.ends_with(|char: char| char.is_alphabetic() || matches!(char, '$' | '@'))
            }
            '@' if inside => ahead.is_alphanumeric() || self.leet.signs,
            '@' if self.leet.signs && !ahead.is_alphanumeric() => true,
            '@' => is_disguise(&self.glyphs[at + 1..]) || self.is_disguised_word(self.glyphs[at]),
            '!' | '|' => inside && ahead.is_alphabetic(),
            _ => char.is_alphanumeric(),
        }
    }

    /// Ends the current word; a separator that says something is a word of its own.
    fn push_separator(&mut self, glyph: Glyph, is_word: bool) {
        self.cut();
        self.gap.widen(glyph.char);
        if is_word {
            self.from = glyph.start;
            self.to = glyph.end;
            self.raw.text.push(glyph.char);
            self.cut();
        }
    }

    fn cut(&mut self) {
        let end = self.raw.text.len();
        let letters = std::mem::take(&mut self.letters);
        let capitals = std::mem::take(&mut self.capitals);
        if end == self.start {
            return;
        }
        let word = &self.raw.text[self.start..];
        if word == "http" || word == "https" {
            self.raw.text.truncate(self.start);
            return;
        }
        self.raw.words.push(Word {
            start: self.start,
            end,
            from: self.from,
            to: self.to,
            letters,
            capitals,
            loud: capitals >= 3 && capitals == letters,
        });
        self.raw.gaps.push(std::mem::take(&mut self.gap));
        self.start = end;
    }
}

/// The length of a mention such as `@name`, invisible characters included, or 0: `@ss` is a disguise.
fn name_len(text: &str) -> usize {
    let chars = text.char_indices().skip(1).take_while(|(_, char)| is_in_name(*char));
    let visible = chars.filter(|(_, char)| !is_invisible(*char));
    if is_disguised(visible.clone().map(|(_, char)| char)) {
        return 0;
    }
    visible.last().map_or(0, |(at, char)| at + char.len_utf8())
}

fn is_in_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '#' | '.') || is_invisible(char)
}

/// Whether `@` stands for a letter before these characters.
fn is_disguise(after: &[Glyph]) -> bool {
    is_disguised(after.iter().map(|glyph| glyph.char))
}

/// Whether the characters behind `@` make it a letter: `@ss`, `@$$`, `@5s`.
fn is_disguised(after: impl Iterator<Item = char>) -> bool {
    after.take(2).filter(|char| matches!(char, 's' | 'S' | '$' | '5')).count() == 2
}
