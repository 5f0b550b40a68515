//! Finds links in the glyphs of a message.

use std::ops::Range;

use super::{
    endings,
    glyphs::{self, Glyph, Writing},
    host::{self, MAX_HOST},
};

/// Dots between spaces that a host may have.
const MAX_GAPS: usize = 4;

/// A link or bare host name. All positions are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Lower-cased host, with percent-encoding, full-width letters and punycode decoded, without `www.`; an address
    /// in its usual form, of IPv6 without brackets.
    pub host: String,
    pub host_start: usize,
    pub host_end: usize,
    /// Start of the whole link, scheme included.
    pub start: usize,
    /// End of the whole link.
    pub end: usize,
    /// Lower-cased path, query and fragment, beginning with `/`, `?` or `#`; empty when there is none.
    pub path: String,
    /// True when the link begins with a scheme such as `https://`.
    pub scheme: bool,
    /// True when text stands before an `@` in front of the host, as in `https://bank.com@evil.example`.
    pub userinfo: bool,
    /// True when it is written so that software does not recognise a link: `hxxp`, `[.]`, ` dot `.
    pub defanged: bool,
    /// Byte range of the text that a markdown link shows in its place.
    pub masked_by: Option<Range<usize>>,
    /// True for an e-mail address.
    pub email: bool,
}

/// Returns every link in the message, in order. Linear in its length.
pub fn find(content: &str) -> Vec<Link> {
    find_with(content, &|_| false)
}

/// Like [`find`]. A host that `is_listed` accepts is a link wherever it stands, even where it could be a word, a file
/// or part of a program.
pub fn find_with(content: &str, is_listed: &dyn Fn(&str) -> bool) -> Vec<Link> {
    if !glyphs::may_contain_link(content) {
        return Vec::new();
    }
    let glyphs = &glyphs::read(content);
    let finder = Finder { glyphs, is_listed };
    let mut links = Vec::new();
    let mut at = 0;
    while at < glyphs.len() {
        if !glyphs[at].is_host() || is_trimmed(&glyphs[at]) {
            at += 1;
            continue;
        }
        let run = finder.run_end(at);
        let found = match finder.scheme_end(at, run) {
            Some(authority) => finder.with_scheme(at, authority),
            None => finder.bare(at, run),
        };
        match found {
            Some((mut link, end)) => {
                link.masked_by = masked_by(glyphs, at);
                links.push(link);
                at = end.max(run);
            }
            None => at = run,
        }
    }
    links
}

struct Finder<'a> {
    glyphs: &'a [Glyph],
    is_listed: &'a dyn Fn(&str) -> bool,
}

