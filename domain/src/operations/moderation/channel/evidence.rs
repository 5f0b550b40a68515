//! What the last minutes of a channel say against a message: threat points, like other signals of raids. Pure; more
//! messages never lower them.

use std::collections::HashSet;

use super::{memory::WINDOW, record::Record};
use crate::operations::moderation::{Signal, Signals};

/// Evidence that grows with a count, up to a limit.
struct Rise {
    /// The count at which evidence begins.
    from: usize,
    /// The weight there.
    first: f64,
    /// The weight that each more adds.
    step: f64,
    limit: f64,
}

impl Rise {
    fn weight(&self, count: usize) -> Option<f64> {
        let more = count.checked_sub(self.from)?;
        Some((self.first + self.step * more as f64).min(self.limit))
    }
}

/// The same message, or nearly the same, from one author.
const REPEATED: Rise = Rise { from: 3, first: 0.4, step: 0.2, limit: 1.6 };
/// The same message from several authors, this one included. Many people may congratulate somebody: alone it is no
/// reason to act.
const COPIED: Rise = Rise { from: 4, first: 0.3, step: 0.1, limit: 0.9 };
/// New accounts that write, this one included.
const BURST: Rise = Rise { from: 5, first: 0.3, step: 0.1, limit: 1.0 };
/// Mentions by one author, in several messages.
const MENTIONS: Rise = Rise { from: 10, first: 0.3, step: 0.02, limit: 1.2 };
/// Authors of the same link.
const LINK: Rise = Rise { from: 3, first: 0.5, step: 0.15, limit: 1.4 };
/// The most that counts against a message without an author, or a link from an established account.
const UNKNOWN_LIMIT: f64 = 0.9;

/// Adds what the records before a message say to its signals.
pub(in crate::operations::moderation) fn raise(signals: &mut Signals, own: &Record, before: &[Record]) {
    for (name, weight) in evidence(own, before) {
        signals.raid += weight;
        signals.seen.push(Signal { name: name.to_owned(), weight, start: 0, end: 0 });
    }
}

fn evidence(own: &Record, before: &[Record]) -> Vec<(&'static str, f64)> {
    let history = History::new(own, before);
    let copied = history.copied();
    let weights = [
        ("repeated_message", history.repeated()),
        ("copied_message", copied),
        ("new_account_burst", history.burst()),
        ("mentions_over_time", history.mentions()),
        ("link_from_many_authors", history.link(copied.unwrap_or(0.0))),
    ];
    weights.into_iter().filter_map(|(name, weight)| Some((name, weight?))).collect()
}

/// A message and what was said in its channel within [`WINDOW`] of it.
struct History<'a> {
    own: &'a Record,
    before: Vec<&'a Record>,
}

impl<'a> History<'a> {
    fn new(own: &'a Record, before: &'a [Record]) -> Self {
        let window = WINDOW.as_millis() as u64;
        // A request that was sent again is one message.
        let mut ids = HashSet::from([own.id]);
        let before = before
            .iter()
            .filter(|record| record.at_ms.abs_diff(own.at_ms) < window && ids.insert(record.id))
            .collect();
        Self { own, before }
    }

    /// The author's earlier messages.
    fn of_author(&self) -> impl Iterator<Item = &Record> {
        self.before.iter().copied().filter(|record| record.author == self.own.author)
    }

    /// How many authors have written such messages, this one included.
    fn authors(&self, such: impl Fn(&Record) -> bool) -> usize {
        let others = self.before.iter().filter(|record| such(record)).map(|record| record.who());
        others.chain([self.own.who()]).collect::<HashSet<_>>().len()
    }

    fn repeated(&self) -> Option<f64> {
        let times = 1 + self.of_author().filter(|record| record.resembles(self.own)).count();
        Some(self.limited(REPEATED.weight(times)?))
    }

    fn copied(&self) -> Option<f64> {
        if self.own.short || self.own.author == 0 {
            return None;
        }
        COPIED.weight(self.authors(|record| record.resembles(self.own)))
    }

    fn burst(&self) -> Option<f64> {
        if self.own.new { BURST.weight(self.authors(|record| record.new)) } else { None }
    }

    fn mentions(&self) -> Option<f64> {
        let earlier: Vec<usize> =
            self.of_author().map(|record| usize::from(record.mentions)).filter(|count| *count > 0).collect();
        if self.own.mentions == 0 || earlier.is_empty() {
            return None;
        }
        let all = earlier.iter().sum::<usize>() + usize::from(self.own.mentions);
        Some(self.limited(MENTIONS.weight(all)?))
    }

