//! Sign-in by e-mail address and password. A wrong password and an unknown address give the same answer after the same
//! time.

use entity::user;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};

use super::{
    KnownDevice, begin, device, end_others,
    throttle::{Origin, Throttle},
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity},
        audit,
        database::Database,
        network::Network,
    },
    people::{
        password::{self, Requester},
        token::Token,
    },
};
use ports::id::UserId;

/// Verifies passwords, with a limited number of attempts for each address.
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
    /// The token by which the browser is known when its user signs in again.
    pub device: String,
}

/// An attempt to sign in.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    pub email: &'a str,
    pub password: &'a str,
    /// The browser's `User-Agent`.
    pub user_agent: &'a str,
    /// The network that the request came from.
    pub network: Network,
    /// The browser's device, if somebody has signed in there before.
    pub device: Option<&'a KnownDevice>,
}

impl SignIn {
    /// Signs a user in and creates a session.
    ///
    /// # Errors
    /// `UNAUTHORIZED` for a wrong password and for an unknown address, with the same message; `RATE_LIMITED` after too
    /// many failed attempts.
    pub async fn sign_in(&self, db: &Database, attempt: Attempt<'_>) -> Result<SignedIn> {
        let wrong = || Error::new(Code::Unauthorized, "the address or the password is wrong");
        let email = crate::people::email::normalize(attempt.email)?;
        let found = user::Entity::find().filter(user::Column::Email.eq(&email));
        let found = db.in_time(found.one(db.read())).await?;
        let known =
            |user: &&user::Model| attempt.device.is_some_and(|device| device.user.as_str() == user.id);
        let (origin, requester) = match found.as_ref().filter(known) {
            Some(user) => (Origin::KnownDevice, Requester::User(UserId::from(user.id.clone()))),
            None => (Origin::Network(attempt.network), Requester::Network(attempt.network)),
        };
        self.throttle.check(&origin, &email)?;
        // The permit comes before the count, which bounds the addresses that the throttle has to store.
        let permit = password::hash_permit(&requester).await?;
        self.throttle.count_attempt(&origin, &email)?;
        let hash = found.as_ref().and_then(|user| user.password_hash.clone());
        let right = permit.verify(attempt.password, hash).await?;
        let Some(user) = found.filter(|_| right) else {
            metrics::counter!("gavel_sign_ins_refused_total").increment(1);
            return Err(wrong());
        };
        self.throttle.forgive(&origin, &email);
        let tx = db.begin().await?;
        // The password may have been changed while it was verified. Until this transaction ends it cannot be, and a change
        // after it ends this session too.
        let now = user::Entity::find_by_id(&user.id).lock_shared().one(&tx).await?;
        if now.is_none_or(|now| now.password_hash != user.password_hash) {
            return Err(wrong());
        }
        let signed_in = begin(&tx, &user, attempt.user_agent).await?;
        audit::write(
            &tx,
            audit::Change::by(&signed_in.actor, audit::Action::SessionBegin, signed_in.session()),
        )
        .await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Changes the password of a signed-in user, who must know the present one. Ends all the user's other sessions, and
    /// returns a new token for the device.
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
    ) -> Result<String> {
        let (id, session) = actor.person()?;
        let missing = || Error::new(Code::Unauthorized, "the session has ended");
        let user = user::Entity::find_by_id(id.as_str()).one(db.read()).await?.ok_or_else(missing)?;
        let requester = Requester::User(id.clone());
        let origin = Origin::KnownDevice;
        let permit = password::hash_permit(&requester).await?;
        self.throttle.count_attempt(&origin, &user.email)?;
        let wrong = || Error::invalid("password", "is not the present password");
        if !permit.verify(password, user.password_hash.clone()).await? {
            return Err(wrong());
        }
        self.throttle.forgive(&origin, &user.email);
        let hash = password::hash("newPassword", new_password, &requester).await?;
        let tx = db.begin().await?;
        // Only if it is still the one that was verified.
        let changed = user::Entity::update_many()
            .col_expr(user::Column::PasswordHash, Expr::value(hash.as_str()))
            .filter(user::Column::Id.eq(id.as_str()))
            .filter(user::Column::PasswordHash.eq(user.password_hash.as_deref()))
            .exec(&tx)
            .await?;
        if changed.rows_affected == 0 {
            return Err(wrong());
        }
        end_others(&tx, id, Some(session)).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::UserChangePassword, id.as_str())).await?;
        tx.commit().await?;
        Ok(device::token(&user::Model { password_hash: Some(hash), ..user }))
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
