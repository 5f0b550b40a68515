//! What the native model reads in the messages before a message.

use std::iter::repeat_n;

use crate::{
    Result,
    operations::moderation::{
        Severity, lexicon::LexiconEvidence, message::named, scoring::scored, subject::Subject,
    },
};
use ports::{
    Flow,
    text::{Categories, Category, TextEngine, TextInput, TextMode, TextScores},
};

/// A message before the one that is moderated: the probabilities that count together with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Whether it is the same author's.
    pub by_author: bool,
    pub self_harm_intent: f64,
    pub sexual: f64,
    pub sexual_minors: f64,
}

impl Turn {
    fn of(by_author: bool, scores: &TextScores) -> Self {
        let lexicon = LexiconEvidence::of(&scores.lexicon, None);
        let categories: Categories = lexicon.added_to(scores.categories);
        Self {
            by_author,
            self_harm_intent: Severity::of(&categories, lexicon.severe).self_harm_intent,
            sexual: categories[Category::Sexual],
            sexual_minors: categories[Category::SexualMinors],
        }
    }
}

/// Reads the messages before each message.
///
/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
pub(in crate::operations::moderation) async fn read_turns(
    engine: &dyn TextEngine,
    flow: Flow,
    subjects: &[Subject],
) -> Result<Vec<Vec<Turn>>> {
    let context = subjects.iter().flat_map(|subject| &subject.message.context);
    let inputs: Vec<TextInput> = context
        .map(|message| TextInput { content: message.content.clone(), mode: TextMode::Native, explain: false })
        .collect();
    if inputs.is_empty() {
        return Ok(repeat_n(Vec::new(), subjects.len()).collect());
    }
    let mut scores = scored(engine, flow, inputs).await?.into_iter();
    let turns = subjects.iter().map(|Subject { message, .. }| {
        let author = message.named_author();
        let context = message.context.iter().zip(scores.by_ref());
        let turns = context.map(|(before, scores)| {
            let by_author = author.is_some() && named(before.author.as_deref()) == author;
            Turn::of(by_author, &scores)
        });
        turns.collect()
    });
    Ok(turns.collect())
}