    /// The weight of the link that most authors share.
    fn link(&self, copied: f64) -> Option<f64> {
        let links = self.own.links.iter().filter(|link| **link != 0);
        let weights = links.filter_map(|link| {
            let weight = LINK.weight(self.authors(|record| record.links.contains(link)))?;
            if self.own.new && self.own.author != 0 {
                return Some(weight);
            }
            // Who copies a message copies its link: the two together are one reason.
            Some(weight.min(UNKNOWN_LIMIT - copied))
        });
        weights.filter(|weight| *weight > 0.0).max_by(f64::total_cmp)
    }

    /// A weight as it counts against this author.
    fn limited(&self, weight: f64) -> f64 {
        if self.own.author == 0 { weight.min(UNKNOWN_LIMIT) } else { weight }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::record::tests::record, *};

    fn names(own: &Record, before: &[Record]) -> Vec<&'static str> {
        evidence(own, before).into_iter().map(|(name, _)| name).collect()
    }

    fn sum(own: &Record, before: &[Record]) -> f64 {
        evidence(own, before).iter().map(|(_, weight)| weight).sum()
    }

    /// A message whose author wrote no other.
    fn by_another(id: u64, content: &str) -> Record {
        record(id, &format!("author {id}"), content)
    }

    const SPAM: &str = "come and get your free stuff on our server right now";

    #[test]
    fn one_author_repeats_and_several_copy() {
        let before: Vec<Record> = (1..=2).map(|id| record(id, "a", SPAM)).collect();
        let own = record(3, "a", "come and get your FREE stuff on our server right now!");
        assert_eq!(names(&own, &before), ["repeated_message"]);
        assert!(names(&own, &before[..1]).is_empty());
        assert!(names(&record(2, "a", SPAM), &before).is_empty(), "a request that is sent again counts once");
        let before: Vec<Record> = (1..=3).map(|id| by_another(id, SPAM)).collect();
        assert_eq!(names(&record(4, "a", SPAM), &before), ["copied_message"]);
        let short: Vec<Record> = (1..=9).map(|id| by_another(id, "gg")).collect();
        assert!(names(&record(10, "a", "gg"), &short).is_empty(), "everybody says gg");
        let late = Record { at_ms: own.at_ms + 300_000, ..own };
        assert!(names(&late, &before).is_empty(), "what is over is forgotten");
    }

    #[test]
    fn links_mentions_and_new_accounts_add_up() {
        let link = [1, 2, 3].map(|id| by_another(id, &format!("hi number {id}, evil-gifts.top/x")));
        assert_eq!(names(&link[2], &link[..2]), ["link_from_many_authors"]);
        let trusted = [1, 2, 3].map(|id| by_another(id, &format!("word{id} https://discord.com/x")));
        assert!(names(&trusted[2], &trusted[..2]).is_empty());
        let talk = [
            (1, "lunch is ready at noon"),
            (2, "who took my keys"),
            (3, "the train was late"),
            (4, "a nice picture of a dog"),
        ];
        let mentions = talk.map(|(id, text)| record(id, "a", &format!("@x @y @z {text}")));
        assert_eq!(names(&mentions[3], &mentions[..3]), ["mentions_over_time"]);
        let new =
            [1, 2, 3, 4, 5].map(|id| Record { new: true, ..by_another(id, &format!("{id} words {id}")) });
        assert_eq!(names(&new[4], &new[..4]), ["new_account_burst"]);
        let old = Record { new: false, ..new[4] };
        assert!(names(&old, &new[..4]).is_empty(), "an old account is no part of it");
    }

    #[test]
    fn established_accounts_that_share_a_message_and_its_link_are_not_acted_upon() {
        let cake = "happy birthday, here is the cake: evil-gifts.top/x";
        let before: Vec<Record> = (1..=40).map(|id| by_another(id, cake)).collect();
        let established = by_another(41, cake);
        let new = Record { new: true, ..established };
        assert!(sum(&established, &before) <= UNKNOWN_LIMIT);
        assert!(sum(&new, &before) > 1.0);
        assert!(sum(&Record { author: 0, ..new }, &before) <= UNKNOWN_LIMIT);
    }

    proptest! {
        #[test]
        fn more_messages_never_lower_the_evidence(
            picks in prop::collection::vec((0..4u64, 0..3usize, any::<bool>()), 1..60),
        ) {
            let texts = [SPAM, "see evil-gifts.top/x @a @b", "something else that is said here"];
            let all: Vec<Record> = picks.iter().enumerate().map(|(id, (author, text, new))| Record {
                new: *new,
                ..record(id as u64 + 1, &format!("author {author}"), texts[*text])
            }).collect();
            let own = all[0];
            for count in 1..all.len() {
                prop_assert!(sum(&own, &all[1..count + 1]) >= sum(&own, &all[1..count]));
            }
        }
    }
}
