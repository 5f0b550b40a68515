//! What the last minutes of a channel say against a message: threat points, as other signals of raids. Pure; more
//! messages never lower it.

use std::collections::HashSet;

use super::{memory::WINDOW, record::Record};
use crate::operations::moderation::{Signal, Signals};

/// Evidence begins at so many, grows by a step for each more, and ends at a limit.
struct Rise {
    from: usize,
    first: f64,
    step: f64,
    limit: f64,
}

impl Rise {
    fn weight(&self, count: usize) -> Option<f64> {
        let more = count.checked_sub(self.from)?;
        Some((self.first + self.step * more as f64).min(self.limit))
    }
}

/// The same or nearly the same message, again and again by one author.
const REPEATED: Rise = Rise { from: 3, first: 0.4, step: 0.2, limit: 1.6 };
/// By several authors, this one among them. Many people may congratulate somebody: alone it is no reason to act.
const COPIED: Rise = Rise { from: 4, first: 0.3, step: 0.1, limit: 0.9 };
/// New accounts that write, this one among them.
const BURST: Rise = Rise { from: 5, first: 0.3, step: 0.1, limit: 1.0 };
/// Mentions of an author, in several messages.
const MENTIONS: Rise = Rise { from: 10, first: 0.3, step: 0.02, limit: 1.2 };
/// Authors of the same link.
const LINK: Rise = Rise { from: 3, first: 0.5, step: 0.15, limit: 1.4 };
/// The most that counts against somebody of whom too little is known: without an author, or by an old account.
const UNKNOWN_LIMIT: f64 = 0.9;

/// Adds what the records before a message say to its signals.
pub(in crate::operations::moderation) fn raise(signals: &mut Signals, own: &Record, before: &[Record]) {
    for (name, weight) in evidence(own, before) {
        signals.raid += weight;
        signals.seen.push(Signal { name: name.to_owned(), weight, start: 0, end: 0 });
    }
}

