//! Objects of which nothing is left, once what is skipped or is of another type is left out: `{}` by the specification (6.3), null
//! by async-graphql. A selection that may come to nothing is given a field of our own, which the answer is rid of again.

use async_graphql::{
    Name, Positioned,
    parser::types::{Field, InlineFragment, OperationDefinition, OperationType, Selection, SelectionSet},
};

use crate::graphql::operation::Fragments;

/// The field's name in answers, which is no name for clients.
pub(in crate::graphql) const PLACEHOLDER: &str = "__nothing";
const TYPENAME: &str = "__typename";
/// `@skip` and `@include`: what has more is left to be refused.
const CONDITIONS: usize = 2;

/// Marks what may come to nothing in an operation, and in fragments.
pub(in crate::graphql) fn add_placeholders(operation: &mut OperationDefinition, fragments: &mut Fragments) {
    match operation.ty {
        // Its one field is always there.
        OperationType::Subscription => below(&mut operation.selection_set.node),
        _ => add_placeholder(&mut operation.selection_set),
    }
    // What they may lack of an object is seen where they are spread.
    fragments.values_mut().for_each(|fragment| below(&mut fragment.node.selection_set.node));
}

/// Marks an object's selection, and those below.
fn add_placeholder(set: &mut Positioned<SelectionSet>) {
    below(&mut set.node);
    let sure = |selection: &Positioned<Selection>| match &selection.node {
        Selection::Field(field) => field.node.directives.is_empty(),
        _ => false,
    };
    if !set.node.items.is_empty() && !set.node.items.iter().any(sure) {
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

fn below(set: &mut SelectionSet) {
    for selection in &mut set.items {
        if let Selection::Field(field) = &mut selection.node
            && field.node.name.node == TYPENAME
            && (1..=CONDITIONS).contains(&field.node.directives.len())
        {
            *selection = conditional(field.clone());
        }
        match &mut selection.node {
            Selection::Field(field) => add_placeholder(&mut field.node.selection_set),
            Selection::InlineFragment(inline) => below(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}

/// `__typename @include(..)` as `... @include(..) { __typename }`: validation has no eye for directives on that field.
fn conditional(mut field: Positioned<Field>) -> Positioned<Selection> {
    let (pos, directives) = (field.pos, std::mem::take(&mut field.node.directives));
    let items = vec![Positioned::new(Selection::Field(field), pos)];
    let selection_set = Positioned::new(SelectionSet { items }, pos);
    let inline = InlineFragment { type_condition: None, directives, selection_set };
    Positioned::new(Selection::InlineFragment(Positioned::new(inline, pos)), pos)
}
