//! Finds links and host names in a message in every disguise: bare, masked by markdown, `hxxp`, `[.]`, with ports,
//! with a user name, in punycode. Does not rate or fetch them.

use std::ops::Range;

use super::tld;

/// A link or bare host name. All positions are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Lower-cased host, punycode decoded, without `www.`; an IPv4 address stays as written.
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
    /// True when it is written so that software does not recognise a link: `hxxp`, `[.]`.
    pub defanged: bool,
    /// Byte range of the text that a markdown link shows in its place.
    pub masked_by: Option<Range<usize>>,
    /// True for an e-mail address.
    pub email: bool,
}

/// A character of the message. `[.]` counts as one `.`, and invisible characters are left out.
struct Glyph {
    char: char,
    start: usize,
    end: usize,
    defanged: bool,
}

/// Returns every link in the message, in order. Linear in its length.
pub fn find(content: &str) -> Vec<Link> {
    if !content.contains(['.', '\u{ff0e}', '\u{3002}', '\u{ff61}', ':']) {
        return Vec::new();
    }
    let glyphs = glyphs(content);
    let mut links = Vec::new();
    let mut at = 0;
    while at < glyphs.len() {
        if at > 0 && is_host(glyphs[at - 1].char) || !is_host(glyphs[at].char) {
            at += 1;
            continue;
        }
        let run = run_end(&glyphs, at);
        let found = match scheme_end(&glyphs, at, run) {
            Some(authority) => with_scheme(&glyphs, at, authority),
            None => bare(&glyphs, at, run),
        };
        match found {
            Some((mut link, end)) => {
                link.masked_by = masked_by(&glyphs, at);
                links.push(link);
                at = end.max(run);
            }
            None => at = run,
        }
    }
    links
}

fn glyphs(content: &str) -> Vec<Glyph> {
    let mut glyphs: Vec<Glyph> = Vec::with_capacity(content.len());
    let mut chars = content.char_indices().peekable();
    while let Some((start, char)) = chars.next() {
        let end = start + char.len_utf8();
        match char {
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            '\u{ff0e}' | '\u{3002}' | '\u{ff61}' => {
                glyphs.push(Glyph { char: '.', start, end, defanged: true });
            }
            '[' | '(' | '{' => match &content.as_bytes()[end..] {
                [b'.', b']' | b')' | b'}', ..] => {
                    glyphs.push(Glyph { char: '.', start, end: end + 2, defanged: true });
                    chars.next();
                    chars.next();
                }
                _ => glyphs.push(Glyph { char, start, end, defanged: false }),
            },
            _ => {
                let char = char.to_lowercase().next().unwrap_or(char);
                glyphs.push(Glyph { char, start, end, defanged: false });
            }
        }
    }
    glyphs
}

fn is_host(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '.' | '-' | '_')
}

/// The end of the run of host characters that begins at `at`.
fn run_end(glyphs: &[Glyph], at: usize) -> usize {
    at + glyphs[at..].iter().take_while(|glyph| is_host(glyph.char)).count()
}

/// The start of the authority if `at..run` is `http`, `https`, `hxxp` or `hxxps` and `://` follows.
fn scheme_end(glyphs: &[Glyph], at: usize, run: usize) -> Option<usize> {
    let word: String = glyphs[at..run.min(at + 6)].iter().map(|glyph| glyph.char).collect();
    let known = matches!(word.as_str(), "http" | "https" | "hxxp" | "hxxps" | "htxp" | "hxtp" | "meow");
    let slashes = glyphs[run..].iter().take(3).map(|glyph| glyph.char).collect::<String>();
    (known && matches!(slashes.as_str(), "://" | ":\\\\" | ":/\\")).then_some(run + 3)
}

fn ends_authority(char: char) -> bool {
    char.is_whitespace() || matches!(char, '/' | '\\' | '?' | '#' | '<' | '>' | '"' | ')')
}

fn ends_path(char: char) -> bool {
    char.is_whitespace() || matches!(char, '<' | '>' | '"' | '`' | '|' | ']')
}

