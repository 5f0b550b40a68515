//! `GET /api/pricing`: the price list, read from the database for every request.

use axum::{Json, extract::State};
use domain::money::pricing::Operation;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{app::App, error::Failure};

/// The price list.
#[derive(Debug, Serialize, ToSchema)]
pub struct PricingResponse {
    /// Always true.
    pub success: bool,
    /// Credits by operation.
    pub pricing: Pricing,
}

/// Credits by operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pricing {
    /// Credits for one image.
    #[schema(example = 1.0)]
    pub image_credit_cost: f64,
    /// Credits for one text message.
    #[schema(example = 0.5)]
    pub text_credit_cost: f64,
    /// Credits for every ten rules in plain language of a policy, or part of ten, that are asked about a message, in
    /// addition to the message's own.
    #[schema(example = 0.5)]
    pub plain_rules_credit_cost: f64,
    /// Credits for one inference, with any number of questions.
    #[schema(example = 0.5)]
    pub inference_credit_cost: f64,
    /// Credits for training one Checkpoint.
    #[schema(example = 5000.0)]
    pub checkpoint_credit_cost: f64,
}

/// Current prices
///
/// Public and free. A price that an operator changes shows immediately and is charged within a second.
#[utoipa::path(
    get, path = "/api/pricing", tag = "pricing", operation_id = "getPricing", security(()),
    responses((status = 200, description = "The price list", body = PricingResponse))
)]
pub(crate) async fn get_pricing(State(app): State<App>) -> Result<Json<PricingResponse>, Failure> {
    let prices = &app.services.billing.prices;
    let pricing = Pricing {
        image_credit_cost: prices.read(Operation::Image).await?.credits(),
        text_credit_cost: prices.of(Operation::Text).await?.credits(),
        plain_rules_credit_cost: app.services.policies.plain_rules_price().credits(),
        inference_credit_cost: prices.of(Operation::Inference).await?.credits(),
        checkpoint_credit_cost: prices.of(Operation::Checkpoint).await?.credits(),
    };
    Ok(Json(PricingResponse { success: true, pricing }))
}
