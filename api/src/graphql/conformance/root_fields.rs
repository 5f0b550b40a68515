//! The fields at the root of a mutation or a subscription, each once. What a document selects there several times is one field
//! by the specification (6.3.2); async-graphql would run it as often as it is selected, and two Judges would be made where one was
//! meant. Below the root, running a field twice only costs time.

use async_graphql::{
    Name, Positioned,
    parser::types::{Field, OperationDefinition, OperationType, Selection, SelectionSet},
};
use domain::{Code, Error, Result};

use crate::graphql::operation::Fragments;

/// Has each field at the root stand there once; `alone`: there is no other operation in the document. What does not fit
/// together is left to validation.
///
/// # Errors
/// `VALIDATION_FAILED` where it cannot be said which is meant, and for a subscription to several things at once.
pub(in crate::graphql) fn merge(
    operation: &mut OperationDefinition,
    fragments: &mut Fragments,
    alone: bool,
) -> Result<()> {
    let of = match operation.ty {
        OperationType::Query => return Ok(()),
        OperationType::Mutation => "Mutation",
        OperationType::Subscription => "Subscription",
    };
    let mut root_fields =
        RootFields { of, fields: Vec::new(), inlined: Vec::new(), again: None, plain: true, conflict: false };
    root_fields.add(&operation.selection_set.node, fragments, true);
    let subscription = operation.ty == OperationType::Subscription;
    if subscription && root_fields.fields.len() > 1 {
        return Err(Error::new(Code::ValidationFailed, "a subscription selects one field"));
    }
    // async-graphql looks for a subscription's field in no fragment.
    let direct = |selection: &Positioned<Selection>| matches!(selection.node, Selection::Field(_));
    let hidden = subscription && !operation.selection_set.node.items.iter().all(direct);
    let changes = root_fields.again.is_some() || hidden;
    if !changes || root_fields.conflict {
        return Ok(());
    }
    if !root_fields.plain || !alone && !root_fields.inlined.is_empty() {
        let which = root_fields.again.map_or("its field".to_owned(), |name| format!("`{name}`"));
        let message = format!("select {which} once, in the operation itself and without a condition");
        return Err(Error::new(Code::ValidationFailed, message));
    }
    let field = |field: Positioned<Field>| {
        let pos = field.pos;
        Positioned::new(Selection::Field(field), pos)
    };
    operation.selection_set.node.items = root_fields.fields.into_iter().map(field).collect();
    root_fields.inlined.iter().for_each(|name| drop(fragments.remove(name)));
    Ok(())
}

struct RootFields {
    /// The type of the root.
    of: &'static str,
    fields: Vec<Positioned<Field>>,
    /// Fragments whose fields are among them.
    inlined: Vec<Name>,
    /// One that is there more than once.
    again: Option<Name>,
    /// Whether all are there, whatever the variables.
    plain: bool,
    /// Whether two with one name are not the same.
    conflict: bool,
}

impl RootFields {
    fn add(&mut self, set: &SelectionSet, fragments: &Fragments, sure: bool) {
        for selection in &set.items {
            let sure = sure && selection.node.directives().is_empty();
            self.plain &= sure;
            match &selection.node {
                Selection::Field(field) => self.field(field),
                Selection::InlineFragment(inline) => {
                    let on = inline.node.type_condition.as_ref().map(|on| &on.node.on.node);
                    self.plain &= on.is_none_or(|on| on == self.of);
                    self.add(&inline.node.selection_set.node, fragments, sure);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    // One that is not there is validation's to name.
                    let Some(fragment) = fragments.get(name) else { continue };
                    self.plain &= fragment.node.type_condition.node.on.node == self.of;
                    self.inlined.push(name.clone());
                    self.add(&fragment.node.selection_set.node, fragments, sure);
                }
            }
        }
    }

    fn field(&mut self, field: &Positioned<Field>) {
        let key = &field.node.response_key().node;
        let Some(first) = self.fields.iter_mut().find(|known| known.node.response_key().node == *key) else {
            self.fields.push(field.clone());
            return;
        };
        self.again = Some(key.clone());
        self.conflict |= !same(&first.node, &field.node);
        let more = field.node.selection_set.node.items.iter().cloned();
        first.node.selection_set.node.items.extend(more);
    }
}

fn same(one: &Field, other: &Field) -> bool {
    let has = |(name, value): &(Positioned<Name>, Positioned<_>)| {
        one.get_argument(&name.node).is_some_and(|own| own.node == value.node)
    };
    let named = one.name.node == other.name.node && one.arguments.len() == other.arguments.len();
    named && other.arguments.iter().all(has)
}