fn with_scheme(glyphs: &[Glyph], at: usize, authority: usize) -> Option<(Link, usize)> {
    let length = glyphs[authority..].iter().take_while(|glyph| !ends_authority(glyph.char)).count();
    let user = glyphs[authority..authority + length].iter().rposition(|glyph| glyph.char == '@');
    let host = authority + user.map_or(0, |user| user + 1);
    let host_end = trim_dots(glyphs, host, run_end_or(glyphs, host));
    if host_end == host || !glyphs[host..host_end].iter().any(|glyph| glyph.char == '.') {
        return None;
    }
    let mut link = link(glyphs, at, host, host_end);
    link.scheme = true;
    link.userinfo = user.is_some();
    link.defanged |= glyphs[at + 1].char == 'x';
    let end = finish(glyphs, host_end, &mut link);
    Some((link, end))
}

fn bare(glyphs: &[Glyph], at: usize, run: usize) -> Option<(Link, usize)> {
    if at > 0 && matches!(glyphs[at - 1].char, '/' | '\\' | '@' | '#' | '$' | '=' | '~' | '%' | '&') {
        return None;
    }
    let after = glyphs.get(run).map(|glyph| glyph.char);
    if after == Some('@') {
        return email(glyphs, at, run);
    }
    let host_end = trim_dots(glyphs, at, run);
    let host: String = glyphs[at..host_end].iter().map(|glyph| glyph.char).collect();
    let has_path = host_end == run && matches!(after, Some('/' | '?'));
    if after == Some('(') && host_end == run || !tld::is_domain(&host, has_path) {
        return None;
    }
    let mut link = link(glyphs, at, at, host_end);
    let end = finish(glyphs, host_end, &mut link);
    Some((link, end))
}

fn email(glyphs: &[Glyph], at: usize, run: usize) -> Option<(Link, usize)> {
    let host = run + 1;
    let host_end = trim_dots(glyphs, host, run_end_or(glyphs, host));
    let name: String = glyphs[host..host_end].iter().map(|glyph| glyph.char).collect();
    if !tld::is_domain(&name, true) {
        return None;
    }
    let mut link = link(glyphs, at, host, host_end);
    link.email = true;
    Some((link, host_end))
}

fn run_end_or(glyphs: &[Glyph], at: usize) -> usize {
    if at < glyphs.len() { run_end(glyphs, at) } else { at }
}

/// Drops the dots and dashes that end a sentence rather than a host.
fn trim_dots(glyphs: &[Glyph], start: usize, mut end: usize) -> usize {
    while end > start && matches!(glyphs[end - 1].char, '.' | '-' | '_') {
        end -= 1;
    }
    end
}

/// A link with only its host so far.
fn link(glyphs: &[Glyph], at: usize, host: usize, host_end: usize) -> Link {
    let written: String = glyphs[host..host_end].iter().map(|glyph| glyph.char).collect();
    let (decoded, _) = idna::domain_to_unicode(&written);
    let name = decoded.strip_prefix("www.").unwrap_or(&decoded).to_owned();
    Link {
        host: name,
        host_start: glyphs[host].start,
        host_end: glyphs[host_end - 1].end,
        start: glyphs[at].start,
        end: glyphs[host_end - 1].end,
        path: String::new(),
        scheme: false,
        userinfo: false,
        defanged: glyphs[host..host_end].iter().any(|glyph| glyph.defanged),
        masked_by: None,
        email: false,
    }
}

