//! The users of an account, and its invitations.

use async_graphql::{Context, Enum, ID, Object};
use domain::{foundation::actor, people::account};
use ports::id::AccountId;

use super::Actor;
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, count_of},
};

/// A user's role in the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Role {
    /// Reads the moderation log and decides on its messages, and nothing else.
    Moderator,
    /// Reads everything.
    Analyst,
    /// Also changes Judges, datasets and API keys.
    Editor,
    /// Also manages users and invitations, and may erase the account.
    Owner,
}

impl From<actor::Role> for Role {
    fn from(role: actor::Role) -> Self {
        match role {
            actor::Role::Moderator => Role::Moderator,
            actor::Role::Analyst => Role::Analyst,
            actor::Role::Editor => Role::Editor,
            actor::Role::Owner => Role::Owner,
        }
    }
}

impl From<Role> for actor::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Moderator => actor::Role::Moderator,
            Role::Analyst => actor::Role::Analyst,
            Role::Editor => actor::Role::Editor,
            Role::Owner => actor::Role::Owner,
        }
    }
}

pub(crate) struct User(pub(crate) account::Person);

pub(crate) type UserConnection = ListConnection<User>;

/// A person who can sign in to the account.
#[Object]
impl User {
    /// The user's id, `user_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The e-mail address that the user signs in with.
    async fn email(&self) -> &str {
        &self.0.email
    }

    /// The user's role in the account.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Whether the user is an operator of the deployment.
    async fn operator(&self) -> bool {
        self.0.operator
    }

    /// When the user joined the account.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

pub(crate) struct Invite(pub(crate) account::Invite);

pub(crate) type InviteConnection = ListConnection<Invite>;

/// An invitation to join the account.
#[Object]
impl Invite {
    /// The invitation's id, `invite_…`.
    async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The e-mail address of the invited person. Nobody else can accept the invitation.
    async fn email(&self) -> &str {
        &self.0.email
    }

    /// The role that the person will have.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Who made the invitation.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.to_string())
    }

    /// When the invitation was made.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When the invitation expires.
    async fn expires_at(&self) -> DateTime {
        self.0.expires_at.into()
    }
}

/// A page of an account's users.
pub(super) async fn people(
    ctx: &Context<'_>,
    account: AccountId,
    args: PageArgs,
) -> FieldResult<UserConnection> {
    let accounts = services(ctx)?.accounts.clone();
    let list = format!("users:{account}");
    let slice = accounts.people(&account, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count =
        count_of(
            (accounts, account),
            |(accounts, account)| async move { accounts.count_people(&account).await },
        );
    Ok(connection(&list, slice, |person| person.id.to_string(), User, count))
}

/// A page of an account's open invitations.
pub(super) async fn invites(
    ctx: &Context<'_>,
    account: AccountId,
    args: PageArgs,
) -> FieldResult<InviteConnection> {
    let accounts = services(ctx)?.accounts.clone();
    let list = format!("invites:{account}");
    let slice = accounts.invites(&account, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count =
        count_of(
            (accounts, account),
            |(accounts, account)| async move { accounts.count_invites(&account).await },
        );
    Ok(connection(&list, slice, |invite| invite.id.to_string(), Invite, count))
}
