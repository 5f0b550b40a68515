//! A place among the requests that hold a picture in memory, taken before the body is read.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use domain::{Code, Error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Failure;

/// How long a request waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);

/// The places there are. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ImagePermits(Arc<Semaphore>);

impl ImagePermits {
    /// As many as there may be pictures in memory.
    pub(crate) fn new(number: usize) -> Self {
        Self(Arc::new(Semaphore::new(number)))
    }
}

/// A place, held until it is dropped. Whoever holds one may keep a whole picture in memory, so their number bounds it.
pub(crate) struct Place(#[allow(dead_code)] OwnedSemaphorePermit);

impl<S> FromRequestParts<S> for Place
where
    S: Send + Sync,
    ImagePermits: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Failure> {
        let ImagePermits(permits) = ImagePermits::from_ref(state);
        match tokio::time::timeout(PATIENCE, permits.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Self(permit)),
            _ => Err(Error::new(Code::Overloaded, "too many pictures at once; try again shortly").into()),
        }
    }
}
