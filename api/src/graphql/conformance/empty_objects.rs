//! Objects without fields.
//!
//! Specification 6.3: the result of a selection set is a map, even when `@skip`, `@include` or type conditions drop all
//! of its selections. async-graphql turns an object without fields into null (`do_resolve_container` in
//! `resolver_utils/container.rs`). No issue is known; #301 wants even less. A selection set that may end up empty is
//! given a placeholder field, which [`super::FieldOrder::apply`] removes from the response.

use async_graphql::{
    Name, Positioned,
    parser::types::{Field, OperationDefinition, OperationType, Selection, SelectionSet},
};

use super::{fragments::Fragments, typename_conditions::TYPENAME};

/// The placeholder's name in responses. Names that begin with two underscores are not for clients to use.
pub(super) const PLACEHOLDER: &str = "__nothing";

/// Adds the placeholders to an operation and to fragments.
pub(super) fn add_placeholders(operation: &mut OperationDefinition, fragments: &mut Fragments) {
    match operation.ty {
        // Its only root field is always there.
        OperationType::Subscription => add_below(&mut operation.selection_set.node),
        _ => add_to_object(&mut operation.selection_set),
    }
    // Whether a fragment's fields are all of an object's is known only where it is spread.
    fragments.values_mut().for_each(|fragment| add_below(&mut fragment.node.selection_set.node));
}

fn add_to_object(set: &mut Positioned<SelectionSet>) {
    add_below(&mut set.node);
    if !set.node.items.is_empty() && !set.node.items.iter().any(is_unconditional_field) {
        let pos = set.pos;
        let field = Field {
            alias: Some(Positioned::new(Name::new(PLACEHOLDER), pos)),
            name: Positioned::new(Name::new(TYPENAME), pos),
            arguments: Vec::new(),
            directives: Vec::new(),
            selection_set: Positioned::new(SelectionSet::default(), pos),
        };
        set.node.items.push(Positioned::new(Selection::Field(Positioned::new(field, pos)), pos));
    }
}

fn is_unconditional_field(selection: &Positioned<Selection>) -> bool {
    match &selection.node {
        Selection::Field(field) => field.node.directives.is_empty(),
        _ => false,
    }
}

fn add_below(set: &mut SelectionSet) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => add_to_object(&mut field.node.selection_set),
            Selection::InlineFragment(inline) => add_below(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}
