//! Which e-mails people want, and unsubscribe links: one for each kind of e-mail, which need no sign-in.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use entity::user;
use hmac::{Hmac, Mac};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use sha2::Sha256;
use strum::{Display, EnumString};

use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity},
        database::Database,
        deployment_secret::DeploymentSecret,
    },
};
use ports::id::UserId;

/// A kind of e-mail that people can do without. Its text is the name in links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum MailKind {
    /// What their account did in a week.
    WeeklySummary,
    /// That the credits of their account run low.
    LowBalance,
}

impl MailKind {
    /// The column that says who wants it.
    pub(super) fn column(self) -> user::Column {
        match self {
            Self::WeeklySummary => user::Column::WeeklySummary,
            Self::LowBalance => user::Column::LowBalance,
        }
    }
}

/// Which e-mails a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailPreferences {
    pub weekly_summary: bool,
    pub low_balance: bool,
}

/// What people want to be told. Cheap to clone.
#[derive(Clone)]
pub struct OptionalMails {
    db: Database,
}

/// Signs the links that unsubscribe.
pub(super) struct UnsubscribeKey([u8; 32]);

impl UnsubscribeKey {
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub(super) async fn read(db: &Database) -> Result<Self> {
        Ok(Self(DeploymentSecret::Unsubscribe.read(db).await?))
    }

    /// The token of a link: the kind, the user and a code of both. It does not expire.
    ///
    /// # Errors
    /// None that can happen: a key may have any length.
    pub(super) fn token(&self, user: &UserId, kind: MailKind) -> Result<String> {
        let code = BASE64_URL_SAFE_NO_PAD.encode(self.code(user, kind)?.finalize().into_bytes());
        Ok(format!("{kind}-{user}-{code}"))
    }

    /// Reads a token; `None` if it was not made with this key.
    fn read_token(&self, token: &str) -> Option<(UserId, MailKind)> {
        let mut parts = token.splitn(3, '-');
        let kind: MailKind = parts.next()?.parse().ok()?;
        let user = UserId::read(parts.next()?)?;
        let code = BASE64_URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        self.code(&user, kind).ok()?.verify_slice(&code).ok()?;
        Some((user, kind))
    }

    fn code(&self, user: &UserId, kind: MailKind) -> Result<Hmac<Sha256>> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.0).map_err(Error::internal)?;
        code.update(format!("{kind}-{user}").as_bytes());
        Ok(code)
    }
}

impl OptionalMails {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// Ends the e-mails of a link's kind to the person whom it was sent to; returns the kind. Repeating is no error.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a token of no link.
    pub async fn unsubscribe(&self, token: &str) -> Result<MailKind> {
        let key = UnsubscribeKey::read(&self.db).await?;
        let read = key.read_token(token);
        let (id, kind) =
            read.ok_or_else(|| Error::invalid("token", "is not the token of a link in an e-mail"))?;
        let change = user::Entity::update_many()
            .col_expr(kind.column(), Expr::value(false))
            .filter(user::Column::Id.eq(id.as_str()));
        self.db.in_time(change.exec(self.db.write())).await?;
        Ok(kind)
    }

    /// Which e-mails the acting person wants.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn preferences(&self, actor: &Actor) -> Result<MailPreferences> {
        let row = user::Entity::find_by_id(person(actor)?.as_str()).one(self.db.read());
        let row = self.db.in_time(row).await?.ok_or_else(|| Error::not_found("user"))?;
        Ok(MailPreferences { weekly_summary: row.weekly_summary, low_balance: row.low_balance })
    }

    /// Sets which e-mails the acting person wants.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn set_preferences(&self, actor: &Actor, wanted: MailPreferences) -> Result<()> {
        let row = user::ActiveModel {
            id: Set(person(actor)?.to_string()),
            weekly_summary: Set(wanted.weekly_summary),
            low_balance: Set(wanted.low_balance),
            ..Default::default()
        };
        self.db.in_time(user::Entity::update(row).exec(self.db.write())).await?;
        Ok(())
    }
}

fn person(actor: &Actor) -> Result<&UserId> {
    match &actor.identity {
        Identity::User(id, _) => Ok(id),
        Identity::Key(_) => Err(Error::new(Code::Forbidden, "only people get e-mail, not API keys")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_one_person_and_one_kind_and_cannot_be_made_up() {
        let key = UnsubscribeKey([7; 32]);
        let user = UserId::new();
        let token = key.token(&user, MailKind::LowBalance).unwrap();
        assert_eq!(key.read_token(&token), Some((user.clone(), MailKind::LowBalance)));
        assert_eq!(UnsubscribeKey([8; 32]).read_token(&token), None);
        let other_kind = token.replace("low_balance", "weekly_summary");
        let other_user = token.replace(user.as_str(), UserId::new().as_str());
        for forged in [&other_kind, &other_user, &token[..token.len() - 2], "", "low_balance-user_1-"] {
            assert_eq!(key.read_token(forged), None, "{forged}");
        }
    }
}
