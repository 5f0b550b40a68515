//! Variables as the specification has them (6.1.2, 6.4.1): defaults count everywhere, what is required must be there, and an
//! argument whose variable was not given is one that was not given. async-graphql sees to none of it before resolvers run.

use std::collections::HashSet;

use async_graphql::{
    Name, Positioned, ServerError, Value as Given, Variables,
    parser::types::{OperationDefinition, Selection, SelectionSet, VariableDefinition},
};
use async_graphql_value::Value;

use crate::graphql::operation::Fragments;

/// Fills in defaults, and takes out of arguments what was not given. Where the operation is not alone in its document the latter is
/// left: the fragments may be another's, too.
///
/// # Errors
/// Naming a variable that is required, and missing or null.
pub(in crate::graphql) fn coerce(
    operation: &mut OperationDefinition,
    fragments: &mut Fragments,
    alone: bool,
    variables: &mut Variables,
) -> Result<(), ServerError> {
    let mut absent = HashSet::new();
    for definition in &operation.variable_definitions {
        let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
        match (variables.get(&name.node), default_value) {
            (Some(Given::Null), _) if !var_type.node.nullable => {
                return Err(wrong(definition, "must not be null"));
            }
            (Some(_), _) => {}
            (None, Some(default)) => {
                variables.insert(name.node.clone(), default.node.clone());
            }
            (None, None) if var_type.node.nullable => {
                absent.insert(name.node.clone());
            }
            (None, None) => return Err(wrong(definition, "was not provided")),
        }
    }
    if absent.is_empty() || !alone {
        return Ok(());
    }
    let mut absent = Absent { names: absent, taken_out: HashSet::new() };
    absent.leave(&mut operation.selection_set.node);
    fragments.values_mut().for_each(|fragment| absent.leave(&mut fragment.node.selection_set.node));
    // Else they would count as unused.
    operation
        .variable_definitions
        .retain(|definition| !absent.taken_out.contains(&definition.node.name.node));
    Ok(())
}

fn wrong(definition: &Positioned<VariableDefinition>, what: &str) -> ServerError {
    let VariableDefinition { name, var_type, .. } = &definition.node;
    let message = format!("Variable \"${}\" of required type \"{}\" {what}.", name.node, var_type.node);
    ServerError::new(message, Some(definition.pos))
}

/// Variables that were not given and have no default.
struct Absent {
    names: HashSet<Name>,
    /// Those of them that were used.
    taken_out: HashSet<Name>,
}

impl Absent {
    fn leave(&mut self, set: &mut SelectionSet) {
        for selection in &mut set.items {
            match &mut selection.node {
                Selection::Field(field) => {
                    field.node.arguments.retain_mut(|(_, value)| self.keeps(&mut value.node));
                    self.leave(&mut field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => self.leave(&mut inline.node.selection_set.node),
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    /// Whether a value is there, once what is not has been taken out of it.
    fn keeps(&mut self, value: &mut Value) -> bool {
        match value {
            Value::Variable(name) if self.names.contains(name) => {
                self.taken_out.insert(name.clone());
                return false;
            }
            Value::List(items) => {
                for item in items {
                    if !self.keeps(item) {
                        *item = Value::Null;
                    }
                }
            }
            Value::Object(fields) => fields.retain(|_, value| self.keeps(value)),
            _ => {}
        }
        true
    }
}
