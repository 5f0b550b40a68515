//! Turns scores, signals and an account's own rules into a verdict. Pure; more evidence never lowers a score.

use std::collections::{HashMap, HashSet};

use super::{
    Action, ActionProbabilities, Explanation, Severity, Signal, Signals, Verdict,
    conversation::Conversation,
    lexicon::{LexiconEvidence, signal_name, signal_weight},
    odds::{logit, sigmoid},
    rules::Applied,
};
use ports::text::{Categories, Category, TextExplanation, TextScores};

/// Every constant of the policy.
mod fitted {
    use super::Category;

    /// Threat points of each harm at probability 1. Chosen on dev and on contrast rows held out from training, so
    /// that toxic words alone stay under 1, an insult gets a warning or a timeout, and about 0.3 % of dev's benign
    /// chat is acted upon. Self-harm stays under 1 on purpose: it needs a moderator's attention, not a punishment.
    /// An approach to a child weighs most.
    pub(super) const SEVERITY: [(Category, f64); 10] = [
        (Category::Toxic, 0.3),
        (Category::Harassment, 1.3),
        (Category::Hate, 2.8),
        (Category::Sexual, 1.5),
        (Category::Violence, 3.2),
        (Category::SelfHarm, 0.9),
        (Category::Spam, 1.3),
        (Category::SexualMinors, 3.4),
        (Category::Illicit, 1.6),
        (Category::Extremism, 2.8),
    ];
    /// The harms that a message may have which is about its author alone, the threat points that these have together
    /// at most, and the probability of another harm from which that does not hold: despair is not punished.
    pub(super) const OF_AUTHOR: [Category; 2] = [Category::Toxic, Category::SelfHarm];
    pub(super) const MOST_OF_AUTHOR: f64 = 0.95;
    pub(super) const ACCUSED: f64 = 0.5;
    /// Threat points of severe abuse, beside those of its harms: a slur or degrading abuse leads to a timeout.
    pub(super) const SEVERE_ABUSE: f64 = 1.0;
    /// Threat points of urging somebody to suicide, likewise.
    pub(super) const INCITEMENT: f64 = 0.7;
    /// Threat points of a certain scam, and of its links.
    pub(super) const SCAM: f64 = 1.6;
    pub(super) const SCAM_WITH_LINK: f64 = 1.4;
    /// The log-odds of a scam are the sum of three: those of the text, but not below a floor, since harmless text
    /// makes a link no safer; those of the worst link, with a weight; and an offset. `fit_policy` gives .61 and -1.12
    /// for the last two, on rows where honest people quote many scam links; they are set higher, for a bare
    /// look-alike link.
    pub(super) const WORDS_FLOOR: f64 = -5.0;
    pub(super) const SCAM_LINK: f64 = 0.72;
    pub(super) const SCAM_OFFSET: f64 = -0.5;
    /// Log-odds that a host's letters may add, at most.
    pub(super) const HOST_LIMIT: f64 = 5.0;
    /// Log-odds that a link may add, at most.
    pub(super) const LINK_LIMIT: f64 = 12.0;
    /// Threat points at which `warn`, `timeout` and `ban` begin, and the slope there.
    pub(super) const STEPS: [f64; 3] = [1.0, 2.0, 3.0];
    pub(super) const SHARPNESS: f64 = 4.0;
    /// Review: log-odds without evidence, and the log-odds that each harm adds at probability 1. A probability of .3
    /// of an approach to a child is enough for a review.
    pub(super) const REVIEW_OFFSET: f64 = -3.6;
    pub(super) const REVIEW: [f64; 11] = [1.5, 5.2, 8.0, 4.5, 5.0, 6.6, 5.6, 2.3, 12.0, 5.6, 8.0];
    /// Log-odds of review per raid point.
    pub(super) const REVIEW_RAID: f64 = 2.0;
}

/// Decides on one message.
pub fn decide(signals: &Signals, scores: &TextScores) -> Verdict {
    decide_by(signals, scores, None)
}

