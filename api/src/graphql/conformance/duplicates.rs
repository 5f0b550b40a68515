//! Fields that are selected several times.
//!
//! Specification 6.3.2, `CollectFields()`: a field that is selected several times under one response name is executed
//! once, with all its selections. async-graphql executes it as often as it is selected (`Fields::add_set` in
//! `resolver_utils/container.rs`) and merges the results (#114), at the same cost each time. Within a selection set,
//! fields and fragments that repeat an earlier one are merged into it; conflicts are left for validation to reject. A
//! field that is repeated in different fragments is executed, and counted by all limits, once for each of them.

use std::collections::{HashMap, hash_map::Entry};

use async_graphql::{
    Name, Positioned,
    parser::types::{Directive, Field, OperationDefinition, Selection, SelectionSet},
};

use super::{fragments::Fragments, root_fields::can_merge};

/// Merges repeated selections in an operation and in fragments.
pub(super) fn merge(operation: &mut OperationDefinition, fragments: &mut Fragments) {
    merge_in(&mut operation.selection_set.node);
    fragments.values_mut().for_each(|fragment| merge_in(&mut fragment.node.selection_set.node));
}

fn merge_in(set: &mut SelectionSet) {
    let mut merged = Merged::default();
    set.items.drain(..).for_each(|selection| merged.add(selection));
    set.items = merged.selections;
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => merge_in(&mut field.node.selection_set.node),
            Selection::InlineFragment(inline) => merge_in(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}

/// What selections must have in common to be merged.
#[derive(PartialEq, Eq, Hash)]
enum MergeKey {
    /// The response name.
    Field(Name),
    /// The type condition.
    InlineFragment(Option<Name>),
    /// The fragment's name.
    FragmentSpread(Name),
}

#[derive(Default)]
struct Merged {
    selections: Vec<Positioned<Selection>>,
    /// The place of the first selection of each key.
    places: HashMap<MergeKey, usize>,
}

impl Merged {
    fn add(&mut self, selection: Positioned<Selection>) {
        let key = match selection.node {
            // A fragment without a condition is its selections.
            Selection::InlineFragment(inline)
                if inline.node.type_condition.is_none() && inline.node.directives.is_empty() =>
            {
                return inline.node.selection_set.node.items.into_iter().for_each(|item| self.add(item));
            }
            Selection::InlineFragment(ref inline) => {
                let on = inline.node.type_condition.as_ref();
                MergeKey::InlineFragment(on.map(|on| on.node.on.node.clone()))
            }
            Selection::Field(ref field) => MergeKey::Field(field.node.response_key().node.clone()),
            Selection::FragmentSpread(ref spread) => {
                MergeKey::FragmentSpread(spread.node.fragment_name.node.clone())
            }
        };
        match self.places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(self.selections.len());
                self.selections.push(selection);
            }
            Entry::Occupied(place) => {
                let selections = &mut self.selections;
                let unmerged = extend(&mut selections[*place.get()].node, selection);
                selections.extend(unmerged);
            }
        }
    }
}

/// Merges a selection into an earlier one, or returns it if that is not possible.
fn extend(first: &mut Selection, mut repeated: Positioned<Selection>) -> Option<Positioned<Selection>> {
    if !same_directives(first.directives(), repeated.node.directives()) {
        return Some(repeated);
    }
    match (first, &mut repeated.node) {
        (Selection::Field(first), Selection::Field(again)) if mergeable(&first.node, &again.node) => {
            first.node.selection_set.node.items.append(&mut again.node.selection_set.node.items);
            None
        }
        (Selection::InlineFragment(first), Selection::InlineFragment(again)) => {
            first.node.selection_set.node.items.append(&mut again.node.selection_set.node.items);
            None
        }
        (Selection::FragmentSpread(_), Selection::FragmentSpread(_)) => None,
        _ => Some(repeated),
    }
}

/// A leaf and an object are kept apart, since validation rejects one of them.
fn mergeable(one: &Field, other: &Field) -> bool {
    is_leaf(one) == is_leaf(other) && can_merge(one, other)
}

fn is_leaf(field: &Field) -> bool {
    field.selection_set.node.items.is_empty()
}

fn same_directives(one: &[Positioned<Directive>], other: &[Positioned<Directive>]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| same_directive(&one.node, &other.node))
}

fn same_directive(one: &Directive, other: &Directive) -> bool {
    one.name.node == other.name.node
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().zip(&other.arguments).all(|((name, value), (other_name, other_value))| {
            name.node == other_name.node && value.node == other_value.node
        })
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::{parse_query, types::ExecutableDocument};

    use super::*;

    fn written(set: &SelectionSet) -> String {
        let selections: Vec<_> =
            set.items.iter().map(|selection| written_selection(&selection.node)).collect();
        format!("{{{}}}", selections.join(" "))
    }

    fn written_selection(selection: &Selection) -> String {
        let conditions: String =
            selection.directives().iter().map(|with| format!("@{}", with.node.name.node)).collect();
        let (name, below) = match selection {
            Selection::Field(field) => {
                (field.node.response_key().node.to_string(), Some(&field.node.selection_set.node))
            }
            Selection::InlineFragment(inline) => {
                let on = inline.node.type_condition.as_ref().map(|on| on.node.on.node.to_string());
                (format!("...{}", on.unwrap_or_default()), Some(&inline.node.selection_set.node))
            }
            Selection::FragmentSpread(spread) => (format!("..{}", spread.node.fragment_name.node), None),
        };
        let below = below.filter(|set| !set.items.is_empty()).map(written).unwrap_or_default();
        format!("{name}{conditions}{below}")
    }

    fn merged(document: &str) -> String {
        let ExecutableDocument { operations, mut fragments } = parse_query(document).unwrap();
        let mut operation = operations.iter().next().unwrap().1.node.clone();
        merge(&mut operation, &mut fragments);
        written(&operation.selection_set.node)
    }

    #[test]
    fn what_is_repeated_is_selected_once() {
        for (document, expected) in [
            ("{ a a b a }", "{a b}"),
            ("{ a { b c } d a { c e { f } } a { e { g f } } }", "{a{b c e{f g}} d}"),
            ("{ a(x: 1, y: [2]) { b } a(y: [2], x: 1) { c } }", "{a{b c}}"),
            ("{ a: b a: b }", "{a}"),
            ("{ a ... { a b ... { b c } } }", "{a b c}"),
            ("{ ... on T { a } ... on T { a b } ... on S { a } }", "{...T{a b} ...S{a}}"),
            ("{ ...F a ...F } fragment F on T { a }", "{..F a}"),
            ("query($v: Boolean!) { a @skip(if: $v) { b } a @skip(if: $v) { c } }", "{a@skip{b c}}"),
        ] {
            assert_eq!(merged(document), expected, "{document}");
        }
    }

    #[test]
    fn what_differs_stays() {
        for (document, expected) in [
            ("{ a(x: 1) { b } a(x: 2) { b } }", "{a{b} a{b}}"),
            ("{ a: b a: c }", "{a a}"),
            ("{ a a { b } }", "{a a{b}}"),
            ("query($v: Boolean!) { a @skip(if: $v) a @include(if: $v) a }", "{a@skip a@include a}"),
            ("query($v: Boolean!) { ... @skip(if: $v) { a } ... { a } }", "{...@skip{a} a}"),
        ] {
            assert_eq!(merged(document), expected, "{document}");
        }
    }
}
