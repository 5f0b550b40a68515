//! Invitations. The invited person signs up with the invitation's token, which comes by e-mail where that is
//! configured; otherwise the owner who invites passes it on.

use std::time::Duration;

use chrono::{DateTime, Utc};
use entity::invite;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
};
use serde_json::json;

use super::{Accounts, SignUpMode};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        page::{Page, Slice, slice},
    },
    people::{
        email::{self, Syntax},
        token::{self, Token},
    },
};
use ports::id::{AccountId, InviteId, UserId};

/// How long an invitation can be accepted.
pub const INVITE_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An invitation to join an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invite {
    /// `invite_…`
    pub id: InviteId,
    /// The invited person's e-mail address, in its normal form.
    pub email: String,
    pub role: Role,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
    /// The invitation is invalid from this time on.
    pub expires_at: DateTime<Utc>,
}

/// An invitation that was just made.
#[derive(Debug)]
pub struct NewInvite {
    pub invite: Invite,
    /// With which the person signs up.
    pub token: Token,
    /// Whether the token is sent to them by e-mail.
    pub mailed: bool,
}

impl Accounts {
    /// Invites a person and ends an earlier invitation of the same address to this account. Does not reveal whether the
    /// address belongs to another account; signing up reports that.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner, and where sign-up is closed; `VALIDATION_FAILED` for an invalid
    /// address; `CONFLICT` for an address that is in the account already.
    pub async fn invite(&self, actor: &Actor, email: &str, role: Role) -> Result<NewInvite> {
        actor.require(Role::Owner)?;
        let (by, _) = actor.person()?;
        if self.policy.mode == SignUpMode::Closed {
            return Err(Error::new(
                Code::Forbidden,
                "nobody can sign up here: the setting `sign_up` is `closed`",
            ));
        }
        let email = email::normalize(email, Syntax::Usual)?;
        let token = Token::generate();
        let now = Utc::now();
        let invited = Invite {
            id: InviteId::new(),
            email,
            role,
            created_by: by.clone(),
            created_at: now,
            expires_at: now + INVITE_LIFETIME,
        };
        let tx = self.db.begin().await?;
        let known = email::find_person(&tx, &invited.email).await?;
        if known.is_some_and(|person| person.account_id == actor.account.as_str()) {
            return Err(Error::new(Code::Conflict, "this person is in the account already"));
        }
        let earlier = invite::Entity::delete_many()
            .filter(invite::Column::AccountId.eq(actor.account.as_str()))
            .filter(invite::Column::Email.eq(&invited.email));
        earlier.exec(&tx).await?;
        let row = invite::ActiveModel {
            id: Set(invited.id.to_string()),
            account_id: Set(actor.account.to_string()),
            email: Set(invited.email.clone()),
            role: Set(role.as_str().to_owned()),
            hash: Set(token.hash()),
            created_by: Set(by.to_string()),
            created_at: Set(now),
            expires_at: Set(invited.expires_at),
        };
        invite::Entity::insert(row).exec_without_returning(&tx).await?;
        let change = audit::Change::by(actor, audit::Action::UserInvite, invited.id.as_str());
        audit::write(&tx, change.with(json!({ "role": role.as_str() }))).await?;
        tx.commit().await?;
        let mailed = self.mails.invite(&actor.account, &invited.email, role, &token);
        Ok(NewInvite { invite: invited, token, mailed })
    }

    /// Withdraws an invitation.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner; `NOT_FOUND` for an unknown invitation or one of another account.
    pub async fn revoke_invite(&self, actor: &Actor, id: &InviteId) -> Result<()> {
        actor.require(Role::Owner)?;
        let tx = self.db.begin().await?;
        let revoked = invite::Entity::delete_many()
            .filter(invite::Column::AccountId.eq(actor.account.as_str()))
            .filter(invite::Column::Id.eq(id.as_str()))
            .exec(&tx)
            .await?;
        if revoked.rows_affected == 0 {
            return Err(Error::not_found("invitation"));
        }
        audit::write(&tx, audit::Change::by(actor, audit::Action::InviteRevoke, id.as_str())).await?;
        tx.commit().await?;
        Ok(())
    }

    /// A page of an account's open invitations, newest first, keyed by id.
    pub async fn invites(&self, account: &AccountId, page: Page<String>) -> Result<Slice<Invite>> {
        let rows: Slice<invite::Model> =
            slice(open_invites(account), invite::Column::Id, true, page, self.db.read()).await?;
        rows.try_map(from_row)
    }

    /// Counts an account's open invitations.
    pub async fn count_invites(&self, account: &AccountId) -> Result<u64> {
        Ok(open_invites(account).count(self.db.read()).await?)
    }

    /// Removes expired invitations; returns how many.
    pub async fn prune_invites(&self) -> Result<u64> {
        let expired = invite::Entity::delete_many()
            .filter(invite::Column::ExpiresAt.lte(Utc::now()))
            .exec(self.db.write());
        Ok(expired.await?.rows_affected)
    }
}

/// Consumes the invitation with this token, which must be for `email`; returns it with its account.
pub(super) async fn accept(
    tx: &impl ConnectionTrait,
    token: &str,
    email: &str,
) -> Result<(AccountId, Invite)> {
    let wrong = "is not valid: it was used, withdrawn or is over a week old, or it is for another address";
    let row = invite::Entity::find()
        .filter(invite::Column::Hash.eq(token::hash(token)))
        .filter(invite::Column::Email.eq(email))
        .filter(invite::Column::ExpiresAt.gt(Utc::now()))
        .lock_exclusive()
        .one(tx)
        .await?
        .ok_or_else(|| Error::invalid("invite_token", wrong))?;
    invite::Entity::delete_by_id(&row.id).exec(tx).await?;
    Ok((AccountId::from(row.account_id.clone()), from_row(row)?))
}

fn open_invites(account: &AccountId) -> sea_orm::Select<invite::Entity> {
    invite::Entity::find()
        .filter(invite::Column::AccountId.eq(account.as_str()))
        .filter(invite::Column::ExpiresAt.gt(Utc::now()))
}

fn from_row(row: invite::Model) -> Result<Invite> {
    Ok(Invite {
        id: InviteId::from(row.id),
        email: row.email,
        role: Role::parse(&row.role)?,
        created_by: UserId::from(row.created_by),
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}