fn evidence(own: &Record, before: &[Record]) -> Vec<(&'static str, f64)> {
    let window = WINDOW.as_millis() as u64;
    // A request that was sent again is one message.
    let mut ids = HashSet::from([own.id]);
    let before: Vec<&Record> = before
        .iter()
        .filter(|record| record.at_ms.abs_diff(own.at_ms) < window && ids.insert(record.id))
        .collect();
    let authors = |of: &dyn Fn(&Record) -> bool| {
        let others = before.iter().filter(|record| of(record)).map(|record| record.who());
        others.chain([own.who()]).collect::<HashSet<_>>().len()
    };
    let mut seen = Vec::new();
    let mut see = |name, weight: Option<f64>| seen.extend(weight.map(|weight| (name, weight)));

    let mine = |record: &&&Record| record.author == own.author;
    let repeated = 1 + before.iter().filter(mine).filter(|record| record.resembles(own)).count();
    let known = |weight: f64| if own.author == 0 { weight.min(UNKNOWN_LIMIT) } else { weight };
    see("repeated_message", REPEATED.weight(repeated).map(known));
    let copied = !own.short && own.author != 0;
    let copied = copied.then(|| COPIED.weight(authors(&|record| record.resembles(own)))).flatten();
    see("copied_message", copied);
    if own.new {
        see("new_account_burst", BURST.weight(authors(&|record| record.new)));
    }
    let mentioning = before.iter().filter(mine).filter(|record| record.mentions > 0);
    let (times, mentions) =
        mentioning.fold((0, 0), |(times, all), record| (times + 1, all + usize::from(record.mentions)));
    if own.mentions > 0 && times > 0 {
        see("mentions_over_time", MENTIONS.weight(mentions + usize::from(own.mentions)).map(known));
    }
    let shared = own.links.iter().filter(|link| **link != 0).filter_map(|link| {
        let weight = LINK.weight(authors(&|record| record.links.contains(link)))?;
        // Who copies a message copies its link: the two together are one reason.
        let limit = UNKNOWN_LIMIT - copied.unwrap_or(0.0);
        Some(if own.new && own.author != 0 { weight } else { weight.min(limit) })
            .filter(|weight| *weight > 0.0)
    });
    see("link_from_many_authors", shared.max_by(f64::total_cmp));
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::record::tests::record, *};

    fn names(own: &Record, before: &[Record]) -> Vec<&'static str> {
        evidence(own, before).into_iter().map(|(name, _)| name).collect()
    }

    const SPAM: &str = "come and get your free stuff on our server right now";

    #[test]
    fn one_author_repeats_and_several_copy() {
        let before: Vec<Record> = (1..=2).map(|id| record(id, "a", SPAM)).collect();
        let own = record(3, "a", "come and get your FREE stuff on our server right now!");
        assert_eq!(names(&own, &before), ["repeated_message"]);
        assert!(names(&own, &before[..1]).is_empty());
        assert!(names(&record(2, "a", SPAM), &before).is_empty(), "a request that is sent again counts once");
        let before: Vec<Record> = (1..=3).map(|id| record(id, &format!("author {id}"), SPAM)).collect();
        assert_eq!(names(&record(4, "a", SPAM), &before), ["copied_message"]);
        let short: Vec<Record> = (1..=9).map(|id| record(id, &format!("author {id}"), "gg")).collect();
        assert!(names(&record(10, "a", "gg"), &short).is_empty(), "everybody says gg");
        let late = Record { at_ms: own.at_ms + 300_000, ..own };
        assert!(names(&late, &before).is_empty(), "what is over is forgotten");
    }

    #[test]
    fn links_mentions_and_new_accounts_add_up() {
        let link =
            |id: u64| record(id, &format!("author {id}"), &format!("hi number {id}, evil-gifts.top/x"));
        assert_eq!(names(&link(3), &[link(1), link(2)]), ["link_from_many_authors"]);
        let trusted =
            |id: u64| record(id, &format!("author {id}"), &format!("word{id} https://discord.com/x"));
        assert!(names(&trusted(3), &[trusted(1), trusted(2)]).is_empty());
        let talk =
            ["lunch is ready at noon", "who took my keys", "the train was late", "a nice picture of a dog"];
        let mention = |id: u64| record(id, "a", &format!("@x @y @z {}", talk[id as usize - 1]));
        assert_eq!(names(&mention(4), &[mention(1), mention(2), mention(3)]), ["mentions_over_time"]);
        let new = |id: u64| Record {
            new: true,
            ..record(id, &format!("author {id}"), &format!("{id} words {id}"))
        };
        let before: Vec<Record> = (1..=4).map(new).collect();
        assert_eq!(names(&new(5), &before), ["new_account_burst"]);
        assert!(
            names(&Record { new: false, ..new(5) }, &before).is_empty(),
            "an old account is no part of it"
        );
    }

    #[test]
    fn established_accounts_that_share_a_message_and_its_link_are_not_acted_upon() {
        let text = "happy birthday, here is the cake: evil-gifts.top/x";
        let share = |id: u64, new: bool| Record { new, ..record(id, &format!("author {id}"), text) };
        let before: Vec<Record> = (1..=40).map(|id| share(id, false)).collect();
        let sum = |own: &Record| evidence(own, &before).iter().map(|(_, weight)| weight).sum::<f64>();
        assert!(sum(&share(41, false)) <= UNKNOWN_LIMIT);
        assert!(sum(&share(41, true)) > 1.0);
        assert!(sum(&Record { author: 0, ..share(41, true) }) <= UNKNOWN_LIMIT);
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
            let sum = |before: &[Record]| evidence(&own, before).iter().map(|(_, weight)| weight).sum::<f64>();
            for count in 1..all.len() {
                prop_assert!(sum(&all[1..count + 1]) >= sum(&all[1..count]));
            }
        }
    }
}
