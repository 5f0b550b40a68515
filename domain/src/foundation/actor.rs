//! Actors: who manages an account, how they were authenticated, and what they may do.

use strum::{EnumString, IntoStaticStr};

use crate::{Code, Error, Result};
use ports::id::{AccountId, KeyId, SessionId, UserId};

/// A role in an account. The roles are ordered: each includes the permissions of those before it, except that only a
/// moderator and an editor decide on the messages of a moderation log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// May read the moderation log and decide on its messages, and nothing else.
    Moderator,
    /// May read everything.
    Analyst,
    /// May change Judges, datasets and API keys.
    Editor,
    /// May invite, remove and change users, and erase the account.
    Owner,
}

impl Role {
    /// Every role, in ascending order.
    pub const ALL: [Role; 4] = [Role::Moderator, Role::Analyst, Role::Editor, Role::Owner];

    /// The role's name in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name. The error for an unknown one lists those allowed.
    pub fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::invalid("role", "must be one of: owner, editor, analyst, moderator"))
    }
}

/// How an actor was authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A user, by a browser session.
    User(UserId, SessionId),
    /// A program, by an API key.
    Key(KeyId),
}

/// A signed-in user, or a program with an API key, that manages an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The only account that the actor can read or change.
    pub account: AccountId,
    pub identity: Identity,
    /// The actor's role in the account.
    pub role: Role,
    /// Whether this is an operator, who may administer all accounts.
    pub operator: bool,
}

impl Actor {
    /// The actor's id in the audit log: `user_…` or `key_…`.
    pub fn name(&self) -> &str {
        match &self.identity {
            Identity::User(user, _) => user.as_str(),
            Identity::Key(key) => key.as_str(),
        }
    }

    /// The user and the session.
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
    /// `FORBIDDEN` if the actor's role is lower than `role`.
    pub fn require(&self, role: Role) -> Result<()> {
        if self.role >= role {
            return Ok(());
        }
        let message = format!("this needs the role {}, and yours is {}", role.as_str(), self.role.as_str());
        Err(Error::new(Code::Forbidden, message))
    }

    /// Requires a role that may decide on the messages of a moderation log.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst.
    pub fn require_moderator(&self) -> Result<()> {
        if self.role == Role::Moderator { Ok(()) } else { self.require(Role::Editor) }
    }

    /// # Errors
    /// `FORBIDDEN` unless the actor is an operator.
    pub fn require_operator(&self) -> Result<()> {
        if self.operator { Ok(()) } else { Err(Error::new(Code::Forbidden, "this is for operators")) }
    }
}
