//! Fields at the root of a mutation or a subscription.
//!
//! Specification 6.3.2, `CollectFields()`: a field that is selected several times under one response name is executed
//! once, with all its selections. async-graphql executes it as often as it is selected (`Fields::add_set` in
//! `resolver_utils/container.rs`) and merges the results (#114): a mutation would create two Judges instead of one.
//!
//! Specification 5.2.3.1: a subscription has exactly one root field, wherever it is selected. async-graphql does not
//! check the number, and does not see a field in a fragment (`collect_subscription_streams` in `subscription.rs`). No
//! issue is known for either.

use async_graphql::{
    Name, Positioned, ServerError,
    parser::types::{Field, OperationDefinition, OperationType, Selection, SelectionSet},
};

use super::fragments::Fragments;

/// Merges the root fields of a mutation or a subscription where that changes anything. Fields that conflict are left
/// for validation to reject. `alone`: the document has no other operation, which could use the same fragments.
///
/// # Errors
/// When a subscription has several root fields, and when a merge would depend on conditions or change other operations.
pub(super) fn merge(
    operation: &mut OperationDefinition,
    fragments: &mut Fragments,
    alone: bool,
) -> Result<(), ServerError> {
    let root_type = match operation.ty {
        OperationType::Query => return Ok(()),
        OperationType::Mutation => "Mutation",
        OperationType::Subscription => "Subscription",
    };
    let mut root = RootFields::of(root_type);
    root.collect(&operation.selection_set.node, fragments, true);
    let subscription = operation.ty == OperationType::Subscription;
    if subscription && root.fields.len() > 1 {
        return Err(ServerError::new("a subscription selects one field", None));
    }
    let items = &operation.selection_set.node.items;
    let in_fragment = subscription && !items.iter().all(|item| matches!(item.node, Selection::Field(_)));
    let needed = root.repeated.is_some() || in_fragment;
    if !needed || root.conflict {
        return Ok(());
    }
    if !root.unconditional || !alone && !root.spread.is_empty() {
        let which = root.repeated.map_or("its field".to_owned(), |name| format!("`{name}`"));
        let message = format!("select {which} once, in the operation itself and without a condition");
        return Err(ServerError::new(message, None));
    }
    operation.selection_set.node.items = root.fields.into_iter().map(selection).collect();
    // Validation would reject them as unused.
    root.spread.iter().for_each(|name| drop(fragments.remove(name)));
    Ok(())
}

fn selection(field: Positioned<Field>) -> Positioned<Selection> {
    let pos = field.pos;
    Positioned::new(Selection::Field(field), pos)
}

struct RootFields {
    root_type: &'static str,
    /// Each response name once.
    fields: Vec<Positioned<Field>>,
    /// Fragments that contribute fields.
    spread: Vec<Name>,
    /// The last response name that was selected several times.
    repeated: Option<Name>,
    /// Whether no directive and no type condition can drop any of the selections.
    unconditional: bool,
    /// Whether two selections of one response name differ in their field or its arguments.
    conflict: bool,
}

impl RootFields {
    fn of(root_type: &'static str) -> Self {
        Self {
            root_type,
            fields: Vec::new(),
            spread: Vec::new(),
            repeated: None,
            unconditional: true,
            conflict: false,
        }
    }

    fn collect(&mut self, set: &SelectionSet, fragments: &Fragments, unconditional: bool) {
        for selection in &set.items {
            let unconditional = unconditional && selection.node.directives().is_empty();
            self.unconditional &= unconditional;
            match &selection.node {
                Selection::Field(field) => self.add(field),
                Selection::InlineFragment(inline) => {
                    let on = inline.node.type_condition.as_ref().map(|on| &on.node.on.node);
                    self.unconditional &= on.is_none_or(|on| on == self.root_type);
                    self.collect(&inline.node.selection_set.node, fragments, unconditional);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    // Validation rejects a spread of a fragment that does not exist.
                    let Some(fragment) = fragments.get(name) else { continue };
                    self.unconditional &= fragment.node.type_condition.node.on.node == self.root_type;
                    self.spread.push(name.clone());
                    self.collect(&fragment.node.selection_set.node, fragments, unconditional);
                }
            }
        }
    }

    fn add(&mut self, field: &Positioned<Field>) {
        let name = &field.node.response_key().node;
        let Some(first) = self.fields.iter_mut().find(|known| known.node.response_key().node == *name) else {
            self.fields.push(field.clone());
            return;
        };
        self.repeated = Some(name.clone());
        self.conflict |= !can_merge(&first.node, &field.node);
        let selections = field.node.selection_set.node.items.iter().cloned();
        first.node.selection_set.node.items.extend(selections);
    }
}

/// Whether two fields have the same name and arguments.
pub(super) fn can_merge(one: &Field, other: &Field) -> bool {
    one.name.node == other.name.node
        && one.arguments.len() == other.arguments.len()
        && other
            .arguments
            .iter()
            .all(|(name, value)| one.get_argument(&name.node).is_some_and(|own| own.node == value.node))
}
