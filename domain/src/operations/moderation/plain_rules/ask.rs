//! Asks about rules in plain language: a named backend if there is one, or the decision model, for which it keeps what
//! was learnt from the rules' examples.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{
    fit_cache::{FitCache, RuleHash},
    fitted_rule::FittedRule,
    named,
    query::{RuleProbabilities, RuleQuery, probability},
    question::{question, state},
    rule_fit::{self, Example, RuleFit},
};
use crate::{
    Code, Result,
    foundation::tenant::Tenant,
    money::amount::Amount,
    operations::{
        inference::{self, NamedModel},
        moderation::{
            odds::logit,
            rules::{Examples, PlainRule},
        },
    },
};
use ports::{
    Flow,
    decision::{DecisionBackend, DecisionInput, DecisionMode, Parameters},
    id::AccountId,
};

/// Rules for which the price is charged once.
const RULES_PER_PRICE: usize = 10;
/// Examples of a rule that are read at once.
const EXAMPLES_AT_ONCE: usize = 4;
/// What counts as said of a rule about which the model was not asked.
const NOT_ASKED: f64 = 0.5;
/// How long a backend may take for all messages of a request.
const NAMED_TIMEOUT: Duration = Duration::from_secs(15);

/// Asks about rules in plain language. Cheap to clone.
#[derive(Clone)]
pub struct RuleQuestions {
    /// The default model.
    backend: Arc<dyn DecisionBackend>,
    /// The backend that is asked in its place, where it answers in time and the tenant may use it.
    named: Option<NamedModel>,
    /// The price of up to [`RULES_PER_PRICE`] rules about a message.
    price: Amount,
    fits: Arc<Mutex<FitCache>>,
}

/// Asks for the messages of one request.
#[derive(Clone, Copy)]
pub(in crate::operations::moderation) struct RuleAsking<'a> {
    questions: &'a RuleQuestions,
    tenant: &'a Tenant,
    /// When a backend that has not answered is not waited for any more.
    until: Instant,
}

impl RuleAsking<'_> {
    /// The probability that a message breaks each of the rules.
    ///
    /// # Errors
    /// `ENGINE_UNAVAILABLE`, `OVERLOADED`, `UPSTREAM_FAILED` of the default model.
    pub(in crate::operations::moderation) async fn ask(
        self,
        query: RuleQuery<'_>,
    ) -> Result<RuleProbabilities> {
        if query.rules.is_empty() {
            return Ok(RuleProbabilities::default());
        }
        if let Some(model) = &self.questions.named
            && let Some(answered) = named::ask(model, self.tenant, &query, self.until).await
        {
            return Ok(answered);
        }
        let probabilities = self.questions.ask(Flow::from(self.tenant), query).await?;
        Ok(RuleProbabilities { probabilities, model: None })
    }

    /// Like [`ask`](Self::ask), where some answers about the same text are known.
    pub(in crate::operations::moderation) async fn ask_more(
        self,
        query: RuleQuery<'_>,
        known: &[(&FittedRule, f64)],
    ) -> Result<RuleProbabilities> {
        let known: Vec<Option<f64>> = query.rules.iter().map(|rule| answer_among(known, rule)).collect();
        let others = query.rules.iter().zip(&known).filter(|(_, known)| known.is_none());
        let others: Vec<Arc<FittedRule>> = others.map(|(rule, _)| rule.clone()).collect();
        let asked = self.ask(RuleQuery { rules: &others, ..query }).await?;
        let mut others = asked.probabilities.into_iter();
        let probabilities = known.into_iter().filter_map(|known| known.or_else(|| others.next())).collect();
        Ok(RuleProbabilities { probabilities, model: asked.model })
    }
}

impl RuleQuestions {
    /// `named`: the backend that is asked in place of the default model, if there is one. `price`: that of each started
    /// ten rules that are asked about a message.
    pub fn new(backend: Arc<dyn DecisionBackend>, named: Option<NamedModel>, price: Amount) -> Self {
        Self { backend, named, price, fits: Arc::default() }
    }

    /// Asks for the messages of one request of a tenant, which begins now.
    pub(in crate::operations::moderation) fn asking<'a>(&'a self, tenant: &'a Tenant) -> RuleAsking<'a> {
        RuleAsking { questions: self, tenant, until: Instant::now() + NAMED_TIMEOUT }
    }

    /// The price of every ten rules or part of ten.
    pub fn price(&self) -> Amount {
        self.price
    }

    /// Whether a server may be asked.
    pub fn may_ask_server(&self) -> bool {
        self.named.is_some() || self.backend.is_remote()
    }

    /// The price of so many rules about a message.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for more than can be counted.
    pub(in crate::operations::moderation) fn price_of(&self, rules: usize) -> Result<Amount> {
        self.price.times(rules.div_ceil(RULES_PER_PRICE))
    }