impl Finder<'_> {
    fn char(&self, at: usize) -> Option<char> {
        self.glyphs.get(at).map(|glyph| glyph.char)
    }

    fn is_listed(&self, name: &str) -> bool {
        (self.is_listed)(host::without_www(name))
    }

    fn text(&self, range: Range<usize>) -> String {
        self.glyphs[range].iter().map(|glyph| glyph.char).collect()
    }

    /// The end of the host characters that begin at `at`; two dots end a sentence.
    fn run_end(&self, at: usize) -> usize {
        let mut end = at;
        while let Some(glyph) = self.glyphs.get(end).filter(|glyph| glyph.is_host()) {
            if glyph.char == '.' && self.char(end + 1) == Some('.') {
                break;
            }
            end += 1;
        }
        end
    }

    /// Drops the dots and dashes that end a sentence rather than a host.
    fn trim_end(&self, start: usize, mut end: usize) -> usize {
        while end > start && is_trimmed(&self.glyphs[end - 1]) {
            end -= 1;
        }
        end
    }

    /// The start of the authority if `at..run` is a scheme and `://` or what browsers read as such follows.
    fn scheme_end(&self, at: usize, run: usize) -> Option<usize> {
        let word = self.text(at..run.min(at + 6));
        let known = matches!(word.as_str(), "http" | "https" | "hxxp" | "hxxps" | "htxp" | "hxtp" | "meow");
        if !known || self.char(run) != Some(':') {
            return None;
        }
        let rest = &self.glyphs[run + 1..];
        let slashes = rest.iter().take_while(|glyph| matches!(glyph.char, '/' | '\\')).count();
        (slashes > 0).then_some(run + 1 + slashes)
    }

    fn with_scheme(&self, at: usize, authority: usize) -> Option<(Link, usize)> {
        let rest = &self.glyphs[authority..];
        let end = authority + rest.iter().take_while(|glyph| !ends_authority(glyph)).count();
        let user = self.glyphs[authority..end].iter().rposition(|glyph| glyph.char == '@');
        let after_user = user.and_then(|user| self.host(authority + user + 1, end));
        let userinfo = after_user.is_some();
        let found = after_user.or_else(|| self.host(authority, end))?;
        let mut link = self.link(at, &found);
        link.scheme = true;
        link.userinfo = userinfo;
        link.defanged |= self.char(at + 1) == Some('x');
        Some(self.finished(link, &found.at))
    }

    /// The host in an authority.
    fn host(&self, start: usize, end: usize) -> Option<FoundHost> {
        let glyphs = &self.glyphs[start..end];
        if glyphs.first()?.char == '[' {
            let end = start + glyphs.iter().position(|glyph| glyph.char == ']')? + 1;
            return Some(FoundHost { name: host::read(&self.text(start..end))?, at: start..end });
        }
        let encoded =
            self.trim_end(start, start + glyphs.iter().take_while(|glyph| may_be_host(glyph)).count());
        if encoded - start <= 3 * MAX_HOST
            && let Some(name) = host::read(&self.text(start..encoded))
        {
            return Some(FoundHost { name, at: start..encoded });
        }
        let plain = self.trim_end(start, start + glyphs.iter().take_while(|glyph| glyph.is_host()).count());
        let name = self.text(start..plain);
        if name.contains('.') {
            return Some(FoundHost { name, at: start..plain });
        }
        self.host_with_gaps(start, plain)
    }

    /// A link without a scheme, whose host begins at `at`.
    fn bare(&self, at: usize, run: usize) -> Option<(Link, usize)> {
        if self.char(run) == Some('@') {
            return self.address(at, run);
        }
        let before = self.before(at);
        let found = match before {
            Before::Text | Before::Sign => self.host_with_gaps(at, run),
            Before::Name => None,
        };
        let found = found.or_else(|| self.bare_host(at, run, before))?;
        Some(self.finished(self.link(at, &found), &found.at))
    }

    fn bare_host(&self, at: usize, run: usize, before: Before) -> Option<FoundHost> {
        let host_end = self.trim_end(at, run);
        let name = host::read_bare(&self.text(at..host_end))?;
        let host = &self.glyphs[at..host_end];
        let has_path = self.has_path(host_end);
        let is_link = match before {
            Before::Name => false,
            Before::Sign => endings::is_domain(&name, false),
            Before::Text => {
                let is_marked = has_path || host.iter().any(|glyph| glyph.writing == Writing::Bracketed);
                endings::is_domain(&name, is_marked)
            }
        };
        let is_call = self.char(host_end) == Some('(');
        let is_two_sentences = !has_path
            && !name.is_ascii()
            && host.iter().any(|glyph| glyph.writing == Writing::IdeographicStop);
        let is_link = is_link && !is_call && !is_two_sentences || self.is_listed(&name);
        is_link.then_some(FoundHost { name, at: at..host_end })
    }

    /// The host whose name continues beyond `run` after dots between spaces.
    fn host_with_gaps(&self, at: usize, run: usize) -> Option<FoundHost> {
        let mut ends = Vec::with_capacity(MAX_GAPS);
        let mut end = run;
        while ends.len() < MAX_GAPS
            && self.glyphs.get(end).is_some_and(|dot| dot.is_apart() && dot.char == '.')
        {
            end = self.run_end(end + 1);
            ends.push(end);
        }
        ends.into_iter().rev().find_map(|end| {
            let host_end = self.trim_end(at, end);
            let name = host::read_bare(&self.text(at..host_end))?;
            let is_spoken = self.glyphs[at..host_end].iter().any(|glyph| glyph.writing == Writing::Spoken);
            let has_path = self.has_path(host_end);
            let is_link = match is_spoken {
                true if has_path => endings::is_domain(&name, false),
                true => endings::is_spoken_domain(&name, &self.next_word(host_end)),
                false => endings::is_domain(&name, has_path),
            };
            (is_link || self.is_listed(&name)).then_some(FoundHost { name, at: at..host_end })
        })
    }

    fn next_word(&self, at: usize) -> String {
        let rest = self.glyphs[at..].iter().skip_while(|glyph| glyph.is_space());
        rest.take(20).take_while(|glyph| glyph.char.is_alphabetic()).map(|glyph| glyph.char).collect()
    }

    /// An e-mail address, or a link whose user name looks like a host and that only a path tells from one.
    fn address(&self, at: usize, run: usize) -> Option<(Link, usize)> {
        let start = run + 1;
        if !self.glyphs.get(start)?.is_host() {
            return None;
        }
        let host_end = self.trim_end(start, self.run_end(start));
        let name = host::read_bare(&self.text(start..host_end))?;
        if !endings::is_domain(&name, true) {
            return None;
        }
        let found = FoundHost { name, at: start..host_end };
        let mut link = self.link(at, &found);
        let user = self.text(at..run);
        if self.has_path(host_end) && endings::is_domain(&user, false) {
            link.userinfo = true;
            return Some(self.finished(link, &found.at));
        }
        link.email = true;
        Some((link, host_end))
    }

    /// What stands directly before a word.
    fn before(&self, at: usize) -> Before {
        let end = self.trim_end(0, at);
        let signs: Vec<char> =
            self.glyphs[end.saturating_sub(3)..end].iter().map(|glyph| glyph.char).collect();
        match signs.as_slice() {
            ['/', '/', '/'] => Before::Name,
            [char, '/', '/'] if char.is_alphanumeric() => Before::Name,
            [.., '/', '/'] => Before::Text,
            [.., '/' | '\\' | '@' | '#' | '$' | '%' | '&'] => Before::Name,
            [.., '=' | '~'] => Before::Sign,
            _ => Before::Text,
        }
    }

    /// Where the port, the path or other text begins after a host. A host may end with a dot before either.
    fn after_host(&self, host_end: usize) -> usize {
        let dot = self.char(host_end) == Some('.') && matches!(self.char(host_end + 1), Some('/' | ':'));
        host_end + usize::from(dot)
    }

    /// Where the text after the port begins, which the host may have.
    fn after_port(&self, host_end: usize) -> usize {
        let end = self.after_host(host_end);
        if self.char(end) != Some(':') {
            return end;
        }
        let digits = self.glyphs[end + 1..].iter().take_while(|glyph| glyph.char.is_ascii_digit()).count();
        if digits > 0 { end + 1 + digits } else { end }
    }

    fn has_path(&self, host_end: usize) -> bool {
        let end = self.after_port(host_end);
        match self.char(end) {
            Some('/') => true,
            Some('?') => self.char(end + 1).is_some_and(char::is_alphanumeric),
            _ => false,
        }
    }

    /// A link with only its host so far.
    fn link(&self, at: usize, found: &FoundHost) -> Link {
        let host = &self.glyphs[found.at.clone()];
        let host_end = host[host.len() - 1].end;
        Link {
            host: host::without_www(&found.name).to_owned(),
            host_start: host[0].start,
            host_end,
            start: self.glyphs[at].start,
            end: host_end,
            path: String::new(),
            scheme: false,
            userinfo: false,
            defanged: host.iter().any(Glyph::is_defanged),
            masked_by: None,
            email: false,
        }
    }

    /// The link with the port and path after the host, and its end.
    fn finished(&self, mut link: Link, host: &Range<usize>) -> (Link, usize) {
        let spoken = self.glyphs[host.clone()].iter().any(|glyph| glyph.writing == Writing::Spoken);
        let path = self.after_port(host.end);
        let mut end = path;
        let begins = self.glyphs.get(path).is_some_and(|glyph| {
            matches!(glyph.char, '/' | '\\' | '?' | '#') && (spoken || !glyph.is_apart())
        });
        if begins {
            let rest = self.glyphs[path..].iter();
            end += rest.take_while(|glyph| !ends_path(glyph) || spoken && glyph.char == '/').count();
            end = self.trim_path(path, end);
            link.path = self.text(path..end);
        }
        link.end = self.glyphs[end - 1].end;
        (link, end)
    }

    /// Drops what follows a link in a sentence: a bracket that was opened before it, and punctuation.
    fn trim_path(&self, path: usize, mut end: usize) -> usize {
        let glyphs = &self.glyphs[path..end];
        if let Some(close) = glyphs.iter().position(|glyph| glyph.char == ')')
            && !glyphs[..close].iter().any(|glyph| glyph.char == '(')
        {
            end = path + close;
        }
        while end > path
            && matches!(self.glyphs[end - 1].char, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '~')
        {
            end -= 1;
        }
        end
    }
}