/// Decides on one message by a policy. A policy changes the threat and the need for a review, and which of the
/// lexicon's languages count; the probabilities of a scam stay those of the model.
pub(super) fn decide_by(signals: &Signals, scores: &TextScores, policy: Option<&Applied>) -> Verdict {
    let lexicon = LexiconEvidence::of(&scores.lexicon, policy);
    let own = lexicon.added_to(scores.categories);
    let conversation = Conversation::of(&own, lexicon.severe, &signals.turns);
    let harms = conversation.added_to(own);
    let link = link_evidence(signals, scores);
    let scam = scam(&harms, link);
    let categories = Categories(Category::ALL.map(|category| match category {
        Category::Scam => scam,
        _ => harms[category],
    }));
    let severity = Severity::of(&categories, lexicon.severe);
    let mut threat_score = threat(signals, &categories, link, &severity, policy);
    let mut requires_mod_review =
        review(signals, &categories, policy).max(conversation.review()).max(lexicon.review());
    if let Some(policy) = policy {
        (threat_score, requires_mod_review) =
            policy.raise(threat_score, requires_mod_review, &fitted::STEPS, |category| categories[category]);
    }
    let action_probabilities = actions(threat_score);
    Verdict {
        action: argmax(&action_probabilities),
        threat_score,
        is_phishing_or_scam: scam,
        requires_mod_review,
        action_probabilities,
        categories,
        explanation: scores.explanation.as_ref().map(|why| Explanation {
            categories: harms,
            severity,
            signals: explain(signals, scores, why, &conversation),
            personal_data: signals.personal_data.clone(),
            normalized_text: why.normalized_text.clone(),
            language: why.language.to_owned(),
            support: conversation.needs_support(),
            turns: conversation.turns().to_vec(),
            second_opinion: None,
            rules: policy.map(|policy| policy.answers.clone()).unwrap_or_default(),
        }),
        model: scores.model.clone(),
        policy: policy.map(|policy| policy.reference.clone()),
    }
}

/// The probability of a scam, from the text's and the worst link's log-odds.
fn scam(harms: &Categories, link: f64) -> f64 {
    let words = logit(harms[Category::Scam]).max(fitted::WORDS_FLOOR);
    sigmoid(words + fitted::SCAM_LINK * link + fitted::SCAM_OFFSET)
}

/// The evidence of the worst link for a scam: log-odds, at least 0, from its form and from its host's letters. The
/// letters of a trusted host do not count.
pub fn link_evidence(signals: &Signals, scores: &TextScores) -> f64 {
    // A message may hold thousands of links.
    let hosts: HashMap<usize, f64> =
        scores.domains.iter().map(|domain| (domain.start, domain.scam)).collect();
    let evidence = signals.links.iter().map(|link| {
        let host = hosts.get(&link.start).filter(|_| !link.trusted);
        link.evidence + host.map_or(0.0, |scam| logit(*scam).clamp(0.0, fitted::HOST_LIMIT))
    });
    evidence.fold(0.0, f64::max).min(fitted::LINK_LIMIT)
}

/// The severity-weighted sum of all evidence.
fn threat(
    signals: &Signals,
    categories: &Categories,
    link: f64,
    severity: &Severity,
    policy: Option<&Applied>,
) -> f64 {
    let mut of_author = 0.0;
    let mut of_others = 0.0;
    let mut most = fitted::MOST_OF_AUTHOR;
    for (category, weight) in fitted::SEVERITY {
        let points = weight * threat_weight(policy, category) * severity_share(categories[category]);
        if fitted::OF_AUTHOR.contains(&category) {
            of_author += points;
            continue;
        }
        of_others += points;
        if categories[category] >= fitted::ACCUSED {
            most = f64::INFINITY;
        }
    }
    let harms = of_author.min(most) + of_others;
    let linked = 1.0 - (-link / 2.0).exp();
    let scam = threat_weight(policy, Category::Scam) * severity_share(categories[Category::Scam]);
    // Hatred has its own points.
    let severe = threat_weight(policy, Category::Harassment)
        * (severity_share(severity.severe_abuse) - severity_share(categories[Category::Hate])).max(0.0);
    harms
        + scam * (fitted::SCAM + fitted::SCAM_WITH_LINK * linked)
        + severe * fitted::SEVERE_ABUSE
        + threat_weight(policy, Category::SelfHarm) * severity_share(severity.incitement) * fitted::INCITEMENT
        + signals.raid
}

fn threat_weight(policy: Option<&Applied>, category: Category) -> f64 {
    policy.map_or(1.0, |policy| policy.threat_weight(category))
}

/// The calibrated union of the harms, and of raids.
fn review(signals: &Signals, categories: &Categories, policy: Option<&Applied>) -> f64 {
    let harms =
        Category::ALL.into_iter().map(|category| review_weight(policy, category) * categories[category]);
    let sum: f64 = harms.zip(fitted::REVIEW).map(|(harm, weight)| weight * harm).sum();
    sigmoid(fitted::REVIEW_OFFSET + sum + fitted::REVIEW_RAID * signals.raid)
}

