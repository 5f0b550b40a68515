//! A JSON body that may have pictures in it. Large ones are bounded like other requests that hold pictures.

use std::sync::Arc;

use axum::{
    body::HttpBody,
    extract::{FromRef, FromRequest, Request},
    http::header,
};
use domain::Result;
use ports::id::AccountId;
use serde::de::DeserializeOwned;

use super::{
    ApiJson,
    extension::extension_of,
    image_permit::{ImagePermit, ImagePermits},
};
use crate::{error::Failure, identity::Identity, settings::ApiSettings};

/// A body of type `T`, and the permit for the pictures in it.
pub(crate) struct JsonWithPictures<T> {
    pub(crate) body: T,
    pub(crate) permit: PicturesPermit,
}

/// A permit for all pictures of one request. Bodies no larger than those of texts have none until they turn out to
/// have a picture.
pub(crate) struct PicturesPermit {
    permits: ImagePermits,
    account: AccountId,
    held: Option<ImagePermit>,
}

impl PicturesPermit {
    /// Waits for the permit, unless the request has it.
    ///
    /// # Errors
    /// `OVERLOADED` when none was free in time.
    pub(crate) async fn hold(self) -> Result<Arc<ImagePermit>> {
        let held = match self.held {
            Some(held) => held,
            None => self.permits.acquire(&self.account).await?,
        };
        Ok(Arc::new(held))
    }
}

impl<T, S> FromRequest<S> for JsonWithPictures<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
    ImagePermits: FromRef<S>,
    Arc<ApiSettings>: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let permits = ImagePermits::from_ref(state);
        let account = extension_of::<Identity>(request.extensions())?.account().clone();
        let small = <Arc<ApiSettings>>::from_ref(state).batch_body_bytes as u64;
        let compressed = request.headers().contains_key(header::CONTENT_ENCODING);
        let is_small = !compressed && request.body().size_hint().upper().is_some_and(|bytes| bytes <= small);
        let held = if is_small { None } else { Some(permits.acquire(&account).await?) };
        let ApiJson(body) = ApiJson::from_request(request, state).await?;
        Ok(Self { body, permit: PicturesPermit { permits, account, held } })
    }
}
