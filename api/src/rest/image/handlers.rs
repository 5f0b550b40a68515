//! The handler of pictures.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error, Result,
    operations::moderation::image::{ImageDraft, ImageSource, PictureSender, PostedPicture},
};

use super::shape::*;
use crate::{
    app::App,
    error::Failure,
    extract::{ImagePermit, JsonOrForm, RequestPayer},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The name in the ledger and under an `Idempotency-Key`.
pub(crate) const ENDPOINT: &str = "/api/v1/moderate/image";

/// Moderate a picture
///
/// A JPEG, PNG or WebP file of at most 10 MiB and 40 megapixels, from exactly one source. Charges the price of one
/// image, on success only.
#[utoipa::path(
    post, path = ENDPOINT, tag = "moderation", operation_id = "moderateImage",
    params(IdempotencyHeader),
    request_body(content(
        (ImageModerationRequest = "application/json"),
        (ImageModerationForm = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "What the picture shows", body = ImageModerationResponse),
    )
)]
pub(crate) async fn moderate_image(
    State(app): State<App>,
    payer: RequestPayer,
    permit: ImagePermit,
    body: JsonOrForm<ImageFields>,
) -> Result<Response, Failure> {
    let fetcher = app.services.image.fetcher.as_ref();
    let Posted { draft, sender } = read(body)?;
    let source = ImageSource::parse(draft, fetcher, app.settings.image_bytes)?;
    let payment = payer.payment(ENDPOINT, &source)?;
    // A picture keeps the permit until its bytes are dropped; one still to be downloaded needs none.
    let picture = PostedPicture { source: source.holding(permit), sender };
    let paid = app.services.image.moderate(&app.services.billing, payment, picture).await?;
    Ok(paid_response(paid.replayed, Json(ImageModerationResponse::new(&paid))))
}

/// A picture as it was sent, and who posted it.
struct Posted {
    draft: ImageDraft,
    sender: PictureSender,
}

fn read(body: JsonOrForm<ImageFields>) -> Result<Posted> {
    match body {
        JsonOrForm::Json(json) => Ok(Posted {
            draft: ImageDraft { image_url: json.image_url, image_base64: json.image_base64, image: None },
            sender: PictureSender::parse(json.author, json.channel)?,
        }),
        JsonOrForm::Form(form) if form.has_json_fields => {
            let message = "is the only source in a form; send image_url or image_base64 in a JSON body";
            Err(Error::image("image", message))
        }
        JsonOrForm::Form(form) => Ok(Posted {
            draft: ImageDraft { image: form.image, ..ImageDraft::default() },
            sender: PictureSender::parse(form.author, form.channel)?,
        }),
    }
}
