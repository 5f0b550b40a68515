//! `@skip` and `@include` on `__typename`.
//!
//! Specification 3.13.1 and 3.13.2: both directives may stand on any field. async-graphql evaluates them there, but its
//! validation does not visit that field's directives (`visit_selection` in `validation/visitor.rs`), and so reports the
//! variable of a condition as unused. No issue is known. `__typename @include(…)` is rewritten as
//! `... @include(…) { __typename }`, which means the same.

use async_graphql::{
    Positioned,
    parser::types::{Field, InlineFragment, OperationDefinition, Selection, SelectionSet},
};

use super::fragments::Fragments;

pub(super) const TYPENAME: &str = "__typename";
/// A field can have `@skip` and `@include` once each. One with more directives is left for validation to reject.
const MAX_CONDITIONS: usize = 2;

/// Wraps each `__typename` that has conditions in an inline fragment with these conditions.
pub(super) fn wrap(operation: &mut OperationDefinition, fragments: &mut Fragments) {
    wrap_in(&mut operation.selection_set.node);
    fragments.values_mut().for_each(|fragment| wrap_in(&mut fragment.node.selection_set.node));
}

fn wrap_in(set: &mut SelectionSet) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => {
                let conditions = field.node.directives.len();
                if field.node.name.node == TYPENAME && (1..=MAX_CONDITIONS).contains(&conditions) {
                    *selection = wrapped(field.clone());
                } else {
                    wrap_in(&mut field.node.selection_set.node);
                }
            }
            Selection::InlineFragment(inline) => wrap_in(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn wrapped(mut field: Positioned<Field>) -> Positioned<Selection> {
    let pos = field.pos;
    let directives = std::mem::take(&mut field.node.directives);
    let items = vec![Positioned::new(Selection::Field(field), pos)];
    let selection_set = Positioned::new(SelectionSet { items }, pos);
    let inline = InlineFragment { type_condition: None, directives, selection_set };
    Positioned::new(Selection::InlineFragment(Positioned::new(inline, pos)), pos)
}
