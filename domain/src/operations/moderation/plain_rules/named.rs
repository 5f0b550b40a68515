//! Asks a named backend about rules in plain language. It reads a rule as its author wrote it, with some examples.

use tokio::time::Instant;

use super::{
    query::{RuleProbabilities, RuleQuery, probability},
    question::{instruction, state},
};
use crate::{Result, foundation::tenant::Tenant, operations::inference::NamedModel};
use ports::{
    Flow,
    decision::{DecisionInput, DecisionMode, Parameters},
};

/// What a backend says of a message's rules; none when the tenant may not use it, or it does not answer until `until`.
pub(super) async fn ask(
    model: &NamedModel,
    tenant: &Tenant,
    query: &RuleQuery<'_>,
    until: Instant,
) -> Option<RuleProbabilities> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() || !model.is_allowed(&tenant.backends) {
        return None;
    }
    let rules = query.rules.iter().enumerate();
    let input = DecisionInput {
        state: state(query.content, Some(query.message)),
        questions: rules.map(|(number, fitted)| instruction(number, &fitted.rule)).collect(),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::from(tenant),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    };
    let answered = model.ask(input, left).await.and_then(|answer| {
        let probabilities = answer.answers.iter().map(|(_, answer)| probability(answer));
        let probabilities = probabilities.collect::<Result<_>>()?;
        let model = format!("{}/{}", model.name(), answer.model);
        Ok(RuleProbabilities { probabilities, model: Some(model) })
    });
    match answered {
        Ok(answered) => Some(answered),
        Err(error) => {
            let backend = model.name();
            tracing::warn!(
                backend,
                %error,
                cause = ?error.cause,
                "a backend did not answer about rules; the default model does"
            );
            None
        }
    }
}
