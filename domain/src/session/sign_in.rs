//! Signing in: an address and a password into a session. Says the same, and takes as long, for a wrong password and for an
//! address that nobody has.

use entity::user;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{begin, end_others, throttle::Throttle};
use crate::{
    Code, Error, Result,
    actor::{Actor, Identity},
    audit,
    database::Database,
    password,
    token::Token,
};

/// Tries passwords, and not too often.
#[derive(Default)]
pub struct SignIn {
    throttle: Throttle,
}

/// Somebody has come in.
#[derive(Debug)]
pub struct SignedIn {
    /// Who.
    pub actor: Actor,
    /// What their browser should keep.
    pub secret: Token,
}

impl SignIn {
    /// Signs a person in; `user_agent` is what their browser calls itself.
    ///
    /// # Errors
    /// `UNAUTHORIZED` for a wrong password and for an unknown address, in the same words; `RATE_LIMITED` after too many of
    /// either.
    pub async fn sign_in(
        &self,
        db: &Database,
        email: &str,
        password: &str,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let wrong = || Error::new(Code::Unauthorized, "the address or the password is wrong");
        let email = crate::email::normalize(email)?;
        // The turn first: so that no more addresses are remembered than passwords can be tried.
        let turn = password::turn().await?;
        self.throttle.take(&email)?;
        let found = user::Entity::find().filter(user::Column::Email.eq(&email));
        let found = db.in_time(found.one(db.read())).await?;
        let hash = found.as_ref().and_then(|user| user.password_hash.clone());
        let right = turn.verify(password, hash).await?;
        let Some(user) = found.filter(|_| right) else {
            metrics::counter!("gavel_sign_ins_refused_total").increment(1);
            return Err(wrong());
        };
        self.throttle.forgive(&email);
        let tx = db.begin().await?;
        let signed_in = begin(&tx, &user, user_agent).await?;
        audit::write(&tx, audit::Change::by(&signed_in.actor, "session.begin", signed_in.session())).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Gives a person who is signed in, and knows the present password, a new one. All their other sessions end.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key; `VALIDATION_FAILED` naming `password` when that is wrong, or `newPassword` when that is too
    /// short; `RATE_LIMITED` after too many wrong ones.
    pub async fn change_password(
        &self,
        db: &Database,
        actor: &Actor,
        password: &str,
        new_password: &str,
    ) -> Result<()> {
        let (id, session) = actor.person()?;
        let missing = || Error::new(Code::Unauthorized, "the session has ended");
        let user = user::Entity::find_by_id(id.as_str()).one(db.read()).await?.ok_or_else(missing)?;
        let turn = password::turn().await?;
        self.throttle.take(&user.email)?;
        if !turn.verify(password, user.password_hash).await? {
            return Err(Error::invalid("password", "is not the present password"));
        }
        self.throttle.forgive(&user.email);
        let hash = password::hash("newPassword", new_password).await?;
        let tx = db.begin().await?;
        let new = user::ActiveModel {
            id: sea_orm::ActiveValue::Set(user.id),
            password_hash: sea_orm::ActiveValue::Set(Some(hash)),
            ..Default::default()
        };
        user::Entity::update(new).exec(&tx).await?;
        end_others(&tx, id, Some(session)).await?;
        audit::write(&tx, audit::Change::by(actor, "user.change_password", id.as_str())).await?;
        tx.commit().await?;
        Ok(())
    }
}

impl SignedIn {
    /// `session_…`
    fn session(&self) -> &str {
        match &self.actor.identity {
            Identity::User(_, session) => session.as_str(),
            Identity::Key(_) => "",
        }
    }
}
