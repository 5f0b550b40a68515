//! Lists of backends that keys and accounts are limited to.

use domain::foundation::allowed_backends::AllowedBackends;

use crate::{compose, config::Config};

/// Reads a list of names; none for all.
///
/// # Errors
/// For a name that no backend of the settings has.
pub(super) fn allowed_backends(
    config: &Config,
    names: Option<Vec<String>>,
) -> anyhow::Result<AllowedBackends> {
    let inference = compose::named_backends(config)?;
    Ok(inference.allowed("backends", names)?)
}

/// The list for people.
pub(super) fn named(backends: &AllowedBackends) -> String {
    match backends.names() {
        None => "all".to_owned(),
        Some([]) => "the default model alone".to_owned(),
        Some(names) => format!("the default model, {}", names.join(", ")),
    }
}
