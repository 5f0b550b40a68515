//! Validates the names and descriptions of policies.

use crate::{Error, Result};
use ports::id::PolicyId;

const MAX_NAME_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// The beginning of ids. No name may begin with it.
const ID_PREFIX: &str = "policy_";

pub(super) fn name(name: &str) -> Result<String> {
    let name = name.trim();
    let fits = !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.chars().any(char::is_control)
        && !name.starts_with(ID_PREFIX);
    if !fits {
        let message = format!(
            "must be 1 to {MAX_NAME_CHARS} characters on one line that do not begin with {ID_PREFIX}"
        );
        return Err(Error::invalid("name", message));
    }
    Ok(name.to_owned())
}

pub(super) fn description(description: &str) -> Result<String> {
    if description.chars().count() > MAX_DESCRIPTION_CHARS || description.contains('\0') {
        let message = format!("must be at most {MAX_DESCRIPTION_CHARS} characters");
        return Err(Error::invalid("description", message));
    }
    Ok(description.trim().to_owned())
}

/// Whether a text can be the name or the id of a policy.
pub(crate) fn is_selector(text: &str) -> bool {
    name(text).is_ok() || PolicyId::read(text).is_some()
}

/// The id in a selector; `None` for a name.
pub(super) fn id_of(selector: &str) -> Option<PolicyId> {
    selector.starts_with(ID_PREFIX).then(|| PolicyId::from(selector.to_owned()))
}
