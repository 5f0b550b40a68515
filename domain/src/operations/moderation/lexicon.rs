//! What the lexicon's words add to the models' probabilities. Pure; a word never lowers a harm.

use std::collections::HashMap;

use ports::text::{Categories, Category, LexiconHit, LexiconKind};

use super::{
    odds::{logit, sigmoid},
    rules::Applied,
};

/// The share of a sentence's letters from which its entries say what it is: an unknown word by itself has the log-odds
/// of any message, to which evidence adds too little. Of a sentence, so that harmless ones beside it change nothing.
const MOST_OF_IT: f64 = 0.5;
/// The least log-odds of the harms of such entries, by degree from 2 on. Those of swearing are not raised.
const AT_LEAST: [f64; 4] = [1.8, 2.6, 3.0, 3.0];

/// The degree from which a sexual entry is a demand on somebody.
const DEMAND: u8 = 3;

/// The least probability of a review of a message with a call to suicide, a threat or a cry for help.
const LOOKED_AT: f64 = 0.5;

/// Log-odds that an entry of the lexicon adds to a harm. Fitted on dev by `fit_lexicon`, which finds that the models
/// know English swearing and insults already.
struct LexiconWeight {
    kind: LexiconKind,
    /// The least degree of the entry.
    degree: u8,
    english: &'static [(Category, f64)],
    others: &'static [(Category, f64)],
}

/// Of each kind, the higher degrees first.
const WEIGHTS: [LexiconWeight; 10] = [
    LexiconWeight {
        kind: LexiconKind::Crisis,
        degree: 1,
        english: &[(Category::SelfHarm, 2.5)],
        others: &[(Category::SelfHarm, 3.5)],
    },
    LexiconWeight {
        kind: LexiconKind::Threat,
        degree: 1,
        english: &[(Category::Toxic, 1.6), (Category::Harassment, 0.5), (Category::Violence, 2.0)],
        others: &[(Category::Toxic, 3.4), (Category::Harassment, 3.5), (Category::Violence, 4.4)],
    },
    LexiconWeight {
        kind: LexiconKind::Incitement,
        degree: 1,
        english: &[(Category::Toxic, 3.0), (Category::Harassment, 3.5), (Category::SelfHarm, 3.2)],
        others: &[(Category::Toxic, 2.0), (Category::Harassment, 2.6), (Category::SelfHarm, 3.6)],
    },
    LexiconWeight {
        kind: LexiconKind::Slur,
        degree: 1,
        english: &[(Category::Toxic, 1.5), (Category::Hate, 1.1)],
        others: &[(Category::Toxic, 2.1), (Category::Harassment, 2.0), (Category::Hate, 3.0)],
    },
    LexiconWeight {
        kind: LexiconKind::Insult,
        degree: 3,
        english: &[(Category::Toxic, 0.5), (Category::Harassment, 0.5)],
        others: &[(Category::Toxic, 3.2), (Category::Harassment, 3.6)],
    },
    LexiconWeight {
        kind: LexiconKind::Insult,
        degree: 1,
        english: &[(Category::Toxic, 0.2), (Category::Harassment, 0.2)],
        others: &[(Category::Toxic, 1.6), (Category::Harassment, 1.9)],
    },
    LexiconWeight {
        kind: LexiconKind::Sexual,
        degree: DEMAND,
        english: &[(Category::Sexual, 2.5), (Category::Harassment, 2.5)],
        others: &[(Category::Toxic, 0.6), (Category::Sexual, 2.1), (Category::Harassment, 2.5)],
    },
    LexiconWeight {
        kind: LexiconKind::Sexual,
        degree: 2,
        english: &[(Category::Sexual, 2.5)],
        others: &[(Category::Toxic, 0.6), (Category::Sexual, 2.1)],
    },
    LexiconWeight {
        kind: LexiconKind::Sexual,
        degree: 1,
        english: &[(Category::Sexual, 1.5)],
        others: &[(Category::Sexual, 1.5)],
    },
    LexiconWeight {
        kind: LexiconKind::Profanity,
        degree: 1,
        english: &[(Category::Toxic, 0.3)],
        others: &[(Category::Toxic, 1.0)],
    },
];

