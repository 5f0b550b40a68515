//! A place among the requests that hold a picture in memory, taken before the body is read.

use std::time::Duration;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{Code, Error};
use tokio::sync::OwnedSemaphorePermit;

use crate::{app::App, error::Failure};

/// How long a request waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);

/// A place, held until it is dropped. Whoever holds one may keep a whole picture in memory, so their number bounds it.
pub(crate) struct Place(#[allow(dead_code)] OwnedSemaphorePermit);

impl FromRequestParts<App> for Place {
    type Rejection = Failure;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Failure> {
        match tokio::time::timeout(PATIENCE, app.pictures.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Self(permit)),
            _ => Err(Error::new(Code::Overloaded, "too many pictures at once; try again shortly").into()),
        }
    }
}
