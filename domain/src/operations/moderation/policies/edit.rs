//! Creates, changes, archives and restores policies. They are never deleted; a change of the rules creates a version.

use chrono::Utc;
use entity::{api_key, moderation_policy, moderation_policy_version};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait,
    QueryFilter, QuerySelect,
};
use serde_json::{Value, json};

use super::{
    Policies, Policy,
    rows::{lock, of, version_row},
    validate,
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    money::credits::lock_account,
    operations::moderation::rules::{RuleSet, Rules},
};
use ports::id::PolicyId;

/// Maximum number of an account's policies, archived ones aside.
const MAX_POLICIES: u64 = 50;

/// The fields of a new policy.
#[derive(Clone, Debug)]
pub struct NewPolicy {
    /// 1 to 100 characters, unique within the account.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
    /// The rules in JSON.
    pub rules: Value,
}

/// A change of a policy; a field that is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct PolicyChange {
    /// The version that the change is based on; refused when there is a newer one.
    pub version: Option<i32>,
    /// 1 to 100 characters, unique within the account.
    pub name: Option<String>,
    /// Up to 2,000 characters.
    pub description: Option<String>,
    /// The rules in JSON.
    pub rules: Option<Value>,
}

impl Policies {
    /// Creates a policy.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `CONFLICT` for a name that is taken, or when
    /// the account has too many policies.
    pub async fn create(&self, actor: &Actor, new: NewPolicy) -> Result<Policy> {
        actor.require(Role::Editor)?;
        let name = validate::name(&new.name)?;
        let description = validate::description(&new.description)?;
        let rules = checked("rules", &new.rules).await?;
        let id = PolicyId::new();
        let now = Utc::now();
        let row = moderation_policy::ActiveModel {
            id: Set(id.to_string()),
            account_id: Set(actor.account.to_string()),
            name: Set(name.clone()),
            description: Set(description),
            version: Set(1),
            shadow_version: Set(None),
            archived_at: Set(None),
            created_at: Set(now),
            updated_at: Set(now),
        };
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        require_room(&tx, actor).await?;
        require_free(&tx, actor, &name).await?;
        moderation_policy::Entity::insert(row).exec_without_returning(&tx).await?;
        write_version(&tx, &id, 1, &rules, actor).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::ModerationPolicyCreate, id.as_str()))
            .await?;
        tx.commit().await?;
        self.changed(&actor.account);
        self.compile_ahead(&actor.account, &id, &new.rules);
        self.find(&actor.account, &id).await
    }

    /// Changes a policy. The new version decides at once in this process, and within a second in all others.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `NOT_FOUND` without such a policy; `CONFLICT`
    /// for a name that is taken, and when the policy is archived or has a newer version than the one named.
    pub async fn update(&self, actor: &Actor, id: &PolicyId, change: PolicyChange) -> Result<Policy> {
        actor.require(Role::Editor)?;
        let name = change.name.as_deref().map(validate::name).transpose()?;
        let description = change.description.as_deref().map(validate::description).transpose()?;
        let rules = match &change.rules {
            Some(rules) => Some(checked("rules", rules).await?),
            None => None,
        };
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        let now = lock(&tx, &actor.account, id).await?;
        if change.version.is_some_and(|version| version != now.version) {
            let message =
                format!("the policy has changed in the meantime: its version is now {}", now.version);
            return Err(Error::new(Code::Conflict, message));
        }
        if now.archived_at.is_some() {
            let message = "the policy is archived; bring it back before you change it";
            return Err(Error::new(Code::Conflict, message));
        }
        let mut row = moderation_policy::ActiveModel {
            id: Set(id.to_string()),
            updated_at: Set(Utc::now()),
            ..Default::default()
        };
        let mut changed = Vec::new();
        if let Some(rules) = rules
            && rules != version_row(&tx, id.as_str(), now.version).await?.rules
        {
            let number = next_version(&tx, id).await?;
            write_version(&tx, id, number, &rules, actor).await?;
            row.version = Set(number);
            changed.push("version");
        }
        if let Some(name) = name.filter(|name| *name != now.name) {
            require_free(&tx, actor, &name).await?;
            row.name = Set(name);
            changed.push("name");
        }
        if let Some(description) = description.filter(|description| *description != now.description) {
            row.description = Set(description);
            changed.push("description");
        }
        if !changed.is_empty() {
            moderation_policy::Entity::update(row).exec(&tx).await?;
            let detail = json!({ "changed": changed });
            let change =
                audit::Change::by(actor, audit::Action::ModerationPolicyUpdate, id.as_str()).with(detail);
            audit::write(&tx, change).await?;
        }
        tx.commit().await?;
        self.changed(&actor.account);
        if let Some(rules) = &change.rules {
            self.compile_ahead(&actor.account, id, rules);
        }
        self.find(&actor.account, id).await
    }

    /// Archives a policy, so that it no longer decides, or restores it. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a policy; `CONFLICT` while it is the default of an API key,
    /// and when the account has too many policies to restore one.
    pub async fn archive(&self, actor: &Actor, id: &PolicyId, archived: bool) -> Result<Policy> {
        actor.require(Role::Editor)?;
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        let now = lock(&tx, &actor.account, id).await?;
        if now.archived_at.is_some() != archived {
            if archived {
                require_unused(&tx, actor, id).await?;
            } else {
                require_room(&tx, actor).await?;
            }
            let row = moderation_policy::ActiveModel {
                id: Set(id.to_string()),
                archived_at: Set(archived.then(Utc::now)),
                updated_at: Set(Utc::now()),
                ..Default::default()
            };
            moderation_policy::Entity::update(row).exec(&tx).await?;
            let action = if archived {
                audit::Action::ModerationPolicyArchive
            } else {
                audit::Action::ModerationPolicyUnarchive
            };
            audit::write(&tx, audit::Change::by(actor, action, id.as_str())).await?;
        }
        tx.commit().await?;
        self.changed(&actor.account);
        self.find(&actor.account, id).await
    }
}

