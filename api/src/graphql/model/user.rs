//! People of an account, and those who are invited to it.

use async_graphql::{Context, Enum, ID, Object};
use domain::{account, actor, id::AccountId};

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection},
};

/// What somebody may do in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Role {
    /// Look at everything.
    Analyst,
    /// Change Judges, datasets and API keys as well.
    Editor,
    /// Decide who else may do what as well, and end the account.
    Owner,
}

impl From<actor::Role> for Role {
    fn from(role: actor::Role) -> Self {
        match role {
            actor::Role::Analyst => Role::Analyst,
            actor::Role::Editor => Role::Editor,
            actor::Role::Owner => Role::Owner,
        }
    }
}

impl From<Role> for actor::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Analyst => actor::Role::Analyst,
            Role::Editor => actor::Role::Editor,
            Role::Owner => actor::Role::Owner,
        }
    }
}

/// Somebody who can sign in to the account.
pub(crate) struct User(pub(crate) account::Person);

/// A page of people.
pub(crate) type UserConnection = ListConnection<User>;

/// Somebody who can sign in to the account.
#[Object]
impl User {
    /// `user_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// Their e-mail address, which they sign in with.
    async fn email(&self) -> &str {
        &self.0.email
    }

    /// What they may do in the account.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Whether they run the deployment as well.
    async fn operator(&self) -> bool {
        self.0.operator
    }

    /// When they joined.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// Somebody who may join the account.
pub(crate) struct Invite(pub(crate) account::Invite);

/// A page of invitations.
pub(crate) type InviteConnection = ListConnection<Invite>;

/// Somebody who may join the account.
#[Object]
impl Invite {
    /// `invite_…`
    async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// Whom it is for; nobody else can accept it.
    async fn email(&self) -> &str {
        &self.0.email
    }

    /// As what they would join.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Who invited them: the id of a user.
    async fn created_by(&self) -> ID {
        ID(self.0.created_by.to_string())
    }

    /// When they were invited.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When it can no longer be accepted.
    async fn expires_at(&self) -> DateTime {
        self.0.expires_at.into()
    }
}

/// A page of an account's people.
pub(super) async fn people(
    ctx: &Context<'_>,
    account: AccountId,
    args: PageArgs,
) -> FieldResult<UserConnection> {
    let db = services(ctx)?.db.clone();
    let list = format!("users:{account}");
    let slice = account::people(&db, &account, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count = move || {
        let (db, account) = (db.clone(), account.clone());
        Box::pin(async move { account::count_people(&db, &account).await }) as _
    };
    Ok(connection(&list, slice, |person| person.id.to_string(), User, Box::new(count)))
}

/// A page of an account's open invitations.
pub(super) async fn invites(
    ctx: &Context<'_>,
    account: AccountId,
    args: PageArgs,
) -> FieldResult<InviteConnection> {
    let db = services(ctx)?.db.clone();
    let list = format!("invites:{account}");
    let slice = account::invites(&db, &account, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count = move || {
        let (db, account) = (db.clone(), account.clone());
        Box::pin(async move { account::count_invites(&db, &account).await }) as _
    };
    Ok(connection(&list, slice, |invite| invite.id.to_string(), Invite, Box::new(count)))
}
