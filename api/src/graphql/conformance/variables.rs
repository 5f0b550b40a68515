//! Variables: their defaults, and those that were not given.
//!
//! Specification 6.1.2, `CoerceVariableValues()`: a default applies wherever its variable is used, and a non-null
//! variable without one must be given. async-graphql ignores defaults in the conditions of `@skip` and `@include`
//! (#1827), and notices a missing variable only when a resolver asks for it (`ContextBase::var_value` in `context.rs`).
//!
//! Specification 6.4.1, `CoerceArgumentValues()`: an argument whose variable was not given counts as absent, so its
//! default applies. async-graphql treats it as null; fixed after 7.2.1 (#1818).
//!
//! A variable in JSON has numbers, and `20.0` is an integer there; async-graphql refuses it as an `Int`.

use std::collections::HashSet;

use async_graphql::{
    Name, Positioned, ServerError, Value as ConstValue, Variables,
    parser::types::{OperationDefinition, Selection, SelectionSet, VariableDefinition},
};
use async_graphql_value::Value;

use super::fragments::Fragments;

/// The largest integer up to which a double has every integer: 2^53 - 1.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// Fills in defaults, and removes the arguments whose variables were not given. `alone`: the document has no other
/// operation, which could use the same fragments; otherwise the arguments stay.
///
/// # Errors
/// When a non-null variable is missing or null.
pub(super) fn coerce(
    operation: &mut OperationDefinition,
    fragments: &mut Fragments,
    alone: bool,
    variables: &mut Variables,
) -> Result<(), ServerError> {
    variables.values_mut().for_each(integers);
    let mut missing = HashSet::new();
    for definition in &operation.variable_definitions {
        let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
        match (variables.get(&name.node), default_value) {
            (Some(ConstValue::Null), _) if !var_type.node.nullable => {
                return Err(variable_error(definition, "must not be null"));
            }
            (Some(_), _) => {}
            (None, Some(default)) => {
                variables.insert(name.node.clone(), default.node.clone());
            }
            (None, None) if var_type.node.nullable => {
                missing.insert(name.node.clone());
            }
            (None, None) => return Err(variable_error(definition, "was not provided")),
        }
    }
    if missing.is_empty() || !alone {
        return Ok(());
    }
    let mut missing = MissingVariables { names: missing, removed: HashSet::new() };
    missing.remove_from(&mut operation.selection_set.node);
    fragments.values_mut().for_each(|fragment| missing.remove_from(&mut fragment.node.selection_set.node));
    // Validation would reject them as unused.
    operation.variable_definitions.retain(|definition| !missing.removed.contains(&definition.node.name.node));
    Ok(())
}

/// Writes each number without a fraction as an integer: clients in some languages send `20.0` for an `Int`.
fn integers(value: &mut ConstValue) {
    match value {
        ConstValue::Number(number) => {
            let integral =
                number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= MAX_EXACT);
            if let Some(integral) = integral.filter(|_| number.is_f64()) {
                *number = (integral as i64).into();
            }
        }
        ConstValue::List(items) => items.iter_mut().for_each(integers),
        ConstValue::Object(fields) => fields.values_mut().for_each(integers),
        _ => {}
    }
}

fn variable_error(definition: &Positioned<VariableDefinition>, problem: &str) -> ServerError {
    let VariableDefinition { name, var_type, .. } = &definition.node;
    let message = format!("Variable \"${}\" of required type \"{}\" {problem}.", name.node, var_type.node);
    ServerError::new(message, Some(definition.pos))
}

/// Nullable variables without a default that were not given.
struct MissingVariables {
    names: HashSet<Name>,
    /// Those that were removed from arguments.
    removed: HashSet<Name>,
}

impl MissingVariables {
    fn remove_from(&mut self, set: &mut SelectionSet) {
        for selection in &mut set.items {
            match &mut selection.node {
                Selection::Field(field) => {
                    field.node.arguments.retain_mut(|(_, value)| self.keep(&mut value.node));
                    self.remove_from(&mut field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => self.remove_from(&mut inline.node.selection_set.node),
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    /// Removes the variables within a value: fields of input objects are dropped, items of lists become null. False for
    /// a value that is itself such a variable.
    fn keep(&mut self, value: &mut Value) -> bool {
        match value {
            Value::Variable(name) if self.names.contains(name) => {
                self.removed.insert(name.clone());
                return false;
            }
            Value::List(items) => {
                for item in items {
                    if !self.keep(item) {
                        *item = Value::Null;
                    }
                }
            }
            Value::Object(fields) => fields.retain(|_, value| self.keep(value)),
            _ => {}
        }
        true
    }
}
