//! Which backends an API key and its account may use.

use std::{collections::BTreeSet, sync::Arc};

use entity::{account, api_key};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::database::Database;
use crate::{Code, Error, Result};
use ports::id::AccountId;

/// The names of the backends that somebody may use beside the default model, which everybody may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedBackends(Option<Arc<[String]>>);

impl AllowedBackends {
    /// All backends.
    pub fn all() -> Self {
        Self::default()
    }

    /// These backends.
    pub fn only(names: impl IntoIterator<Item = String>) -> Self {
        Self(Some(names.into_iter().collect::<BTreeSet<_>>().into_iter().collect()))
    }

    /// Those of a database column.
    pub fn stored(column: Option<&str>) -> Self {
        column.map_or_else(Self::all, |names| {
            Self::only(names.split(',').filter(|name| !name.is_empty()).map(str::to_owned))
        })
    }

    /// The value of a database column.
    pub fn to_column(&self) -> Option<String> {
        self.0.as_ref().map(|names| names.join(","))
    }

    /// The names in order; `None` for all.
    pub fn names(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// Whether the backend `name`, which is not the default model, may be used.
    pub fn allows(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|allowed| allowed == name))
    }

    /// Whether nothing more is allowed by `other`.
    pub fn includes(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(_), Some(names)) => names.iter().all(|name| self.allows(name)),
        }
    }

    /// Requires that `wanted` allows nothing beyond this limit.
    ///
    /// # Errors
    /// `FORBIDDEN`, naming what may be allowed.
    pub fn require_within(&self, wanted: &Self) -> Result<()> {
        if self.includes(wanted) {
            return Ok(());
        }
        let names = self.names().unwrap_or_default();
        let own = if names.is_empty() { "the default model alone".to_owned() } else { names.join(", ") };
        let message = format!("an API key allows only backends that it may use itself: {own}");
        Err(Error::new(Code::Forbidden, message))
    }

    /// What both allow.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match &self.0 {
            None => other.clone(),
            Some(names) => Self::only(names.iter().filter(|name| other.allows(name)).cloned()),
        }
    }

    /// What an account allows, and the API key of this name if it is one (`key_…`, as payers are named), as the
    /// database has it now.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn of(db: &Database, account: &AccountId, payer: &str) -> Result<Self> {
        let of_account = account::Entity::find_by_id(account.as_str())
            .select_only()
            .column(account::Column::Backends)
            .into_tuple::<Option<String>>();
        let of_account = db.in_time(of_account.one(db.read())).await?.flatten();
        let of_key = api_key::Entity::find_by_id(payer)
            .select_only()
            .column(api_key::Column::Backends)
            .filter(api_key::Column::AccountId.eq(account.as_str()))
            .into_tuple::<Option<String>>();
        let of_key = db.in_time(of_key.one(db.read())).await?.flatten();
        Ok(Self::stored(of_account.as_deref()).and(&Self::stored(of_key.as_deref())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(names: &str) -> AllowedBackends {
        AllowedBackends::stored(Some(names))
    }

    #[test]
    fn both_lists_count_and_a_list_is_never_wider_than_what_includes_it() {
        let all = AllowedBackends::all();
        assert_eq!(all.and(&only("b,a")), only("a,b"));
        assert_eq!(only("a,b").and(&all), only("a,b"));
        assert_eq!(only("a,b").and(&only("b,c")), only("b"));
        assert_eq!(only("a").and(&only("b")), only(""));
        assert!(!only("").allows("a") && !only("").allows("") && all.allows("a"));
        assert!(all.includes(&all) && all.includes(&only("a")) && only("a").includes(&only("")));
        assert!(!only("a").includes(&all) && !only("a").includes(&only("a,b")));
        for list in [all, only(""), only("a,b")] {
            assert_eq!(AllowedBackends::stored(list.to_column().as_deref()), list);
        }
    }
}
