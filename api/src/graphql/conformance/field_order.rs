//! The order of an answer's members: that of the document, by the specification (7.2.2). async-graphql has them in the order in
//! which they were ready. Marks of [`super::emptied`] are taken out.

use async_graphql::{
    Name, Value,
    indexmap::IndexMap,
    parser::types::{Selection, SelectionSet},
};

use super::empty_objects::PLACEHOLDER;
use crate::graphql::operation::Fragments;

/// What was selected, by the name in the answer, in order. Empty where nothing can be.
#[derive(Debug, Default)]
pub(in crate::graphql) struct FieldOrder(IndexMap<Name, FieldOrder>);

impl FieldOrder {
    /// Of an operation in a document that is within the limits.
    pub(in crate::graphql) fn of(fragments: &Fragments, operation: &SelectionSet) -> Self {
        let mut order = Self::default();
        order.add(fragments, operation);
        order
    }

    fn add(&mut self, fragments: &Fragments, set: &SelectionSet) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    let name = field.node.response_key().node.clone();
                    self.0.entry(name).or_default().add(fragments, &field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => self.add(fragments, &inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = fragments.get(&spread.node.fragment_name.node) {
                        self.add(fragments, &fragment.node.selection_set.node);
                    }
                }
            }
        }
    }

    /// Puts an answer's members in order.
    pub(in crate::graphql) fn apply(&self, value: &mut Value) {
        match value {
            Value::List(items) => items.iter_mut().for_each(|item| self.apply(item)),
            // Nothing is selected of JSON, whose order is its own.
            Value::Object(members) if !self.0.is_empty() => {
                let mut ordered = IndexMap::with_capacity(members.len());
                for (name, order) in &self.0 {
                    if let Some(mut value) = members.swap_remove(name) {
                        order.apply(&mut value);
                        ordered.insert(name.clone(), value);
                    }
                }
                members.swap_remove(PLACEHOLDER);
                ordered.append(members);
                *members = ordered;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::{Value as Json, json};

    use super::*;

    fn ordered(document: &str, answer: Json) -> String {
        let document = parse_query(document).unwrap();
        let operation = document.operations.iter().next().unwrap().1;
        let order = FieldOrder::of(&document.fragments, &operation.node.selection_set.node);
        let mut value = Value::from_json(answer).unwrap();
        order.apply(&mut value);
        value.into_json().unwrap().to_string()
    }

    #[test]
    fn members_stand_as_they_were_asked_for() {
        let document = "{ z: a { c b } ...F l { y x } j } fragment F on T { m z { d } }";
        let answer = json!({
            "j": { "b": 1, "a": 2 },
            "l": [{ "x": 1, "y": 2 }, null],
            "m": null,
            "z": { "b": 1, "d": 2, "c": 3 },
        });
        let expected = r#"{"z":{"c":3,"b":1,"d":2},"m":null,"l":[{"y":2,"x":1},null],"j":{"b":1,"a":2}}"#;
        assert_eq!(ordered(document, answer), expected);
    }
}
