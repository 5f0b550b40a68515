//! The order of fields in responses.
//!
//! Specification 6.3.2 and 7.2.2: fields stand in the order in which the document selects them. async-graphql writes
//! them in the order in which their resolvers finish; issue #612 is open about it.

use async_graphql::{
    Name, Value,
    indexmap::IndexMap,
    parser::types::{Selection, SelectionSet},
};

use super::{empty_objects::PLACEHOLDER, fragments::Fragments};

/// The selected fields by response name, in order, with the order of the fields below each. Empty below leaves.
#[derive(Debug, Default)]
pub(in crate::graphql) struct FieldOrder(IndexMap<Name, FieldOrder>);

impl FieldOrder {
    /// The order of an operation's fields. The document must be within the limits, because fragments are walked as
    /// often as they are spread.
    pub(super) fn of(fragments: &Fragments, operation: &SelectionSet) -> Self {
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

    /// Puts a response's fields in order, and removes the placeholders of empty objects.
    pub(in crate::graphql) fn apply(&self, value: &mut Value) {
        match value {
            Value::List(items) => items.iter_mut().for_each(|item| self.apply(item)),
            // Below a leaf there is only the JSON of a scalar, which has an order of its own.
            Value::Object(fields) if !self.0.is_empty() => {
                let mut ordered = IndexMap::with_capacity(fields.len());
                for (name, order) in &self.0 {
                    if let Some(mut value) = fields.swap_remove(name) {
                        order.apply(&mut value);
                        ordered.insert(name.clone(), value);
                    }
                }
                fields.swap_remove(PLACEHOLDER);
                ordered.append(fields);
                *fields = ordered;
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

    fn ordered(document: &str, response: Json) -> String {
        let document = parse_query(document).unwrap();
        let operation = document.operations.iter().next().unwrap().1;
        let order = FieldOrder::of(&document.fragments, &operation.node.selection_set.node);
        let mut value = Value::from_json(response).unwrap();
        order.apply(&mut value);
        value.into_json().unwrap().to_string()
    }

    #[test]
    fn fields_stand_in_the_order_of_the_document() {
        let document = "{ z: a { c b } ...F l { y x } j } fragment F on T { m z { d } }";
        let response = json!({
            "j": { "b": 1, "a": 2 },
            "l": [{ "x": 1, "y": 2 }, null],
            "m": null,
            "z": { "b": 1, "d": 2, "c": 3 },
        });
        let expected = r#"{"z":{"c":3,"b":1,"d":2},"m":null,"l":[{"y":2,"x":1},null],"j":{"b":1,"a":2}}"#;
        assert_eq!(ordered(document, response), expected);
    }
}