/// Parses the port and path after the host into the link and returns its end.
fn finish(glyphs: &[Glyph], host_end: usize, link: &mut Link) -> usize {
    let mut end = host_end;
    if glyphs.get(end).is_some_and(|glyph| glyph.char == ':') {
        let digits = glyphs[end + 1..].iter().take_while(|glyph| glyph.char.is_ascii_digit()).count();
        end += if digits > 0 { digits + 1 } else { 0 };
    }
    if glyphs.get(end).is_some_and(|glyph| matches!(glyph.char, '/' | '\\' | '?' | '#')) {
        let path = end;
        end += glyphs[path..].iter().take_while(|glyph| !ends_path(glyph.char)).count();
        if let Some(close) = glyphs[path..end].iter().position(|glyph| glyph.char == ')')
            && !glyphs[path..path + close].iter().any(|glyph| glyph.char == '(')
        {
            end = path + close;
        }
        while end > path && matches!(glyphs[end - 1].char, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*') {
            end -= 1;
        }
        link.path = glyphs[path..end].iter().map(|glyph| glyph.char).collect();
    }
    link.end = glyphs[end - 1].end;
    end
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hosts(content: &str) -> Vec<String> {
        find(content).into_iter().filter(|link| !link.email).map(|link| link.host).collect()
    }

    #[test]
    fn finds_links_in_every_dress() {
        for (content, host) in [
            ("see https://www.Example.com/a?b=c.", "example.com"),
            ("dlscord-gift.com/nitro free!", "dlscord-gift.com"),
            ("go to steamcommunlty.ru now", "steamcommunlty.ru"),
            ("hxxps://evil[.]xyz/claim", "evil.xyz"),
            ("evil(.)xyz", "evil.xyz"),
            ("(https://a.example.org:8443/x)", "a.example.org"),
            ("https://discord.com@evil.example/login", "evil.example"),
            ("[https://discord.com/gift](https://gift.evil.top/x)", "discord.com"),
            ("https://xn--dscord-4ya.com", "ds\u{fc}cord.com"),
            ("http://185.12.3.4/login", "185.12.3.4"),
            ("d\u{200b}iscord.gg/abc", "discord.gg"),
            ("discord\u{3002}gg/abc", "discord.gg"),
        ] {
            assert_eq!(hosts(content).first().map(String::as_str), Some(host), "{content}");
        }
    }

    #[test]
    fn leaves_code_and_prose_alone() {
        for content in [
            "main.py calls file.rs, see README.md",
            "foo.bar() and self.id and console.log(x)",
            "version 1.2.3 or 10.0.0.1",
            "e.g. this, i.e. that... and so.on",
            "src/main.rs/x and /etc/app.conf",
            "std::net and a.b.c",
            "node.js vs asp.net core",
            "it works.me too. he is done.it was",
        ] {
            assert_eq!(hosts(content), Vec::<String>::new(), "{content}");
        }
    }

    #[test]
    fn keeps_positions_and_dress() {
        let content = "é [login](https://evil.top/a) bob@mail.com";
        let links = find(content);
        assert_eq!(&content[links[0].host_start..links[0].host_end], "evil.top");
        assert_eq!(&content[links[0].start..links[0].end], "https://evil.top/a");
        let shown = links[0].masked_by.clone().expect("masked");
        assert_eq!(&content[shown], "login");
        assert!(links[1].email);
        assert_eq!(&content[links[1].start..links[1].end], "bob@mail.com");
    }

    /// A part of a link, of its disguises or of other text, repeated.
    fn part() -> impl Strategy<Value = String> {
        let parts = vec![
            "http", "hxxps", "meow", "://", ":\\\\", "www.", "evil", ".com", "[.]", "(.}", "[", "](", ")",
            "@", ":80", "/", "?", "#", "xn--", "1.2.3.4", " ", "-", "_", "é", "ẞ", "İ", "\u{200b}",
            "\u{3002}", "𝐚", "杀",
        ];
        (prop::sample::select(parts), prop_oneof![6 => 1_usize..3, 1 => 60_usize..70, 1 => 250_usize..260])
            .prop_map(|(part, times)| part.repeat(times))
    }

    proptest! {
        #[test]
        fn every_position_is_in_the_text_and_between_characters(parts in prop::collection::vec(part(), 0..16)) {
            let content = parts.concat();
            let mut before = 0;
            for link in find(&content) {
                for span in [link.start..link.end, link.host_start..link.host_end].into_iter().chain(link.masked_by) {
                    prop_assert!(content.get(span.clone()).is_some(), "{span:?} of {content}");
                }
                prop_assert!(before <= link.start, "links overlap: {content}");
                before = link.end;
            }
        }
    }
}
