//! The fragments of a document.

use std::collections::HashMap;

use async_graphql::{Name, Positioned, parser::types::FragmentDefinition};

/// A document's fragments by name.
pub(super) type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;
