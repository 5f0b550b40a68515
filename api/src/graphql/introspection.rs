//! The limit of introspection. The fields that a query of the schema would resolve are counted on the schema before it
//! runs. The count is exact, and stops at the limit, so that it costs little however much is asked for.

use async_graphql::{
    Name, Request, ServerError, ServerResult, Value as ConstValue, Variables,
    parser::types::{
        DocumentOperations, ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet,
    },
    registry::{MetaDirective, MetaField, MetaInputValue, MetaType, Registry},
};

/// Fields of introspection and items of its lists that an operation may resolve. Common tools need less than a third.
pub(super) const MAX_FIELDS: usize = 100_000;
/// What `__schema` and `__type` cost themselves, each of which looks for the types that can be seen.
const ROOT_COST: usize = 500;

/// Checks the chosen operation of a request whose document is within the limits of `document_limits`.
///
/// # Errors
/// A request error that names the limit.
pub(super) fn check(registry: &Registry, request: &mut Request) -> ServerResult<()> {
    let name = request.operation_name.clone();
    let variables = request.variables.clone();
    let document = request.parsed_query()?;
    let operation = match (&document.operations, name) {
        (DocumentOperations::Multiple(named), Some(name)) => named.get(name.as_str()),
        (operations, _) => operations.iter().next().map(|(_, operation)| operation),
    };
    // Without one there is nothing to run, which async-graphql reports itself.
    let Some(operation) = operation else { return Ok(()) };
    let mut walk = Walk { registry, document, operation: &operation.node, variables: &variables, fields: 0 };
    walk.root(&operation.node.selection_set.node).map_err(|OverLimit| {
        let message = format!("an operation may read at most {MAX_FIELDS} fields of the schema");
        ServerError::new(message, Some(operation.pos))
    })
}

/// The count is over [`MAX_FIELDS`].
struct OverLimit;