/// A host in a message, and the glyphs that it consists of.
struct FoundHost {
    name: String,
    at: Range<usize>,
}

/// What stands directly before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A space, a bracket, `//`: a link may begin.
    Text,
    /// A sign after which only what can be nothing else is a link.
    Sign,
    /// A sign that makes the word a name or a part of a path.
    Name,
}

fn is_trimmed(glyph: &Glyph) -> bool {
    matches!(glyph.char, '.' | '-' | '_')
}

/// Whether a glyph may stand in a host after a scheme. The slashes are others than that which ends a host.
fn may_be_host(glyph: &Glyph) -> bool {
    glyph.is_host() || matches!(glyph.char, '%' | '\u{2044}' | '\u{2215}' | '\u{29f8}')
}

fn ends_authority(glyph: &Glyph) -> bool {
    glyph.is_space() || matches!(glyph.char, '/' | '\\' | '?' | '#' | '<' | '>' | '"' | ')')
}

fn ends_path(glyph: &Glyph) -> bool {
    glyph.is_space() || matches!(glyph.char, '<' | '>' | '"' | '`' | '|' | ']')
}

/// Byte range of the shown text if the link stands in `[shown](link)`. Looks back 200 characters at most.
fn masked_by(glyphs: &[Glyph], at: usize) -> Option<Range<usize>> {
    let before = match glyphs[..at].split_last() {
        Some((last, rest)) if last.char == '<' => rest,
        _ => &glyphs[..at],
    };
    let close = before.len().checked_sub(2)?;
    if before[close].char != ']' || before[close + 1].char != '(' {
        return None;
    }
    let open = before[..close].iter().rev().take(200).position(|glyph| glyph.char == '[')?;
    let shown = &before[close - open..close];
    Some(shown.first()?.start..shown.last()?.end)
}
