//! Signals of a message that need no model: links, invites, mentions, account age. Pure; fetches nothing. A signal
//! is evidence, never a verdict.

use std::{
    collections::{HashMap, HashSet},
    net::IpAddr,
    ops::Range,
};

use serde::{Deserialize, Serialize};

use super::{
    LikelyPersonalData, TextMessage,
    conversation::ConversationTurn,
    known_hosts::{self, Likeness},
};
use ports::text::{
    links::{self, Link},
    reader::glyphs,
};

/// A signal. `start..end` are byte offsets into the original content, 0..0 for a signal outside the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The kind, such as `invite_link`.
    pub name: String,
    /// Evidence against the message: threat points for `raid` signals, log-odds of a scam for links and words.
    pub weight: f64,
    pub start: usize,
    pub end: usize,
}

impl Signal {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// All signals of one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Signals in the order of the text; those outside the text come last.
    pub seen: Vec<Signal>,
    /// Threat points of the signals of raids and floods.
    pub raid: f64,
    /// User and role mentions.
    pub mentions: u64,
    /// Whether the author's account is new.
    pub new_account: bool,
    /// The links, in the order of the text.
    pub links: Vec<LinkSignals>,
    /// What the messages before it say, the oldest first.
    pub turns: Vec<ConversationTurn>,
    /// The personal data in the text.
    pub personal_data: Vec<LikelyPersonalData>,
}

/// The evidence of one link's form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSignals {
    /// Start of its host in the content, which identifies it among an engine's domain scores.
    pub start: usize,
    /// True for a trusted host: a model's score of its letters does not count.
    pub trusted: bool,
    /// Log-odds of a scam, at least 0, from everything but the host's letters.
    pub evidence: f64,
}

/// Reads the signals of a message. Linear in its length.
pub fn read(message: &TextMessage) -> Signals {
    read_trusting(message, |_| false)
}

/// Reads the signals of a message. Hosts that `trusts` accepts are trusted and are no invites.
pub(super) fn read_trusting(message: &TextMessage, trusts: impl Fn(&str) -> bool) -> Signals {
    let mut signals = Signals::default();
    let links = links::find(&message.content);
    for link in links.iter().filter(|link| !link.email) {
        read_link(&mut signals, &links, link, trusts(&link.host));
    }
    read_mentions(&mut signals, message);
    read_repetition(&mut signals, &message.content);
    read_author(&mut signals, message, links.iter().any(|link| !link.email));
    signals
}

impl Signals {
    fn raid(&mut self, name: &str, weight: f64, span: Range<usize>) {
        self.raid += weight;
        self.see(name, weight, span);
    }

    fn see(&mut self, name: impl Into<String>, weight: f64, span: Range<usize>) {
        self.seen.push(Signal { name: name.into(), weight, start: span.start, end: span.end });
    }
}

fn read_link(signals: &mut Signals, links: &[Link], link: &Link, allowed: bool) {
    let first = signals.seen.len();
    let trusted = allowed || known_hosts::is_trusted(&link.host);
    let whole = link.start..link.end;
    if !trusted {
        signals.see("link", 0.3, whole.clone());
        read_untrusted(signals, link);
    }
    if link.userinfo {
        signals.see("user_name_before_host", 5.0, whole.clone());
    }
    if let Some(shown) = &link.masked_by
        && links.iter().any(|other| within(other, shown) && !known_hosts::same_site(&other.host, &link.host))
    {
        signals.see("masked_link", 6.0, shown.clone());
    }
    let evidence = signals.seen[first..].iter().fold(0.0, |sum, signal| sum + signal.weight);
    signals.links.push(LinkSignals { start: link.host_start, trusted, evidence });
    if !allowed && known_hosts::is_invite(&link.host, &link.path) {
        signals.raid("invite_link", 0.35, whole);
    }
}

