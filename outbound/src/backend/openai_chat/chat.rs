//! The backend of an LLM.

use std::time::Instant;

use async_trait::async_trait;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use ports::{
    EngineError,
    decision::{
        Decision, DecisionBackend, DecisionFault, DecisionInput, DecisionMode, ModelInfo, QuestionKind,
        ServerInfo, ServerKind,
    },
};
use serde_json::{Map, Value};

use super::{
    ask::{Asking, Tally},
    dialect::Learnt,
    orders, prompt,
    question::Asked,
    settings::ChatSettings,
};
use crate::backend::{
    client::{BackendLimits, Client, Server},
    listing::{Listing, Paths},
};

/// Questions of one request that are asked at once, as far as the backend has places for them.
const QUESTIONS_AT_ONCE: usize = 8;
/// Maximum requests to the server for one inference.
const MAX_REQUESTS: usize = 256;

/// An LLM behind OpenAI's chat completions.
pub struct OpenAiChat {
    listing: Listing,
    settings: ChatSettings,
    learnt: Learnt,
    path: &'static str,
}

impl OpenAiChat {
    /// Creates a client without connecting. Without a `model`, the first one that the server lists is used.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub(in crate::backend) fn new(
        server: &Server<'_>,
        model: Option<String>,
        limits: BackendLimits,
        settings: ChatSettings,
    ) -> Result<Self, EngineError> {
        let paths = Paths::below(server.url, "/v1/chat/completions");
        let client = Client::new(server, limits)?;
        let learnt = Learnt::new(&settings);
        Ok(Self { listing: Listing::new(client, paths.models, model), settings, learnt, path: paths.ask })
    }

    /// Refuses what would take too many requests.
    fn check(&self, input: &DecisionInput) -> Result<(), DecisionFault> {
        let ChatSettings { top_logprobs, rotations, .. } = self.settings;
        let most = self.learnt.now().top_logprobs.unwrap_or(top_logprobs);
        let requests = input.questions.iter().map(|question| match &question.kind {
            QuestionKind::Prompt => 1,
            kind => orders::requests(kind.options().len(), most, rotations),
        });
        let requests: usize = requests.sum();
        if requests <= MAX_REQUESTS {
            return Ok(());
        }
        let backend = self.listing.client().backend();
        Err(DecisionFault::Invalid {
            field: "instructions".to_owned(),
            message: format!(
                "would take {requests} requests to the backend {backend}, and may take {MAX_REQUESTS}: ask fewer \
                 questions, or offer fewer options"
            ),
        })
    }
}

#[async_trait]
impl DecisionBackend for OpenAiChat {
    fn name(&self) -> &'static str {
        self.listing.client().backend()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn server(&self) -> Option<ServerInfo> {
        Some(self.listing.client().info(ServerKind::OpenaiChat))
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
        let place = place.map_err(|unanswered| client.fault(unanswered))?;
        let named = input.model.as_deref().or(self.listing.named_model()).map(str::to_owned);
        let model = match &named {
            Some(model) => model.clone(),
            None => self.listing.default_model().await,
        };
        let asking = Asking {
            client,
            learnt: &self.learnt,
            settings: &self.settings,
            input: &input,
            path: self.path,
            model: &model,
            named: named.is_some(),
            deadline: start + client.timeout(),
            place: Mutex::new(Some(place)),
            tally: Tally::default(),
        };
        let state = prompt::state_text(&input.state);
        let asked: Vec<_> = input
            .questions
            .iter()
            .map(|question| Asked { asking: &asking, question, state: &state }.answer().boxed())
            .collect();
        let answers: Vec<Value> = stream::iter(asked).buffered(QUESTIONS_AT_ONCE).try_collect().await?;
        let keys = input.questions.iter().map(|question| question.key.clone());
        let answers: Map<String, Value> = keys.zip(answers).collect();
        let note =
            "mode hybrid is supported by the in-process model only; this server answered each question alone";
        Ok(Decision {
            model: asking.answered_by(),
            answers,
            usage: asking.usage(),
            notes: (input.mode == DecisionMode::Joint).then(|| note.to_owned()).into_iter().collect(),
        })
    }

    async fn probe(&self) -> Result<(), EngineError> {
        self.listing.probe().await
    }
}
