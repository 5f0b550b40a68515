//! Who manages: a person who is signed in, or an API key that may look or change. Says what they may do; how they prove who
//! they are is `session`'s and `api_key`'s.

use crate::{
    Code, Error, Result,
    api_key::{Identity, Scope},
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

/// How somebody has proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A person, by the session of their browser.
    User(UserId, SessionId),
    /// A program, by an API key.
    Key(KeyId),
}

/// Somebody who manages an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The account; nobody ever sees another.
    pub account: AccountId,
    /// Who it is.
    pub who: Who,
    /// What they may do in it.
    pub role: Role,
    /// Whether they run the deployment, and so see all accounts.
    pub operator: bool,
}

impl Actor {
    /// Whoever holds an API key: `manage` makes an editor, `read` an analyst.
    ///
    /// # Errors
    /// `FORBIDDEN` for a key with neither.
    pub fn with_key(identity: &Identity) -> Result<Self> {
        let has = |scope| identity.scopes.contains(&scope);
        let role = match (has(Scope::Manage), has(Scope::Read)) {
            (true, _) => Role::Editor,
            (_, true) => Role::Analyst,
            _ => {
                let message = "the API key lacks the scope `manage` or `read`";
                return Err(Error::new(Code::Forbidden, message));
            }
        };
        let who = Who::Key(identity.key.clone());
        Ok(Self { account: identity.account.clone(), who, role, operator: false })
    }

    /// `user_…` or `key_…`, as audit trails name them.
    pub fn name(&self) -> &str {
        match &self.who {
            Who::User(user, _) => user.as_str(),
            Who::Key(key) => key.as_str(),
        }
    }

    /// The person and their session.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub fn person(&self) -> Result<(&UserId, &SessionId)> {
        match &self.who {
            Who::User(user, session) => Ok((user, session)),
            Who::Key(_) => {
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
