//! The backend of a server with OpenAI's decisions.

use std::time::Instant;

use async_trait::async_trait;
use bytes::Bytes;
use ports::{
    EngineError,
    decision::{
        Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo, QuestionKind, ServerInfo,
        ServerKind,
    },
};

use super::wire::{self, DecisionsReply};
use crate::backend::{
    client::{BackendLimits, Client, Server, Unanswered},
    listing::{Listing, Paths},
};

/// The fewest options that OpenAI's choices may have.
const MIN_CHOICES: usize = 2;

/// A server with OpenAI's decisions.
pub struct OpenAiDecisions {
    listing: Listing,
    path: &'static str,
}

impl OpenAiDecisions {
    /// Creates a client without connecting. Without a `model`, the first one that the server lists is used.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub(in crate::backend) fn new(
        server: &Server<'_>,
        model: Option<String>,
        limits: BackendLimits,
    ) -> Result<Self, EngineError> {
        let paths = Paths::below(server.url, "/v1/decisions");
        let client = Client::new(server, limits)?;
        Ok(Self { listing: Listing::new(client, paths.models, model), path: paths.ask })
    }

    /// Refuses a choice that the format cannot have.
    fn check(&self, input: &DecisionInput) -> Result<(), DecisionFault> {
        let short = input.questions.iter().find(|question| match &question.kind {
            QuestionKind::Choice(choices) => choices.len() < MIN_CHOICES,
            QuestionKind::Score(_) | QuestionKind::Noul { .. } | QuestionKind::Prompt => false,
        });
        let Some(question) = short else { return Ok(()) };
        Err(DecisionFault::Invalid {
            field: format!("instructions.{}", question.key),
            message: format!(
                "must offer at least {MIN_CHOICES} options to the backend {}",
                self.listing.client().backend()
            ),
        })
    }
}

#[async_trait]
impl DecisionBackend for OpenAiDecisions {
    fn name(&self) -> &'static str {
        self.listing.client().backend()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn server(&self) -> Option<ServerInfo> {
        Some(self.listing.client().info(ServerKind::OpenaiDecisions))
    }

    fn models(&self) -> Vec<ModelInfo> {
        self.listing.models()
    }

    fn takes_any_model(&self) -> bool {
        true
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        self.check(&input)?;
        let client = self.listing.client();
        let start = Instant::now();
        let place = client.place(&input.flow, start + client.timeout() / 4).await;
        let _place = place.map_err(|unanswered| client.fault(unanswered))?;
        let model = match &input.model {
            Some(model) => model.clone(),
            None => self.listing.default_model().await,
        };
        let body = Bytes::from(wire::request(&input, &model));
        match client.post::<DecisionsReply>(self.path, body, start + client.timeout()).await {
            Ok(reply) => reply.into_decision(&input),
            Err(Unanswered::Fault(fault)) if fault.is_too_long() => Err(DecisionFault::Invalid {
                field: "state".to_owned(),
                message: format!("is too long for the model of the backend {}", client.backend()),
            }),
            Err(Unanswered::Fault(fault)) if input.model.is_some() && fault.rejects(&model) => {
                Err(client.unknown_model())
            }
            Err(unanswered) => Err(client.fault(unanswered)),
        }
    }

    async fn probe(&self) -> Result<(), EngineError> {
        self.listing.probe().await
    }
}
