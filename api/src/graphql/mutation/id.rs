//! Ids in inputs.

use async_graphql::ID;

/// Reads an id. A text that cannot be one of our ids, and that the database may not accept, becomes an id that nothing
/// has.
pub(crate) fn parse_id<T: From<String>>(id: &ID) -> T {
    let plausible = id.len() < 64 && !id.contains('\0');
    T::from(if plausible { id.to_string() } else { String::new() })
}
