//! Named filters of the moderation queue, which people keep.

use chrono::{DateTime, Utc};
use entity::{saved_view, user};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::OnConflict,
};
use serde_json::{Map, Value};

use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity},
        database::Database,
    },
};
use ports::id::UserId;

/// Maximum views of a person.
const MAX_VIEWS: u64 = 30;
const MAX_NAME_CHARS: usize = 60;
/// Maximum bytes of a view's filters.
const MAX_FILTER_BYTES: usize = 4_096;

/// A view.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedView {
    /// Unique among the person's views.
    pub name: String,
    /// The filters, as the dashboard has them in its URLs.
    pub filter: Map<String, Value>,
    pub saved_at: DateTime<Utc>,
}

/// The views of all people. Cheap to clone.
#[derive(Clone)]
pub struct SavedViews {
    db: Database,
}

impl SavedViews {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// The acting person's views, by name; none for an API key.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<SavedView>> {
        let Identity::User(user, _) = &actor.identity else { return Ok(Vec::new()) };
        let rows = saved_view::Entity::find()
            .filter(saved_view::Column::UserId.eq(user.as_str()))
            .order_by_asc(saved_view::Column::Name);
        self.db.in_time(rows.all(self.db.read())).await?.into_iter().map(SavedView::try_from).collect()
    }

    /// Saves a view, in place of one of the same name.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key; `VALIDATION_FAILED` naming the field; `CONFLICT` for too many views.
    pub async fn save(&self, actor: &Actor, name: &str, filter: &Value) -> Result<SavedView> {
        let user = person(actor)?;
        let name = read_name(name)?;
        let filter = read_filter(filter)?;
        let tx = self.db.begin().await?;
        // Locks the person's row, so that parallel saves are counted one after the other.
        user::Entity::find_by_id(user.as_str()).lock_exclusive().one(&tx).await?;
        let others = saved_view::Entity::find()
            .filter(saved_view::Column::UserId.eq(user.as_str()))
            .filter(saved_view::Column::Name.ne(&name));
        if others.count(&tx).await? >= MAX_VIEWS {
            let message = format!("you can have at most {MAX_VIEWS} saved views: remove one first");
            return Err(Error::new(Code::Conflict, message));
        }
        let row = saved_view::ActiveModel {
            user_id: Set(user.to_string()),
            name: Set(name),
            filter: Set(Value::Object(filter).to_string()),
            saved_at: Set(Utc::now()),
        };
        use saved_view::Column;
        let replace = OnConflict::columns([Column::UserId, Column::Name])
            .update_columns([Column::Filter, Column::SavedAt])
            .to_owned();
        let saved = saved_view::Entity::insert(row).on_conflict(replace).exec_with_returning(&tx).await?;
        tx.commit().await?;
        saved.try_into()
    }

    /// Removes a view; returns false if there is none of this name.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn remove(&self, actor: &Actor, name: &str) -> Result<bool> {
        let user = person(actor)?;
        let Ok(name) = read_name(name) else { return Ok(false) };
        let removed = saved_view::Entity::delete_by_id((user.to_string(), name)).exec(self.db.write());
        Ok(self.db.in_time(removed).await?.rows_affected > 0)
    }
}

impl TryFrom<saved_view::Model> for SavedView {
    type Error = Error;

    fn try_from(row: saved_view::Model) -> Result<Self> {
        let filter = serde_json::from_str(&row.filter).map_err(Error::internal)?;
        Ok(Self { name: row.name, filter, saved_at: row.saved_at })
    }
}

fn person(actor: &Actor) -> Result<&UserId> {
    match &actor.identity {
        Identity::User(id, _) => Ok(id),
        Identity::Key(_) => Err(Error::new(Code::Forbidden, "only people have saved views, not API keys")),
    }
}

fn read_name(name: &str) -> Result<String> {
    let name = name.trim();
    let is_valid = (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.contains(char::is_control);
    match is_valid {
        true => Ok(name.to_owned()),
        false => {
            let message = format!("must have 1 to {MAX_NAME_CHARS} characters, without control characters");
            Err(Error::invalid("name", message))
        }
    }
}

fn read_filter(filter: &Value) -> Result<Map<String, Value>> {
    let Value::Object(filter) = filter else {
        return Err(Error::invalid("filter", "must be an object"));
    };
    let text = Value::Object(filter.clone()).to_string();
    // PostgreSQL stores no NUL.
    if text.len() > MAX_FILTER_BYTES || text.contains("\\u0000") {
        let message = format!("must take at most {MAX_FILTER_BYTES} bytes as JSON, without NUL");
        return Err(Error::invalid("filter", message));
    }
    Ok(filter.clone())
}
