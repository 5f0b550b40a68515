//! `POST /api/v1/moderate/image`: one picture, by URL, in base64 or uploaded.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error, Result,
    moderation::image::{ImageDraft, ImageSource},
};

use crate::{
    app::App,
    error::Failure,
    extract::{Asker, JsonOrForm, Place},
    openapi::{IdempotencyHeader, PaidErrors},
    rest::answer,
};

mod shape;

use shape::*;

/// The name in the ledger and under an `Idempotency-Key`.
const IMAGE: &str = "/api/v1/moderate/image";

/// Moderate a picture
///
/// A JPEG, PNG or WebP file of at most 10 MiB and 40 megapixels, from exactly one source. Charges the price of one
/// image, on success only.
#[utoipa::path(
    post, path = "", tag = "moderation", operation_id = "moderateImage",
    params(IdempotencyHeader),
    request_body(content(
        (ImageModerationRequest = "application/json"),
        (ImageModerationForm = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "What the picture shows", body = ImageModerationResponse),
        PaidErrors,
    )
)]
pub(crate) async fn moderate_image(
    State(app): State<App>,
    asker: Asker,
    place: Place,
    body: JsonOrForm<ImageFields>,
) -> Result<Response, Failure> {
    let fetcher = app.ctx.image.fetcher.as_ref();
    let source = ImageSource::parse(draft(body)?, fetcher, app.settings.image_bytes)?;
    let payment = asker.paying(IMAGE, &source)?;
    // On its own, so that the place is held until the picture is done with, though the client hang up.
    let work = tokio::spawn(async move {
        let _place = place;
        app.ctx.image.moderate(&app.ctx.billing, payment, source).await
    });
    let paid = work.await.map_err(Error::internal)??;
    Ok(answer(paid.replayed, Json(ImageModerationResponse::new(&paid))))
}

fn draft(body: JsonOrForm<ImageFields>) -> Result<ImageDraft> {
    match body {
        JsonOrForm::Json(json) => {
            Ok(ImageDraft { image_url: json.image_url, image_base64: json.image_base64, image: None })
        }
        JsonOrForm::Form(form) if form.more => {
            let message =
                "is the only source a form may have; image_url and image_base64 go into a JSON body";
            Err(Error::image("image", message))
        }
        JsonOrForm::Form(form) => Ok(ImageDraft { image: form.image, ..ImageDraft::default() }),
    }
}
