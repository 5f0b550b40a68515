//! Sign-in by e-mail address and password. A wrong password and an unknown address give the same answer after the same
//! time.

use entity::user;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};

use super::{
    KnownDevice, SignedIn, begin, device, end_others,
    throttle::{Origin, Throttle},
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit, database::Database, network::Network},
    people::{
        email::{self, Syntax},
        mail::Mails,
        password::{self, Requester},
        proof_of_work::ProofsOfWork,
    },
};
use ports::id::UserId;

/// Verifies passwords and replaces forgotten ones, with a limited number of attempts for each address.
pub struct SignIn {
    pub(super) db: Database,
    pub(super) proofs: ProofsOfWork,
    pub(super) mails: Mails,
    throttle: Throttle,
    /// Counts requests for links that set a new password.
    pub(super) resets: Throttle,
}

/// An attempt to sign in.
#[derive(Clone)]
pub struct Attempt<'a> {
    pub email: &'a str,
    pub password: &'a str,
    /// The browser's `User-Agent`.
    pub user_agent: &'a str,
    /// The network that the request came from.
    pub network: Network,
    /// The browser's device, if somebody has signed in there before.
    pub device: Option<&'a KnownDevice>,
    /// The solved challenge, if there is one.
    pub proof_of_work: Option<&'a str>,
}

impl SignIn {
    pub fn new(db: Database, proofs: ProofsOfWork, mails: Mails) -> Self {
        Self {
            db,
            proofs,
            mails,
            throttle: Throttle::of("wrong passwords"),
            resets: Throttle::of("requests for a new password"),
        }
    }

    /// Signs a user in and creates a session.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, naming `proof_of_work`, on a device that is not known, when one is needed and missing or
    /// wrong; `UNAUTHORIZED` for a wrong password and for an unknown address, with the same message; `RATE_LIMITED`
    /// after too many failed attempts.
    pub async fn sign_in(&self, attempt: Attempt<'_>) -> Result<SignedIn> {
        // Who has no device at all is refused before anything is read for them.
        if attempt.device.is_none() {
            self.proofs.accept(attempt.email, attempt.proof_of_work)?;
        }
        let email = email::normalize(attempt.email, Syntax::Any)?;
        let found = self.db.in_time(email::find_person(self.db.read(), &email)).await?;
        let known = found.as_ref().filter(|user| attempt.is_from_device_of(user));
        if known.is_none() && attempt.device.is_some() {
            self.proofs.accept(attempt.email, attempt.proof_of_work)?;
        }
        let (origin, requester) = match known {
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
            return Err(wrong_credentials());
        };
        self.throttle.forgive(&origin, &email);
        password::uncount(&requester);
        let tx = self.db.begin().await?;
        // The password may have been changed while it was verified. Until this transaction ends it cannot be, and a
        // change after it ends this session too.
        let now = user::Entity::find_by_id(&user.id).lock_shared().one(&tx).await?;
        if now.is_none_or(|now| now.password_hash != user.password_hash) {
            return Err(wrong_credentials());
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
    pub async fn change_password(&self, actor: &Actor, password: &str, new_password: &str) -> Result<String> {
        let (id, session) = actor.person()?;
        let user = user::Entity::find_by_id(id.as_str()).one(self.db.read()).await?;
        let user = user.ok_or_else(|| Error::new(Code::Unauthorized, "the session has ended"))?;
        let requester = Requester::User(id.clone());
        let origin = Origin::KnownDevice;
        let permit = password::hash_permit(&requester).await?;
        self.throttle.count_attempt(&origin, &user.email)?;
        if !permit.verify(password, user.password_hash.clone()).await? {
            return Err(wrong_password());
        }
        self.throttle.forgive(&origin, &user.email);
        let hash = password::hash("newPassword", new_password, &requester).await?;
        let tx = self.db.begin().await?;
        // Only if it is still the one that was verified.
        let changed = user::Entity::update_many()
            .col_expr(user::Column::PasswordHash, Expr::value(hash.as_str()))
            .filter(user::Column::Id.eq(id.as_str()))
            .filter(user::Column::PasswordHash.eq(user.password_hash.as_deref()))
            .exec(&tx)
            .await?;
        if changed.rows_affected == 0 {
            return Err(wrong_password());
        }
        end_others(&tx, id, Some(session)).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::UserChangePassword, id.as_str())).await?;
        tx.commit().await?;
        Ok(device::token(&user::Model { password_hash: Some(hash), ..user }))
    }
}

impl Attempt<'_> {
    fn is_from_device_of(&self, user: &user::Model) -> bool {
        self.device.is_some_and(|device| device.user.as_str() == user.id)
    }
}

fn wrong_credentials() -> Error {
    Error::new(Code::Unauthorized, "the address or the password is wrong")
}

fn wrong_password() -> Error {
    Error::invalid("password", "is not the current password")
}
