//! The people of an account: who they are, what they may do, how they leave. Every account keeps an owner.

use chrono::{DateTime, Utc};
use entity::user;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use serde_json::json;

use crate::{
    Code, Error, Result,
    actor::{Actor, Role},
    audit,
    database::Database,
    id::{AccountId, UserId},
    page::{Page, Slice, slice},
};

/// Somebody who can sign in to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `user_…`
    pub id: UserId,
    /// Lower-cased.
    pub email: String,
    /// What they may do in the account.
    pub role: Role,
    /// Whether they run the deployment.
    pub operator: bool,
    /// When they joined.
    pub created_at: DateTime<Utc>,
}

/// One of an account's people.
///
/// # Errors
/// `NOT_FOUND` without them, in the same words for somebody of another account.
pub async fn person(db: &Database, account: &AccountId, id: &UserId) -> Result<Person> {
    let row = of(account).filter(user::Column::Id.eq(id.as_str()));
    read(db.in_time(row.one(db.read())).await?.ok_or_else(nobody)?)
}

/// A page of an account's people, those who joined first first; keys are ids.
pub async fn people(db: &Database, account: &AccountId, page: Page<String>) -> Result<Slice<Person>> {
    let Slice { items, has_previous, has_next } =
        slice(of(account), user::Column::Id, false, page, db.read()).await?;
    let items = items.into_iter().map(read).collect::<Result<_>>()?;
    Ok(Slice { items, has_previous, has_next })
}

/// How many people an account has.
pub async fn count_people(db: &Database, account: &AccountId) -> Result<u64> {
    Ok(of(account).count(db.read()).await?)
}

/// Gives somebody another role; it counts from their next request on.
///
/// # Errors
/// `FORBIDDEN` unless an owner does it, `NOT_FOUND` without such a person in the account, `CONFLICT` when no owner would be left.
pub async fn set_role(db: &Database, actor: &Actor, id: &UserId, role: Role) -> Result<Person> {
    actor.require(Role::Owner)?;
    let tx = db.begin().await?;
    let now = lock(&tx, &actor.account, id).await?;
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
        audit::write(&tx, audit::Change::by(actor, "user.set_role", id.as_str()).with(detail)).await?;
    }
    tx.commit().await?;
    Ok(Person { role, ..now })
}

/// Removes somebody from an account. Their sessions end.
///
/// # Errors
/// `FORBIDDEN` unless an owner does it, `NOT_FOUND` without such a person in the account, `CONFLICT` when no owner would be left.
pub async fn remove_person(db: &Database, actor: &Actor, id: &UserId) -> Result<()> {
    actor.require(Role::Owner)?;
    let tx = db.begin().await?;
    if lock(&tx, &actor.account, id).await?.role == Role::Owner {
        keep_an_owner(&tx, &actor.account, id).await?;
    }
    user::Entity::delete_by_id(id.as_str()).exec(&tx).await?;
    audit::write(&tx, audit::Change::by(actor, "user.remove", id.as_str())).await?;
    tx.commit().await?;
    Ok(())
}

/// Has a person run the deployment, or no longer: for the command line.
///
/// # Errors
/// `NOT_FOUND` without a person of this address.
pub async fn set_operator(db: &Database, email: &str, operator: bool) -> Result<UserId> {
    let email = crate::email::normalize(email)?;
    let tx = db.begin().await?;
    let row = user::Entity::find().filter(user::Column::Email.eq(&email)).one(&tx).await?;
    let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("no user {email}")))?;
    user::Entity::update_many()
        .col_expr(user::Column::Operator, Expr::value(operator))
        .filter(user::Column::Id.eq(&row.id))
        .exec(&tx)
        .await?;
    let (account, id) = (AccountId::from(row.account_id), UserId::from(row.id));
    let change = audit::Change::by_command_line(&account, "user.set_operator", id.as_str());
    audit::write(&tx, change.with(json!({ "operator": operator }))).await?;
    tx.commit().await?;
    Ok(id)
}

fn of(account: &AccountId) -> sea_orm::Select<user::Entity> {
    user::Entity::find().filter(user::Column::AccountId.eq(account.as_str()))
}

fn read(row: user::Model) -> Result<Person> {
    Ok(Person {
        id: UserId::from(row.id),
        email: row.email,
        role: Role::parse(&row.role)?,
        operator: row.operator,
        created_at: row.created_at,
    })
}

fn nobody() -> Error {
    Error::new(Code::NotFound, "there is no such user")
}

/// Reads a person and keeps all owners as they are until the transaction ends, so that two of them cannot make each other go.
async fn lock(tx: &DatabaseTransaction, account: &AccountId, id: &UserId) -> Result<Person> {
    let rows = of(account)
        .filter(user::Column::Id.eq(id.as_str()).or(user::Column::Role.eq(Role::Owner.as_str())))
        .order_by_asc(user::Column::Id)
        .lock_exclusive();
    let found = rows.all(tx).await?.into_iter().find(|row| row.id == id.as_str());
    read(found.ok_or_else(nobody)?)
}

async fn keep_an_owner(tx: &impl ConnectionTrait, account: &AccountId, but: &UserId) -> Result<()> {
    let others = of(account)
        .filter(user::Column::Role.eq(Role::Owner.as_str()))
        .filter(user::Column::Id.ne(but.as_str()));
    if others.count(tx).await? > 0 {
        return Ok(());
    }
    Err(Error::new(Code::Conflict, "an account keeps at least one owner: make somebody else an owner first"))
}