/// No policy keeps an approach to a child from review.
fn review_weight(policy: Option<&Applied>, category: Category) -> f64 {
    let weight = policy.map_or(1.0, |policy| policy.review_weight(category));
    if category == Category::SexualMinors { weight.max(1.0) } else { weight }
}

/// An ordinal softmax (adjacent-category logit): the log-odds of each step against the one below are the threat's
/// distance past the beginning of that step, so that the most probable action changes exactly there.
fn actions(threat: f64) -> ActionProbabilities {
    let mut logits = [0.0; 4];
    for (step, begins) in fitted::STEPS.iter().enumerate() {
        logits[step + 1] = logits[step] + fitted::SHARPNESS * (threat - begins);
    }
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.map(|logit| (logit - most).exp());
    let total: f64 = weights.iter().sum();
    let [none, warn, timeout, ban] = weights.map(|weight| weight / total);
    ActionProbabilities { ban, timeout, warn, none }
}

/// Argmax over the actions; of equals, the milder.
fn argmax(probabilities: &ActionProbabilities) -> Action {
    let ladder = [
        (Action::Warn, probabilities.warn),
        (Action::Timeout, probabilities.timeout),
        (Action::Ban, probabilities.ban),
    ];
    ladder
        .into_iter()
        .fold((Action::None, probabilities.none), |best, next| if next.1 > best.1 { next } else { best })
        .0
}

/// The signals that counted, heaviest first.
fn explain(
    signals: &Signals,
    scores: &TextScores,
    why: &TextExplanation,
    conversation: &Conversation,
) -> Vec<Signal> {
    let words = why.evidence.iter().map(|piece| Signal {
        name: piece.name.clone(),
        weight: piece.weight,
        start: piece.start,
        end: piece.end,
    });
    let trusted: HashSet<usize> =
        signals.links.iter().filter(|link| link.trusted).map(|link| link.start).collect();
    let hosts = scores.domains.iter().filter(|domain| domain.scam > 0.5 && !trusted.contains(&domain.start));
    let hosts = hosts.map(|domain| Signal {
        name: format!("domain_letters:{}", domain.host),
        weight: logit(domain.scam).min(fitted::HOST_LIMIT),
        start: domain.start,
        end: domain.end,
    });
    let known = scores.lexicon.iter().map(|hit| Signal {
        name: signal_name(hit),
        weight: signal_weight(hit),
        start: hit.start,
        end: hit.end,
    });
    let mut all: Vec<Signal> = signals
        .seen
        .iter()
        .cloned()
        .chain(conversation.signals())
        .chain(words)
        .chain(known)
        .chain(hosts)
        .collect();
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    all
}

