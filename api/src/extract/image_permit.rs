//! Permits for requests that hold a picture in memory, acquired before the body is read.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use domain::{Code, Error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Failure;

/// The longest that a request waits for a permit.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The permits that there are. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ImagePermits(Arc<Semaphore>);

impl ImagePermits {
    /// `permits`: pictures that may be in memory at once.
    pub(crate) fn new(permits: usize) -> Self {
        Self(Arc::new(Semaphore::new(permits)))
    }
}

/// A permit to hold one picture in memory, until it is dropped.
pub(crate) struct ImagePermit(#[allow(dead_code)] OwnedSemaphorePermit);

impl<S> FromRequestParts<S> for ImagePermit
where
    S: Send + Sync,
    ImagePermits: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Failure> {
        let ImagePermits(permits) = ImagePermits::from_ref(state);
        match tokio::time::timeout(ACQUIRE_TIMEOUT, permits.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Self(permit)),
            _ => Err(Error::new(Code::Overloaded, "too many pictures at once; try again shortly").into()),
        }
    }
}