fn read_untrusted(signals: &mut Signals, link: &Link) {
    let host = link.host_start..link.host_end;
    match known_hosts::likeness(&link.host).filter(|_| !known_hosts::may_name_brands(&link.host)) {
        Some(Likeness::Imitates(brand)) => {
            signals.see(format!("look_alike_domain:{brand}"), 6.0, host.clone());
        }
        Some(Likeness::Contains(brand)) => {
            signals.see(format!("brand_in_domain:{brand}"), 3.0, host.clone());
        }
        None => {}
    }
    if !link.host.is_ascii() {
        signals.see("foreign_letters_in_domain", 1.0, host.clone());
    }
    if known_hosts::is_scam_path(&link.path) {
        signals.see("scam_path", 1.5, link.start..link.end);
    }
    if known_hosts::is_shortener(&link.host) {
        signals.see("link_shortener", 0.7, host.clone());
    }
    if link.scheme && link.host.parse::<IpAddr>().is_ok() {
        signals.see("address_without_a_name", 1.0, host);
    }
}

fn within(link: &Link, range: &Range<usize>) -> bool {
    range.start <= link.host_start && link.host_end <= range.end
}

fn read_mentions(signals: &mut Signals, message: &TextMessage) {
    let content = &message.content;
    let mut named: HashSet<&str> = HashSet::new();
    for (at, _) in content.match_indices('@') {
        let fresh = at == 0 || !content.as_bytes()[at - 1].is_ascii_alphanumeric();
        let rest = &content[at + 1..];
        let everyone = ["everyone", "here"].into_iter().find(|word| {
            let next = rest.strip_prefix(word).map(|rest| rest.chars().next());
            next.is_some_and(|next| !next.is_some_and(char::is_alphanumeric))
        });
        match everyone {
            Some(word) if fresh && !signals.seen.iter().any(|signal| signal.name == "mentions_everyone") => {
                signals.raid("mentions_everyone", 0.3, at..at + 1 + word.len());
            }
            _ if fresh => {
                let end = rest.find(|next: char| !(next.is_alphanumeric() || "!&_".contains(next)));
                let end = end.unwrap_or(rest.len());
                named.extend((end > 0).then_some(&rest[..end]));
            }
            _ => {}
        }
    }
    let mentions = (named.len() as u64).max(message.mentions_count);
    signals.mentions = mentions;
    if mentions >= 4 {
        // A third of a point at 4, one at 32, at most one and a half.
        let weight = ((mentions as f64 / 2.0).log2() / 4.0 + 0.08).min(1.5);
        signals.raid("mass_mentions", weight, 0..0);
    }
}

fn read_repetition(signals: &mut Signals, content: &str) {
    let mut longest = 0;
    let mut run = 0;
    let mut last = ' ';
    for char in content.chars().filter(|char| char.is_alphanumeric()) {
        run = if char == last { run + 1 } else { 1 };
        last = char;
        longest = longest.max(run);
    }
    let lines = content.bytes().filter(|byte| *byte == b'\n').count();
    let blank = lines >= 30 && lines * 3 > content.len() / 4;
    let words = WordCounts::of(content);
    let emoji = count_emoji(content);
    let drowned =
        emoji >= FLOOD_EMOJI && emoji >= content.chars().filter(|char| char.is_alphabetic()).count();
    if drowned || words.all >= FLOOD_WORDS && words.different * FLOOD_REPEATS <= words.all {
        signals.raid("flood", FLOOD, 0..content.len());
    } else if longest >= 40 || blank || words.all >= 20 && words.most * 2 > words.all {
        signals.raid("repetition", 0.5, 0..content.len());
    }
}

/// A message of so many words, each of which comes so many times on average, or with so many emoji and no more letters
/// than these, is a flood.
const FLOOD_WORDS: usize = 40;
const FLOOD_REPEATS: usize = 10;
const FLOOD_EMOJI: usize = 50;
/// The points of a flood, which is enough for a warning.
const FLOOD: f64 = 1.1;

fn count_emoji(content: &str) -> usize {
    if content.is_ascii() { 0 } else { glyphs(content).iter().filter(|glyph| glyph.emoji).count() }
}

/// How often words come.
struct WordCounts {
    all: usize,
    different: usize,
    /// The count of the most frequent one.
    most: usize,
}

impl WordCounts {
    fn of(content: &str) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        content.split_whitespace().for_each(|word| *counts.entry(word).or_default() += 1);
        Self {
            all: counts.values().sum(),
            different: counts.len(),
            most: counts.values().copied().max().unwrap_or(0),
        }
    }
}

