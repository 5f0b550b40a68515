//! How severe abuse is: what the categories say together.

use ports::text::{Categories, Category};
use serde::{Deserialize, Serialize};

/// Probabilities of kinds of abuse, mildest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Severity {
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

impl Severity {
    /// Reads it from the categories. `severe` says that the lexicon knows a severe word of the message.
    pub fn of(categories: &Categories, severe: bool) -> Self {
        let harassment = categories[Category::Harassment];
        let abuse = harassment.max(categories[Category::Toxic]);
        let hate = categories[Category::Hate];
        let self_harm = categories[Category::SelfHarm];
        let word = if severe { harassment.max(hate) } else { 0.0 };
        Self {
            insult: harassment,
            severe_abuse: hate.max(harassment.min(categories[Category::Sexual])).max(word),
            incitement: self_harm.min(abuse),
            threat: categories[Category::Violence],
            hate_violence: hate.min(categories[Category::Violence]),
            self_harm_intent: self_harm.min(1.0 - abuse),
            self_harm_instructions: self_harm.min(categories[Category::Illicit]),
        }
    }
}
