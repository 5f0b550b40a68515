//! The evidence behind a verdict, as responses have it.

use domain::{foundation::round::significant, operations::moderation};
use ports::text::Category;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    personal_data::PersonalDataSeen, plain_rules::PlainRuleFound, second_opinion::SecondOpinionSeen,
};

/// The explanation; only with `explain: true`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explanation {
    /// Calibrated probability per category.
    pub categories: CategoryProbabilities,
    /// How severe the abuse is.
    pub severity: SeverityProbabilities,
    /// The signals that counted, heaviest first.
    pub signals: Vec<SignalSeen>,
    /// The personal data in the message, in order; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub personal_data: Vec<PersonalDataSeen>,
    /// The text after undoing disguises.
    pub normalized_text: String,
    /// The language that was detected, as a BCP 47 tag such as `en`, `hi-Latn` or, where the script alone is known,
    /// `und-Cyrl`; `und` for neither.
    #[schema(example = "en")]
    pub language: String,
    /// True where the author seems to be in a crisis: offer help. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub support: bool,
    /// The messages of `context` that count with the message, by index, in order; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub turns: Vec<usize>,
    /// What the operator's backend for a second opinion did, where the action was uncertain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub second_opinion: Option<SecondOpinionSeen>,
    /// What was found about the policy's rules in plain language that apply to the message, in their order; only with
    /// any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub rules: Vec<PlainRuleFound>,
}

/// Probabilities of kinds of abuse, mildest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeverityProbabilities {
    /// Any abuse of a person.
    pub insult: f64,
    /// A slur, or degrading or sexual abuse.
    pub severe_abuse: f64,
    /// Urging somebody to kill or hurt themselves.
    pub incitement: f64,
    /// A threat of violence, also to somebody absent.
    pub threat: f64,
    /// Hatred of a group that threatens or calls for violence.
    pub hate_violence: f64,
    /// A person's own wish to hurt themselves, which calls for help and not for punishment.
    pub self_harm_intent: f64,
    /// Asking for or giving instructions to hurt oneself.
    pub self_harm_instructions: f64,
}

/// Calibrated probability per category.
#[derive(Debug, Serialize, ToSchema)]
pub struct CategoryProbabilities {
    pub toxic: f64,
    pub harassment: f64,
    pub hate: f64,
    pub sexual: f64,
    pub violence: f64,
    pub self_harm: f64,
    pub spam: f64,
    pub scam: f64,
    /// An adult's sexual approach to a child, or trade in abuse of children.
    pub sexual_minors: f64,
    /// Trade in drugs, weapons, stolen goods or forged papers, and requests for instructions for a crime.
    pub illicit: f64,
    /// Recruiting for a violent movement, or praise of its deeds.
    pub extremism: f64,
}

/// A signal that counted.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignalSeen {
    /// Its name.
    #[schema(example = "lookalike_domain")]
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Where it begins in `content`, in characters (Unicode code points).
    pub start: usize,
    /// Where it ends, likewise; equal to `start` for a signal outside the text.
    pub end: usize,
}

impl Explanation {
    pub(super) fn new(content: &str, from: moderation::Explanation) -> Self {
        let from = from.in_characters(content);
        let probabilities = &from.categories;
        let categories = CategoryProbabilities {
            toxic: significant(probabilities[Category::Toxic]),
            harassment: significant(probabilities[Category::Harassment]),
            hate: significant(probabilities[Category::Hate]),
            sexual: significant(probabilities[Category::Sexual]),
            violence: significant(probabilities[Category::Violence]),
            self_harm: significant(probabilities[Category::SelfHarm]),
            spam: significant(probabilities[Category::Spam]),
            scam: significant(probabilities[Category::Scam]),
            sexual_minors: significant(probabilities[Category::SexualMinors]),
            illicit: significant(probabilities[Category::Illicit]),
            extremism: significant(probabilities[Category::Extremism]),
        };
        let severity = SeverityProbabilities {
            insult: significant(from.severity.insult),
            severe_abuse: significant(from.severity.severe_abuse),
            incitement: significant(from.severity.incitement),
            threat: significant(from.severity.threat),
            hate_violence: significant(from.severity.hate_violence),
            self_harm_intent: significant(from.severity.self_harm_intent),
            self_harm_instructions: significant(from.severity.self_harm_instructions),
        };
        let signals = from.signals.into_iter().map(|signal| SignalSeen {
            start: signal.start,
            end: signal.end,
            name: signal.name,
            weight: significant(signal.weight),
        });
        Self {
            categories,
            severity,
            signals: signals.collect(),
            personal_data: from.personal_data.into_iter().map(PersonalDataSeen::from).collect(),
            normalized_text: from.normalized_text,
            language: from.language,
            support: from.support,
            turns: from.turns,
            second_opinion: from.second_opinion.map(SecondOpinionSeen::from),
            rules: from.rules.into_iter().map(PlainRuleFound::from).collect(),
        }
    }
}
