//! People of an account.

use async_graphql::{Enum, ID, Object};
use chrono::{DateTime, Utc};
use domain::{account, actor};

use crate::graphql::page::connection;

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

connection! {
    /// A page of people.
    UserConnection;
    /// Somebody in a page.
    UserEdge of User
}

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
    async fn created_at(&self) -> DateTime<Utc> {
        self.0.created_at
    }
}