/// Checks rules and returns them as they are stored. Compiled on a thread of its own: the largest take some 50 ms.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field.
pub(super) async fn checked(field: &'static str, rules: &Value) -> Result<String> {
    let rules = RuleSet::parse(field, rules)?;
    let checked = tokio::task::spawn_blocking(move || {
        Rules::compile(field, &rules)?;
        serde_json::to_string(&rules).map_err(Error::internal)
    });
    checked.await.map_err(Error::internal)?
}

async fn require_room(tx: &DatabaseTransaction, actor: &Actor) -> Result<()> {
    let active = of(&actor.account).filter(moderation_policy::Column::ArchivedAt.is_null());
    if active.count(tx).await? < MAX_POLICIES {
        return Ok(());
    }
    let message =
        format!("an account can have at most {MAX_POLICIES} moderation policies: archive one first");
    Err(Error::new(Code::Conflict, message))
}

async fn require_free(tx: &DatabaseTransaction, actor: &Actor, name: &str) -> Result<()> {
    let taken = of(&actor.account).filter(moderation_policy::Column::Name.eq(name));
    if taken.count(tx).await? == 0 {
        return Ok(());
    }
    Err(Error::taken(
        "name",
        "is already the name of another policy of the account; archived policies keep theirs",
    ))
}

async fn require_unused(tx: &DatabaseTransaction, actor: &Actor, id: &PolicyId) -> Result<()> {
    let key = api_key::Entity::find()
        .filter(api_key::Column::AccountId.eq(actor.account.as_str()))
        .filter(api_key::Column::ModerationPolicyId.eq(id.as_str()))
        .filter(api_key::Column::RevokedAt.is_null());
    match key.one(tx).await? {
        None => Ok(()),
        Some(key) => {
            let message = format!(
                "the policy is the default of the API key {}; give the key another one first",
                key.id
            );
            Err(Error::new(Code::Conflict, message))
        }
    }
}

/// The number of a policy's next version.
pub(super) async fn next_version(tx: &impl ConnectionTrait, id: &PolicyId) -> Result<i32> {
    let newest = moderation_policy_version::Entity::find()
        .select_only()
        .expr(moderation_policy_version::Column::Version.max())
        .filter(moderation_policy_version::Column::PolicyId.eq(id.as_str()))
        .into_tuple::<Option<i32>>();
    Ok(newest.one(tx).await?.flatten().unwrap_or_default() + 1)
}

pub(super) async fn write_version(
    tx: &impl ConnectionTrait,
    id: &PolicyId,
    number: i32,
    rules: &str,
    actor: &Actor,
) -> Result<()> {
    let row = moderation_policy_version::ActiveModel {
        policy_id: Set(id.to_string()),
        version: Set(number),
        rules: Set(rules.to_owned()),
        created_by: Set(actor.name().to_owned()),
        created_at: Set(Utc::now()),
    };
    moderation_policy_version::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}
