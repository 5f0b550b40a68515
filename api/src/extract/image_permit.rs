//! Permits for requests that hold a picture in memory, acquired when the body has arrived and before it is parsed.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};

use domain::Result;
use ports::id::AccountId;

use super::extension::extension;
use crate::{
    error::Failure,
    identity::Identity,
    slots::{AccountSlots, SlotPermit},
};

/// All permits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ImagePermits(AccountSlots);

impl ImagePermits {
    /// `permits`: pictures that may be in memory at once; one account may have a quarter of them.
    pub(crate) fn new(permits: usize) -> Self {
        Self(AccountSlots::new("pictures", permits, permits.div_ceil(4)))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// `OVERLOADED` when none was free in time.
    pub(super) async fn acquire(&self, account: &AccountId) -> Result<ImagePermit> {
        Ok(ImagePermit(self.0.acquire(account).await?))
    }
}

/// A permit to hold one picture in memory, until it is dropped.
pub(crate) struct ImagePermit(#[allow(dead_code)] SlotPermit);

impl<S> FromRequestParts<S> for ImagePermit
where
    S: Send + Sync,
    ImagePermits: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let identity = extension::<Identity>(parts)?;
        Ok(ImagePermits::from_ref(state).acquire(identity.account()).await?)
    }
}