/// The share of a harm's severity that its probability contributes: its square, so that many small probabilities do
/// not add up.
fn severity_share(probability: f64) -> f64 {
    probability.clamp(0.0, 1.0).powi(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::LinkSignals;
    use super::*;
    use ports::text::Categories;
    use ports::text::DomainScore;

    const HARMS: usize = Category::ALL.len();

    /// Decides on the probabilities of harms, a link's own evidence with its host's probability, and raid points.
    fn verdict(harms: [f64; HARMS], link: Option<(f64, f64)>, raid: f64) -> Verdict {
        let links = link.map(|(evidence, _)| LinkSignals { start: 0, trusted: false, evidence });
        let signals = Signals { raid, links: links.into_iter().collect(), ..Default::default() };
        let domains =
            link.map(|(_, scam)| DomainScore { host: "h.example".to_owned(), scam, start: 0, end: 9 });
        let scores = TextScores {
            model: "test".to_owned(),
            categories: Categories(harms),
            lexicon: Vec::new(),
            domains: domains.into_iter().collect(),
            explanation: None,
        };
        decide(&signals, &scores)
    }

    fn beginning_with(first: [f64; 8]) -> [f64; HARMS] {
        let mut harms = [0.001; HARMS];
        harms[..8].copy_from_slice(&first);
        harms
    }

    fn only(category: Category, probability: f64) -> [f64; HARMS] {
        let mut harms = [0.001; HARMS];
        harms[category as usize] = probability;
        harms
    }

    #[test]
    fn each_harm_has_its_answer() {
        use Action::{Ban, None, Timeout, Warn};
        let insult = beginning_with([0.95, 0.95, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]);
        let hate = beginning_with([0.97, 0.8, 0.9, 0.01, 0.05, 0.01, 0.01, 0.01]);
        let threat = beginning_with([0.5, 0.4, 0.02, 0.01, 0.93, 0.02, 0.01, 0.01]);
        let lure = beginning_with([0.05, 0.01, 0.01, 0.01, 0.01, 0.01, 0.97, 0.99]);
        for (what, harms, link, raid, expected) in [
            ("nothing", [0.001; HARMS], Option::None, 0.0, None),
            ("swearing", only(Category::Toxic, 0.3), Option::None, 0.0, None),
            ("an insult", insult, Option::None, 0.0, Warn),
            ("an insult in a raid", insult, Option::None, 1.0, Timeout),
            ("hate", hate, Option::None, 0.0, Ban),
            ("a threat", threat, Option::None, 0.0, Ban),
            ("a lure without a link", lure, Option::None, 0.0, Timeout),
            ("a lure with a bad link", lure, Some((5.3, 0.97)), 0.0, Ban),
            ("a lure with a plain link", lure, Some((0.3, 0.6)), 0.0, Ban),
            ("a look-alike link alone", [0.001; HARMS], Some((6.8, 0.99)), 0.0, Timeout),
            ("an unknown host alone", [0.001; HARMS], Some((0.3, 0.9)), 0.0, None),
            ("thoughts of suicide", only(Category::SelfHarm, 1.0), Option::None, 0.0, None),
            ("a raid of mentions by a new account", [0.001; HARMS], Option::None, 1.6, Warn),
            ("an approach to a child", only(Category::SexualMinors, 0.96), Option::None, 0.0, Ban),
            (
                "what may be an approach to a child",
                only(Category::SexualMinors, 0.3),
                Option::None,
                0.0,
                None,
            ),
            ("a trade in drugs", only(Category::Illicit, 0.9), Option::None, 0.0, Warn),
            ("recruiting for terror", only(Category::Extremism, 0.95), Option::None, 0.0, Timeout),
        ] {
            let verdict = verdict(harms, link, raid);
            assert_eq!(verdict.action, expected, "{what}: {verdict:?}");
        }
        for (harm, probability, least) in [
            (Category::SelfHarm, 0.9, 0.8),
            (Category::SexualMinors, 0.3, 0.5),
            (Category::SexualMinors, 0.9, 0.99),
        ] {
            assert!(
                verdict(only(harm, probability), Option::None, 0.0).requires_mod_review >= least,
                "{harm:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn more_evidence_never_lowers_a_score(
            harms in prop::array::uniform11(0.0..=1.0f64),
            evidence in 0.0..12.0f64,
            host in 0.0..=1.0f64,
            raid in 0.0..4.0f64,
            raised in 0..HARMS + 3,
            by in 0.0..1.0f64,
        ) {
            let less = verdict(harms, Some((evidence, host)), raid);
            let mut harms = harms;
            let mut evidence = evidence;
            let mut host = host;
            let mut raid = raid;
            match raised {
                head if head < HARMS => harms[head] = (harms[head] + by).min(1.0),
                HARMS => evidence += by,
                at if at == HARMS + 1 => host = (host + by).min(1.0),
                _ => raid += by,
            }
            let more = verdict(harms, Some((evidence, host)), raid);
            prop_assert!(more.threat_score >= less.threat_score);
            prop_assert!(more.is_phishing_or_scam >= less.is_phishing_or_scam);
            prop_assert!(more.requires_mod_review >= less.requires_mod_review);
            prop_assert!(more.action >= less.action);
            prop_assert!(more.action_probabilities.ban >= less.action_probabilities.ban - 1e-12);
            prop_assert!(more.action_probabilities.none <= less.action_probabilities.none + 1e-12);
            for verdict in [less, more] {
                let ActionProbabilities { ban, timeout, warn, none } = verdict.action_probabilities;
                prop_assert!((ban + timeout + warn + none - 1.0).abs() < 1e-9);
                let bounded = [verdict.is_phishing_or_scam, verdict.requires_mod_review, ban, timeout, warn, none];
                prop_assert!(bounded.iter().all(|probability| (0.0..=1.0).contains(probability)));
                prop_assert!(verdict.threat_score.is_finite() && verdict.threat_score >= 0.0);
            }
        }
    }
}
