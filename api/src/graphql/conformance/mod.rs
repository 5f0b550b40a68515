//! What async-graphql does otherwise than the GraphQL specification, set right.

pub(super) mod empty_objects;
pub(super) mod field_order;
pub(super) mod null_propagation;
pub(super) mod root_fields;
pub(super) mod variables;