    /// The probability that a message breaks each of the rules, by the default model and the rules' examples.
    async fn ask(&self, flow: Flow, query: RuleQuery<'_>) -> Result<Vec<f64>> {
        let asked = query.rules.iter().filter(|fitted| fitted.fit.asks());
        let asked: Vec<&PlainRule> = asked.map(|fitted| &fitted.rule).collect();
        let vector = async {
            if !query.rules.iter().any(|fitted| fitted.fit.needs_vector()) {
                return Ok(None);
            }
            let vectors = self.vectors(flow, vec![query.content.to_owned()]).await?;
            Ok(vectors.and_then(|mut vectors| vectors.pop()))
        };
        let state = state(query.content, Some(query.message));
        let (said, vector) = tokio::try_join!(self.said(flow, state, &asked), vector)?;
        let mut said = said.into_iter();
        let probabilities = query.rules.iter().map(|fitted| {
            let said = if fitted.fit.asks() { said.next() } else { None };
            fitted.probability(said.unwrap_or(NOT_ASKED), vector.as_deref())
        });
        Ok(probabilities.collect())
    }

    /// What the model says of each rule. Where it cannot read all of them beside the state at once, they are asked in
    /// halves.
    async fn said(&self, flow: Flow, state: serde_json::Value, rules: &[&PlainRule]) -> Result<Vec<f64>> {
        if rules.is_empty() {
            return Ok(Vec::new());
        }
        let input = DecisionInput {
            state: state.clone(),
            questions: rules.iter().enumerate().map(|(n, rule)| question(n, &rule.text)).collect(),
            mode: DecisionMode::Isolated,
            model: None,
            flow,
            group: None,
            checkpoint: None,
            parameters: Parameters::default(),
        };
        let answered = match inference::ask(self.backend.as_ref(), &input).await {
            Err(error) if error.code == Code::ValidationFailed && rules.len() > 1 => {
                let (first, rest) = rules.split_at(rules.len() / 2);
                let mut said = Box::pin(self.said(flow, state.clone(), first)).await?;
                said.extend(Box::pin(self.said(flow, state, rest)).await?);
                return Ok(said);
            }
            answered => answered?,
        };
        answered.answers.iter().map(|(_, answer)| probability(answer)).collect()
    }

    async fn vectors(&self, flow: Flow, texts: Vec<String>) -> Result<Option<Vec<Vec<f32>>>> {
        self.backend
            .embed(flow, texts)
            .await
            .map_err(|fault| inference::failure(self.backend.as_ref(), fault))
    }

    /// Rules with what their examples teach. Those of a known rule are not read again.
    ///
    /// # Errors
    /// Those of [`RuleAsking::ask`].
    pub(in crate::operations::moderation) async fn fitted(
        &self,
        account: &AccountId,
        rules: &[PlainRule],
    ) -> Result<Vec<FittedRule>> {
        let mut fitted = Vec::with_capacity(rules.len());
        for rule in rules {
            fitted.push(FittedRule { rule: rule.clone(), fit: self.fit(account, rule).await? });
        }
        Ok(fitted)
    }

    async fn fit(&self, account: &AccountId, rule: &PlainRule) -> Result<Arc<RuleFit>> {
        if !rule_fit::is_enough(&rule.examples) {
            return Ok(Arc::default());
        }
        let hash = hash(rule);
        if let Some(known) = self.fits.lock().get(account, &hash) {
            return Ok(known);
        }
        let fit = Arc::new(self.learnt(Flow::from(account), rule).await?);
        self.fits.lock().put(account, hash, fit.clone());
        Ok(fit)
    }

    /// Reads the examples of a rule, and learns from them.
    async fn learnt(&self, flow: Flow, rule: &PlainRule) -> Result<RuleFit> {
        let Examples { allowed, not_allowed } = &rule.examples;
        let texts: Vec<String> = not_allowed.iter().chain(allowed).cloned().collect();
        let Some(vectors) = self.vectors(flow, texts.clone()).await? else { return Ok(RuleFit::default()) };
        let alone = rule_fit::is_many(&rule.examples);
        let said =
            if alone { vec![NOT_ASKED; texts.len()] } else { self.said_of_each(flow, rule, &texts).await? };
        let examples = vectors.into_iter().zip(said).enumerate().map(|(n, (vector, said))| Example {
            broken: n < not_allowed.len(),
            said: logit(said),
            vector,
        });
        Ok(RuleFit::of(&examples.collect::<Vec<_>>(), alone))
    }

    async fn said_of_each(&self, flow: Flow, rule: &PlainRule, texts: &[String]) -> Result<Vec<f64>> {
        let rules = [rule];
        let said: Vec<_> = texts.iter().map(|text| self.said(flow, state(text, None), &rules)).collect();
        let said: Vec<Vec<f64>> = stream::iter(said).buffered(EXAMPLES_AT_ONCE).try_collect().await?;
        Ok(said.concat())
    }
}

/// The known answer about a rule that says the same and has the same examples.
fn answer_among(known: &[(&FittedRule, f64)], rule: &FittedRule) -> Option<f64> {
    let same = known
        .iter()
        .find(|(other, _)| other.rule.text == rule.rule.text && other.rule.examples == rule.rule.examples);
    same.map(|(_, answer)| *answer)
}

fn hash(rule: &PlainRule) -> RuleHash {
    Sha256::digest(json!([rule.text, rule.examples]).to_string()).into()
}
