//! A message as links are read from it: in lower case, in plain letters, and with dots in the place of what stands for
//! dots.

use unicode_normalization::UnicodeNormalization;

use crate::text::reader::is_invisible;

/// How a character of a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    Plain,
    /// As the full stop of Chinese and Japanese, which also ends sentences.
    IdeographicStop,
    /// In brackets, as in `evil[.]com` and `evil(dot)com`.
    Bracketed,
    /// In brackets and between spaces, as in `evil [.] com`.
    Apart,
    /// As a word, as in `evil dot com`.
    Spoken,
}

/// A character of the message. What stands for a `.` is one glyph, and invisible characters are left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    pub(super) char: char,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) writing: Writing,
}

impl Glyph {
    /// Whether it may be part of a host name.
    pub(super) fn is_host(&self) -> bool {
        !self.is_apart() && (self.char.is_alphanumeric() || matches!(self.char, '.' | '-' | '_'))
    }

    /// Whether it is written between spaces, which would otherwise end a link.
    pub(super) fn is_apart(&self) -> bool {
        matches!(self.writing, Writing::Apart | Writing::Spoken)
    }

    pub(super) fn is_space(&self) -> bool {
        self.is_apart() || self.char.is_whitespace()
    }

    /// Whether it is written so that software does not read it as what it stands for.
    pub(super) fn is_defanged(&self) -> bool {
        self.writing != Writing::Plain
    }
}

/// Whether a text may contain a link. Links have dots, or colons before an address without a name.
pub(super) fn may_contain_link(content: &str) -> bool {
    content.contains(['.', ':', '\u{3002}', '\u{ff61}', '\u{ff0e}', '\u{2024}', '\u{fe52}'])
        || content.as_bytes().windows(3).any(|word| word.eq_ignore_ascii_case(b"dot"))
}

/// Reads the characters of a message.
pub(super) fn read(content: &str) -> Vec<Glyph> {
    let mut glyphs = Vec::with_capacity(content.len());
    for (start, char) in content.char_indices() {
        let end = start + char.len_utf8();
        let (char, writing) = match char {
            // Invisible, but as wide as a space.
            '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}' => (' ', Writing::Plain),
            '\u{3002}' | '\u{ff61}' => ('.', Writing::IdeographicStop),
            '\u{2024}' | '\u{fe52}' => ('.', Writing::Plain),
            _ if is_invisible(char) => continue,
            _ => (plain(char), Writing::Plain),
        };
        glyphs.push(Glyph { char, start, end, writing });
    }
    without_stand_ins(glyphs)
}

/// A character in lower case; one that is a form of a single other one, such as a full-width letter, as that.
fn plain(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_lowercase();
    }
    let is_form = matches!(char, '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}' | '\u{ff01}'..='\u{ff5e}'
        | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f16f}');
    let plain = if is_form { single_form(char).unwrap_or(char) } else { char };
    plain.to_lowercase().next().unwrap_or(plain)
}

fn single_form(char: char) -> Option<char> {
    let mut forms = std::iter::once(char).nfkc();
    let form = forms.next()?;
    forms.next().is_none().then_some(form)
}

/// Replaces `[.]`, `(dot)`, `[://]`, ` dot ` and ` slash ` with what they stand for.
fn without_stand_ins(glyphs: Vec<Glyph>) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    let mut at = 0;
    while at < glyphs.len() {
        if let Some((signs, length)) = bracketed(&glyphs[at..]) {
            let whole = Glyph {
                char: '.',
                start: glyphs[at].start,
                end: glyphs[at + length - 1].end,
                writing: Writing::Bracketed,
            };
            at += length;
            if signs == "." && is_between_spaces(&out, &glyphs[at..]) {
                let apart = apart(&mut out, &glyphs, &mut at, whole);
                out.push(apart);
            } else {
                out.extend(signs.chars().map(|char| Glyph { char, ..whole }));
            }
        } else if let Some((char, length)) = spoken(&out, &glyphs[at..]) {
            let start = glyphs[at].start;
            let end = glyphs[at + length - 1].end;
            out.push(Glyph { char, start, end, writing: Writing::Spoken });
            at += length;
        } else {
            out.push(glyphs[at]);
            at += 1;
        }
    }
    out
}

/// The signs that stand in brackets at the beginning, and the number of glyphs with the brackets.
fn bracketed(glyphs: &[Glyph]) -> Option<(&'static str, usize)> {
    if !matches!(glyphs.first()?.char, '[' | '(' | '{' | '<') {
        return None;
    }
    let inner = 1 + usize::from(glyphs.get(1)?.char == ' ');
    for (written, signs) in [(".", "."), ("dot", "."), ("://", "://"), (":", ":")] {
        if !begins_with(&glyphs[inner..], written) {
            continue;
        }
        let end = inner + written.len();
        let close = end + usize::from(glyphs.get(end).is_some_and(|glyph| glyph.char == ' '));
        if glyphs.get(close).is_some_and(|glyph| matches!(glyph.char, ']' | ')' | '}' | '>')) {
            return Some((signs, close + 1));
        }
    }
    None
}

fn begins_with(glyphs: &[Glyph], word: &str) -> bool {
    glyphs.len() >= word.len() && glyphs.iter().zip(word.chars()).all(|(glyph, char)| glyph.char == char)
}

/// Whether a name, a space or both stand before, a name after, and at least one space beside it.
fn is_between_spaces(before: &[Glyph], after: &[Glyph]) -> bool {
    let space_before = before.last().is_some_and(|glyph| glyph.char == ' ');
    let space_after = after.first().is_some_and(|glyph| glyph.char == ' ');
    let name = before.len().checked_sub(1 + usize::from(space_before)).map(|at| before[at].char);
    let next = after.get(usize::from(space_after)).map(|glyph| glyph.char);
    (space_before || space_after)
        && name.is_some_and(char::is_alphanumeric)
        && next.is_some_and(char::is_alphanumeric)
}

/// A dot that includes the spaces beside it, which are taken from both sides.
fn apart(before: &mut Vec<Glyph>, glyphs: &[Glyph], at: &mut usize, mut dot: Glyph) -> Glyph {
    if let Some(space) = before.pop_if(|glyph| glyph.char == ' ') {
        dot.start = space.start;
    }
    if let Some(space) = glyphs.get(*at).filter(|glyph| glyph.char == ' ') {
        dot.end = space.end;
        *at += 1;
    }
    Glyph { writing: Writing::Apart, ..dot }
}

/// The sign whose name stands at the beginning, between spaces and names, and the number of glyphs with the spaces.
fn spoken(before: &[Glyph], glyphs: &[Glyph]) -> Option<(char, usize)> {
    if glyphs[0].char != ' ' || !before.last()?.is_host() {
        return None;
    }
    let (sign, length) = [(" dot ", '.'), (" slash ", '/')]
        .into_iter()
        .find_map(|(word, sign)| begins_with(glyphs, word).then_some((sign, word.len())))?;
    glyphs.get(length)?.char.is_alphanumeric().then_some((sign, length))
}
