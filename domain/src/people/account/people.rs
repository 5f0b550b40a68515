//! The users of an account and their roles. Every account keeps at least one owner.

use chrono::{DateTime, Utc};
use entity::user;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use serde_json::json;

use super::Accounts;
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        page::{Page, Slice, slice},
    },
    people::email,
};
use ports::id::{AccountId, UserId};

/// A user: a person who can sign in to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `user_…`
    pub id: UserId,
    /// The e-mail address, in lower case.
    pub email: String,
    /// The user's role in the account.
    pub role: Role,
    /// True for operators, who run the deployment.
    pub operator: bool,
    pub created_at: DateTime<Utc>,
}

impl Accounts {
    /// Finds a user of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown user or one of another account.
    pub async fn person(&self, account: &AccountId, id: &UserId) -> Result<Person> {
        let row = people_of(account).filter(user::Column::Id.eq(id.as_str()));
        from_row(self.db.in_time(row.one(self.db.read())).await?.ok_or_else(no_user)?)
    }

    /// Finds those of these users who are in the account, in any order.
    pub async fn people_by_id(&self, account: &AccountId, ids: &[UserId]) -> Result<Vec<Person>> {
        let rows = people_of(account).filter(user::Column::Id.is_in(ids.iter().map(UserId::as_str)));
        self.db.in_time(rows.all(self.db.read())).await?.into_iter().map(from_row).collect()
    }

    /// A page of an account's users, oldest first, keyed by id.
    pub async fn people(&self, account: &AccountId, page: Page<String>) -> Result<Slice<Person>> {
        let rows: Slice<user::Model> =
            slice(people_of(account), user::Column::Id, false, page, self.db.read()).await?;
        rows.try_map(from_row)
    }

    /// Counts an account's users.
    pub async fn count_people(&self, account: &AccountId) -> Result<u64> {
        Ok(people_of(account).count(self.db.read()).await?)
    }

    /// Changes a user's role. It applies from the user's next request on.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner; `NOT_FOUND` for a user outside the account; `CONFLICT` when no owner
    /// would be left.
    pub async fn set_role(&self, actor: &Actor, id: &UserId, role: Role) -> Result<Person> {
        actor.require(Role::Owner)?;
        let tx = self.db.begin().await?;
        let now = lock_person(&tx, &actor.account, id).await?;
        if now.role != role {
            if now.role == Role::Owner {
                keep_an_owner(&tx, &actor.account, id).await?;
            }
            let row = user::ActiveModel {
                id: Set(id.to_string()),
                role: Set(role.as_str().to_owned()),
                ..Default::default()
            };
            user::Entity::update(row).exec(&tx).await?;
            let detail = json!({ "from": now.role.as_str(), "to": role.as_str() });
            audit::write(&tx, audit::Change::by(actor, audit::Action::UserSetRole, id.as_str()).with(detail))
                .await?;
        }
        tx.commit().await?;
        Ok(Person { role, ..now })
    }

    /// Removes a user from the account and ends the user's sessions.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner; `NOT_FOUND` for a user outside the account; `CONFLICT` when no owner
    /// would be left.
    pub async fn remove_person(&self, actor: &Actor, id: &UserId) -> Result<()> {
        actor.require(Role::Owner)?;
        let tx = self.db.begin().await?;
        if lock_person(&tx, &actor.account, id).await?.role == Role::Owner {
            keep_an_owner(&tx, &actor.account, id).await?;
        }
        user::Entity::delete_by_id(id.as_str()).exec(&tx).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::UserRemove, id.as_str())).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes a user an operator of the deployment, or no longer one. For the command line.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown address.
    pub async fn set_operator(&self, email: &str, operator: bool) -> Result<UserId> {
        let tx = self.db.begin().await?;
        let row = email::find_person(&tx, email).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no user {email}")))?;
        user::Entity::update_many()
            .col_expr(user::Column::Operator, Expr::value(operator))
            .filter(user::Column::Id.eq(&row.id))
            .exec(&tx)
            .await?;
        let account = AccountId::from(row.account_id);
        let id = UserId::from(row.id);
        let change = audit::Change::by_command_line(&account, audit::Action::UserSetOperator, id.as_str());
        audit::write(&tx, change.with(json!({ "operator": operator }))).await?;
        tx.commit().await?;
        Ok(id)
    }
}

fn people_of(account: &AccountId) -> sea_orm::Select<user::Entity> {
    user::Entity::find().filter(user::Column::AccountId.eq(account.as_str()))
}

fn from_row(row: user::Model) -> Result<Person> {
    Ok(Person {
        id: UserId::from(row.id),
        email: row.email,
        role: Role::parse(&row.role)?,
        operator: row.operator,
        created_at: row.created_at,
    })
}

fn no_user() -> Error {
    Error::not_found("user")
}

/// Reads a user and locks all owners until the transaction ends, so that two owners cannot demote or remove each other
/// at once.
async fn lock_person(tx: &DatabaseTransaction, account: &AccountId, id: &UserId) -> Result<Person> {
    let rows = people_of(account)
        .filter(user::Column::Id.eq(id.as_str()).or(user::Column::Role.eq(Role::Owner.as_str())))
        .order_by_asc(user::Column::Id)
        .lock_exclusive();
    let found = rows.all(tx).await?.into_iter().find(|row| row.id == id.as_str());
    from_row(found.ok_or_else(no_user)?)
}

async fn keep_an_owner(tx: &impl ConnectionTrait, account: &AccountId, except: &UserId) -> Result<()> {
    let others = people_of(account)
        .filter(user::Column::Role.eq(Role::Owner.as_str()))
        .filter(user::Column::Id.ne(except.as_str()));
    if others.count(tx).await? > 0 {
        return Ok(());
    }
    Err(Error::new(
        Code::Conflict,
        "an account must have at least one owner: make somebody else an owner first",
    ))
}