fn read_author(signals: &mut Signals, message: &TextMessage, links: bool) {
    let newness = match message.account_age_days {
        0 => 0.3,
        1..=2 => 0.2,
        3..=6 => 0.1,
        _ => 0.0,
    };
    signals.new_account = newness > 0.0;
    if newness > 0.0 {
        signals.raid("new_account", newness, 0..0);
        if links && signals.links.iter().any(|link| !link.trusted) {
            signals.raid("new_account_with_link", newness, 0..0);
        }
    }
    if message.has_attachments && newness > 0.0 {
        signals.raid("attachment", 0.1, 0..0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::operations::moderation::TextDraft;

    fn names(draft: TextDraft) -> Vec<String> {
        let message = TextMessage::parse("", draft).unwrap();
        read(&message).seen.into_iter().map(|signal| signal.name).collect()
    }

    fn in_text(content: &str) -> Vec<String> {
        names(TextDraft { content: content.to_owned(), account_age_days: 30, ..Default::default() })
    }

    #[test]
    fn sees_what_links_hide() {
        for (content, name) in [
            ("https://dlscord-gift.com/nitro", "look_alike_domain:discord"),
            ("https://discord-promo.top/x", "brand_in_domain:discord"),
            ("https://discord.com@evil.example.net/login", "user_name_before_host"),
            ("[https://discord.com/gift](https://bad.top/gift)", "masked_link"),
            ("see bit.ly/abc", "link_shortener"),
            ("join discord.gg/abc", "invite_link"),
            ("http://185.12.3.4/x", "address_without_a_name"),
            ("https://any.top/free-nitro", "scam_path"),
            ("http://[2001:db8::1]/x", "address_without_a_name"),
            ("discorcl.lat/x", "look_alike_domain:discord"),
            ("hxxps://discorcl[.]com", "look_alike_domain:discord"),
            ("hi @everyone", "mentions_everyone"),
            ("<@1> <@2> <@3> <@4> <@5> @a @b @c @d", "mass_mentions"),
        ] {
            assert!(in_text(content).iter().any(|seen| seen == name), "{content}: {:?}", in_text(content));
        }
    }

    #[test]
    fn sees_nothing_in_ordinary_talk() {
        for content in [
            "hello",
            "see https://docs.rs/tokio and main.rs",
            "bob@example.com",
            "thanks @bob",
            "https://store.steampowered.com/app/10",
            "[help.steampowered.com](https://store.steampowered.com/about)",
            "no no no no no",
        ] {
            assert_eq!(in_text(content), Vec::<String>::new(), "{content}");
        }
    }

    #[test]
    fn sees_floods() {
        for (content, name) in [
            ("🤣".repeat(60), "flood"),
            ("LOL GET REKT ".repeat(20), "flood"),
            ("spam ".repeat(30), "repetition"),
            ("a".repeat(50), "repetition"),
        ] {
            assert_eq!(in_text(content.trim()), [name], "{content}");
        }
        assert_eq!(in_text(&"😂".repeat(20)), Vec::<String>::new());
    }

    #[test]
    fn sees_new_accounts_and_raids() {
        let draft = TextDraft {
            content: "x".repeat(50),
            mentions_count: 40,
            has_attachments: true,
            ..Default::default()
        };
        assert_eq!(names(draft), ["mass_mentions", "repetition", "new_account", "attachment"]);
    }

    proptest! {
        #[test]
        fn every_position_is_in_the_text_and_between_characters(
            parts in prop::collection::vec(
                prop_oneof![
                    r"@everyone|<@!?[0-9]{0,3}>?|@[a-zé]{0,3}|\PC{0,6}| ",
                    r"(https?://|www[.])?[a-z0-9é.-]{0,9}[.](com|ru|top)(/[a-z?=]{0,4})?",
                ],
                0..20,
            ),
        ) {
            let content = parts.concat();
            prop_assume!(!content.is_empty() && content.len() < 10_000);
            let draft = TextDraft { content: content.clone(), account_age_days: 30, ..Default::default() };
            if let Ok(message) = TextMessage::parse("", draft) {
                for seen in read(&message).seen {
                    prop_assert!(content.get(seen.start..seen.end).is_some(), "{seen:?} of {content}");
                }
            }
        }
    }
}