impl LexiconWeight {
    fn of(hit: &LexiconHit) -> &'static [(Category, f64)] {
        let weight = WEIGHTS.iter().find(|weight| weight.kind == hit.kind && weight.degree <= hit.degree);
        weight.map_or(&[], |weight| if hit.language == "en" { weight.english } else { weight.others })
    }
}

/// What the lexicon says of a message: of each harm the strongest entry counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LexiconEvidence {
    /// Log-odds by category.
    adds: [f64; Category::ALL.len()],
    /// The least log-odds by category.
    at_least: [f64; Category::ALL.len()],
    /// Whether an entry is a severe insult or a slur.
    pub(super) severe: bool,
    /// Whether an entry urges to suicide, threatens or cries for help, so that a moderator should look whatever the
    /// models say.
    grave: bool,
}

impl LexiconEvidence {
    /// Reads the entries that a policy does not switch off.
    pub(super) fn of(hits: &[LexiconHit], policy: Option<&Applied>) -> Self {
        let mut evidence = Self {
            adds: [0.0; Category::ALL.len()],
            at_least: [f64::NEG_INFINITY; Category::ALL.len()],
            severe: false,
            grave: false,
        };
        let hits = hits.iter().filter(|hit| policy.is_none_or(|policy| policy.uses_lexicon(hit.language)));
        let shares = shares(hits.clone().filter(|hit| says_what_it_is(hit)));
        for hit in hits {
            let most = shares.get(&hit.sentence).is_some_and(|share| *share >= MOST_OF_IT);
            let least = (most && says_what_it_is(hit))
                .then(|| AT_LEAST.get(usize::from(hit.degree).wrapping_sub(2)).copied());
            for &(category, log_odds) in LexiconWeight::of(hit) {
                let adds = &mut evidence.adds[category as usize];
                *adds = adds.max(log_odds);
                let at_least = &mut evidence.at_least[category as usize];
                *at_least = at_least.max(least.flatten().unwrap_or(f64::NEG_INFINITY));
            }
            evidence.grave |=
                matches!(hit.kind, LexiconKind::Incitement | LexiconKind::Threat | LexiconKind::Crisis);
            evidence.severe |= hit.degree >= 3 && matches!(hit.kind, LexiconKind::Insult | LexiconKind::Slur);
        }
        evidence
    }

    /// The least probability that a moderator should look.
    pub(super) fn review(&self) -> f64 {
        if self.grave { LOOKED_AT } else { 0.0 }
    }

    /// The probabilities with what the lexicon adds.
    pub(super) fn added_to(&self, categories: Categories) -> Categories {
        Categories(std::array::from_fn(|at| match self.adds[at] {
            0.0 => categories.0[at],
            adds => sigmoid((logit(categories.0[at]) + adds).max(self.at_least[at])),
        }))
    }
}

/// Whether an entry says what a sentence is that consists of it: a sexual word says it of nobody.
fn says_what_it_is(hit: &LexiconHit) -> bool {
    hit.kind != LexiconKind::Sexual || hit.degree >= DEMAND
}

/// The share of each sentence's letters that entries have.
fn shares<'a>(hits: impl Iterator<Item = &'a LexiconHit>) -> HashMap<usize, f64> {
    let mut hits: Vec<&LexiconHit> = hits.collect();
    // If entries overlap, only the longest counts.
    hits.sort_by(|a, b| a.start.cmp(&b.start).then(b.share.total_cmp(&a.share)));
    let mut end = 0;
    let mut shares = HashMap::new();
    for hit in hits {
        if hit.start >= end {
            *shares.entry(hit.sentence).or_default() += hit.share;
            end = hit.end;
        }
    }
    shares
}

/// The name of an entry's signal, such as `lexicon:insult`.
pub(super) fn signal_name(hit: &LexiconHit) -> String {
    let kind: &'static str = hit.kind.into();
    format!("lexicon:{kind}:{}", hit.language)
}

/// The most log-odds that an entry adds to a harm.
pub(super) fn signal_weight(hit: &LexiconHit) -> f64 {
    LexiconEvidence::of(std::slice::from_ref(hit), None).adds.into_iter().fold(0.0, f64::max)
}
