//! Actors: who manages an account, how they proved who they are, and what they may do.

use crate::{
    Code, Error, Result,
    id::{AccountId, KeyId, SessionId, UserId},
};

/// What somebody may do in an account; each may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Look at everything.
    Analyst,
    /// Change Judges, datasets and API keys.
    Editor,
    /// Decide who else may do what, and end the account.
    Owner,
}

impl Role {
    /// Every role, the least first.
    pub const ALL: [Role; 3] = [Role::Analyst, Role::Editor, Role::Owner];

    /// The name in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Analyst => "analyst",
            Role::Editor => "editor",
            Role::Owner => "owner",
        }
    }

    /// Reads a name; an unknown one is an error naming the allowed ones.
    pub fn parse(name: &str) -> Result<Self> {
        let wrong = || Error::invalid("role", "must be one of: owner, editor, analyst");
        Role::ALL.into_iter().find(|role| role.as_str() == name).ok_or_else(wrong)
    }
}

/// How an actor has proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A person, by the session of their browser.
    User(UserId, SessionId),
    /// A program, by an API key.
    Key(KeyId),
}

/// A person who is signed in, or a program with an API key, that manages an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The account; nobody ever sees another.
    pub account: AccountId,
    /// How they proved who they are.
    pub identity: Identity,
    /// What they may do in it.
    pub role: Role,
    /// Whether they run the deployment, and so see all accounts.
    pub operator: bool,
}

impl Actor {
    /// `user_…` or `key_…`, as audit trails name them.
    pub fn name(&self) -> &str {
        match &self.identity {
            Identity::User(user, _) => user.as_str(),
            Identity::Key(key) => key.as_str(),
        }
    }

    /// The person and their session.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub fn person(&self) -> Result<(&UserId, &SessionId)> {
        match &self.identity {
            Identity::User(user, session) => Ok((user, session)),
            Identity::Key(_) => {
                Err(Error::new(Code::Forbidden, "this is for people who are signed in, not for API keys"))
            }
        }
    }

    /// # Errors
    /// `FORBIDDEN` for somebody who may do less than `role`.
    pub fn require(&self, role: Role) -> Result<()> {
        if self.role >= role {
            return Ok(());
        }
        let message = format!("this needs the role {}, and yours is {}", role.as_str(), self.role.as_str());
        Err(Error::new(Code::Forbidden, message))
    }

    /// # Errors
    /// `FORBIDDEN` for somebody who does not run the deployment.
    pub fn require_operator(&self) -> Result<()> {
        if self.operator { Ok(()) } else { Err(Error::new(Code::Forbidden, "this is for operators")) }
    }
}
