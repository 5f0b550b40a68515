//! What a moderator may label: the right action, and whether a message has each of the harms.

use std::iter;

use serde_json::{Map, Value, json};

use crate::{
    learning::sample::NewAnswer,
    operations::{
        inference::Answer,
        moderation::{Action, Verdict, image::PictureSeverity},
    },
};
use ports::text::Category;

/// The key of the right action. The other keys are the names of the categories.
pub(super) const ACTION: &str = "action";

/// The questions of a log, as a Judge's instructions.
pub(super) fn questions() -> Value {
    let actions = json!({
        Action::None.as_str(): "Leave the message.",
        Action::Warn.as_str(): "Warn the author.",
        Action::Timeout.as_str(): "Silence the author for a while.",
        Action::Ban.as_str(): "Remove the author.",
    });
    let action = json!({
        "type": "choice",
        "instructions": "Which action does the message call for?",
        "criteria": actions,
    });
    let mut questions = Map::from_iter([(ACTION.to_owned(), action)]);
    for category in Category::ALL {
        let name = category.as_str();
        questions
            .insert(name.to_owned(), Value::String(format!("Is the message {}?", name.replace('_', " "))));
    }
    Value::Object(questions)
}

/// The answers of a verdict, in the order of the questions.
pub(super) fn answers(verdict: &Verdict) -> Vec<NewAnswer> {
    let actions = Action::ALL.map(|action| (action.as_str(), verdict.action_probabilities.of(action)));
    let action = NewAnswer::of(ACTION, &Answer::choice(verdict.action.as_str(), &actions));
    let harms = Category::ALL.into_iter().map(|category| {
        let noul = crate::foundation::round::probability(verdict.categories[category]);
        NewAnswer::of(category.as_str(), &Answer::Noul { noul, abstained: None })
    });
    std::iter::once(action).chain(harms).collect()
}

/// The answers of a verdict on a picture: the action, and the harms that a picture can be flagged for.
pub(super) fn picture_answers(severity: &PictureSeverity) -> Vec<NewAnswer> {
    let PictureSeverity { action, sexual, sexual_minors, .. } = *severity;
    let flagged = sexual.max(sexual_minors);
    // Of the actions, a picture calls for the one that it has if it is flagged, or for none.
    let other = if action == Action::None { Action::Timeout } else { action };
    let actions = Action::ALL.map(|one| {
        let probability = match one {
            Action::None => 1.0 - flagged,
            one if one == other => flagged,
            Action::Warn | Action::Timeout | Action::Ban => 0.0,
        };
        (one.as_str(), probability)
    });
    let action = NewAnswer::of(ACTION, &Answer::choice(action.as_str(), &actions));
    let harms = [(Category::Sexual, sexual), (Category::SexualMinors, sexual_minors)];
    let harms = harms.map(|(category, noul)| {
        let noul = crate::foundation::round::probability(noul);
        NewAnswer::of(category.as_str(), &Answer::Noul { noul, abstained: None })
    });
    iter::once(action).chain(harms).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::owner;

    #[test]
    fn the_questions_are_a_judges_in_the_order_of_the_answers() {
        let questions = owner::questions(&questions()).unwrap();
        let keys: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
        let expected = [ACTION].into_iter().chain(Category::ALL.map(Category::as_str));
        assert_eq!(keys, expected.collect::<Vec<_>>());
        assert_eq!(questions[0].kind.values(), Action::ALL.map(Action::as_str));
    }
}