/// A part of the schema that introspection shows as an object.
#[derive(Clone, Copy)]
enum Node<'a> {
    Schema,
    Named(&'a MetaType),
    /// A non-null type or a list, as it is written.
    Wrapped(&'a str),
    Field(&'a MetaField),
    Input(&'a MetaInputValue),
    Directive(&'a MetaDirective),
    EnumValue,
}

struct Walk<'a> {
    registry: &'a Registry,
    document: &'a ExecutableDocument,
    operation: &'a OperationDefinition,
    variables: &'a Variables,
    /// Counted so far.
    fields: usize,
}

impl<'a> Walk<'a> {
    fn count(&mut self, fields: usize) -> Result<(), OverLimit> {
        self.fields += fields;
        if self.fields > MAX_FIELDS { Err(OverLimit) } else { Ok(()) }
    }

    /// Looks for introspection among the fields at the root.
    fn root(&mut self, set: &'a SelectionSet) -> Result<(), OverLimit> {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => match field.node.name.node.as_str() {
                    "__schema" => {
                        self.count(ROOT_COST)?;
                        self.object(Node::Schema, &field.node.selection_set.node)?;
                    }
                    "__type" => {
                        self.count(ROOT_COST)?;
                        if let Some(named) = self.type_argument(&field.node) {
                            self.object(Node::Named(named), &field.node.selection_set.node)?;
                        }
                    }
                    _ => {}
                },
                selection => {
                    if let Some(set) = self.fragment(selection) {
                        self.root(set)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The type that `__type(name: …)` asks for.
    fn type_argument(&self, field: &Field) -> Option<&'a MetaType> {
        let value = field.get_argument("name")?.node.clone().into_const_with(|variable| {
            self.variables.get(&variable).cloned().or_else(|| self.default_of(&variable)).ok_or(())
        });
        let Ok(ConstValue::String(name)) = value else { return None };
        self.registry.types.get(&name)
    }

    /// The default of a variable.
    fn default_of(&self, variable: &Name) -> Option<ConstValue> {
        let mut definitions = self.operation.variable_definitions.iter();
        let definition = definitions.find(|definition| definition.node.name.node == *variable)?;
        definition.node.default_value.as_ref().map(|value| value.node.clone())
    }

    /// The selections of a fragment; `None` if it does not exist, which validation rejects.
    fn fragment(&self, selection: &'a Selection) -> Option<&'a SelectionSet> {
        match selection {
            Selection::Field(_) => None,
            Selection::InlineFragment(inline) => Some(&inline.node.selection_set.node),
            Selection::FragmentSpread(spread) => {
                let fragment = self.document.fragments.get(&spread.node.fragment_name.node);
                fragment.map(|fragment| &fragment.node.selection_set.node)
            }
        }
    }

    /// Counts an object with what is selected of it.
    fn object(&mut self, node: Node<'a>, set: &'a SelectionSet) -> Result<(), OverLimit> {
        self.count(1)?;
        self.selections(node, set)
    }

    fn selections(&mut self, node: Node<'a>, set: &'a SelectionSet) -> Result<(), OverLimit> {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    self.count(1)?;
                    self.below(node, field.node.name.node.as_str(), &field.node.selection_set.node)?;
                }
                selection => {
                    if let Some(set) = self.fragment(selection) {
                        self.selections(node, set)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts the objects that a field of a node has.
    fn below(&mut self, node: Node<'a>, field: &str, set: &'a SelectionSet) -> Result<(), OverLimit> {
        let registry = self.registry;
        let named = |name: &'a String| registry.types.get(name).map(Node::Named);
        match (node, field) {
            (Node::Schema, "types") => self.all(registry.types.values().map(Node::Named), set),
            (Node::Schema, "directives") => self.all(registry.directives.values().map(Node::Directive), set),
            (Node::Schema, "queryType") => self.all(named(&registry.query_type), set),
            (Node::Schema, "mutationType") => self.all(registry.mutation_type.as_ref().and_then(named), set),
            (Node::Schema, "subscriptionType") => {
                self.all(registry.subscription_type.as_ref().and_then(named), set)
            }
            (Node::Named(of), "fields") => {
                self.all(of.fields().into_iter().flat_map(|fields| fields.values()).map(Node::Field), set)
            }
            (Node::Named(of), "interfaces") => {
                let interfaces = registry.implements.get(of.name()).into_iter().flatten();
                self.all(interfaces.filter_map(named), set)
            }
            (
                Node::Named(
                    MetaType::Interface { possible_types, .. } | MetaType::Union { possible_types, .. },
                ),
                "possibleTypes",
            ) => self.all(possible_types.iter().filter_map(named), set),
            (Node::Named(MetaType::Enum { enum_values, .. }), "enumValues") => {
                self.all(enum_values.values().map(|_| Node::EnumValue), set)
            }
            (Node::Named(MetaType::InputObject { input_fields, .. }), "inputFields") => {
                self.all(input_fields.values().map(Node::Input), set)
            }
            (Node::Wrapped(name), "ofType") => self.all(self.type_of(inner(name)), set),
            (Node::Field(of), "type") => self.all(self.type_of(&of.ty), set),
            (Node::Field(of), "args") => self.all(of.args.values().map(Node::Input), set),
            (Node::Input(of), "type") => self.all(self.type_of(&of.ty), set),
            (Node::Directive(of), "args") => self.all(of.args.values().map(Node::Input), set),
            _ => Ok(()),
        }
    }

    fn all(
        &mut self,
        nodes: impl IntoIterator<Item = Node<'a>>,
        set: &'a SelectionSet,
    ) -> Result<(), OverLimit> {
        nodes.into_iter().try_for_each(|node| self.object(node, set))
    }

    /// The type with this name, such as `[ID!]`.
    fn type_of(&self, name: &'a str) -> Option<Node<'a>> {
        if name.ends_with(['!', ']']) {
            Some(Node::Wrapped(name))
        } else {
            self.registry.types.get(name).map(Node::Named)
        }
    }
}

/// The type that a non-null type or a list is of.
fn inner(wrapped: &str) -> &str {
    match wrapped.strip_suffix('!') {
        Some(nullable) => nullable,
        None => wrapped.trim_start_matches('[').strip_suffix(']').unwrap_or(wrapped),
    }
}
