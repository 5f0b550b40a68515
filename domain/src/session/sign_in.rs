//! Sign-in by e-mail address and password. A wrong password and an unknown address give the same answer after the same
//! time.

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

/// Verifies passwords, with a limited number of attempts per address.
#[derive(Default)]
pub struct SignIn {
    throttle: Throttle,
}

/// A new session.
#[derive(Debug)]
pub struct SignedIn {
    pub actor: Actor,
    /// The secret for the browser's cookie.
    pub secret: Token,
}

impl SignIn {
    /// Signs a user in and creates a session. `user_agent` is the browser's `User-Agent`.
    ///
    /// # Errors
    /// `UNAUTHORIZED` for a wrong password and for an unknown address, with the same message; `RATE_LIMITED` after too
    /// many failed attempts.
    pub async fn sign_in(
        &self,
        db: &Database,
        email: &str,
        password: &str,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let wrong = || Error::new(Code::Unauthorized, "the address or the password is wrong");
        let email = crate::email::normalize(email)?;
        // The permit comes first, which bounds the addresses that the throttle has to store.
        let permit = password::hash_permit().await?;
        self.throttle.count_attempt(&email)?;
        let found = user::Entity::find().filter(user::Column::Email.eq(&email));
        let found = db.in_time(found.one(db.read())).await?;
        let hash = found.as_ref().and_then(|user| user.password_hash.clone());
        let right = permit.verify(password, hash).await?;
        let Some(user) = found.filter(|_| right) else {
            metrics::counter!("gavel_sign_ins_refused_total").increment(1);
            return Err(wrong());
        };
        self.throttle.reset(&email);
        let tx = db.begin().await?;
        let signed_in = begin(&tx, &user, user_agent).await?;
        audit::write(&tx, audit::Change::by(&signed_in.actor, "session.begin", signed_in.session())).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Changes the password of a signed-in user, who must know the present one. Ends all the user's other sessions.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key; `VALIDATION_FAILED`, naming `password` when it is wrong, or `newPassword` when it is
    /// too short or too long; `RATE_LIMITED` after too many failed attempts.
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
        let permit = password::hash_permit().await?;
        self.throttle.count_attempt(&user.email)?;
        if !permit.verify(password, user.password_hash).await? {
            return Err(Error::invalid("password", "is not the present password"));
        }
        self.throttle.reset(&user.email);
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
