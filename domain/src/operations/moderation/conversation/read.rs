//! Has the native model read the messages before messages.

use std::iter::repeat_n;

use super::turn::ConversationTurn;
use crate::{
    Result,
    operations::moderation::{
        Severity, lexicon::LexiconEvidence, names::named, scoring::scored, subject::Subject,
    },
};
use ports::{
    Flow,
    text::{Category, TextEngine, TextInput, TextMode, TextScores},
};

/// Reads the messages before each message.
///
/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
pub(in crate::operations::moderation) async fn read_turns(
    engine: &dyn TextEngine,
    flow: Flow,
    subjects: &[Subject],
) -> Result<Vec<Vec<ConversationTurn>>> {
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
            turn(by_author, &scores)
        });
        turns.collect()
    });
    Ok(turns.collect())
}

fn turn(by_author: bool, scores: &TextScores) -> ConversationTurn {
    let lexicon = LexiconEvidence::of(&scores.lexicon, None);
    let categories = lexicon.added_to(scores.categories);
    ConversationTurn {
        by_author,
        self_harm_intent: Severity::of(&categories, lexicon.severe).self_harm_intent,
        sexual: categories[Category::Sexual],
        sexual_minors: categories[Category::SexualMinors],
    }
}
