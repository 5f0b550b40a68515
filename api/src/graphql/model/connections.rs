//! Descriptions of the connection types, which `async_graphql::connection` leaves without one.

use async_graphql::{ObjectType, SchemaBuilder, SubscriptionType};

use super::{
    ApiKeyConnection, AuditEntryConnection, BatchConnection, CheckpointConnection, CheckpointEventConnection,
    EvaluationAnswerConnection, EvaluationChangeConnection, EvaluationConnection, InviteConnection,
    JudgeConnection, LedgerEntryConnection, ModerationPolicyConnection, ModerationPolicyVersionConnection,
    SampleConnection, UserConnection, WebhookDeliveryConnection, failed_request::FailedRequestConnection,
    job::JobConnection, label::LabelChangeConnection, operator::CustomerConnection,
};

/// Gives each connection type its description.
pub(crate) fn describe_connections<
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
>(
    builder: SchemaBuilder<Q, M, S>,
) -> SchemaBuilder<Q, M, S> {
    builder
        .override_output_type_description::<ApiKeyConnection>("A page of API keys.")
        .override_output_type_description::<AuditEntryConnection>("A page of the audit log.")
        .override_output_type_description::<BatchConnection>("A page of bulk batches.")
        .override_output_type_description::<CheckpointConnection>("A page of Checkpoints.")
        .override_output_type_description::<CheckpointEventConnection>("A page of a Checkpoint's events.")
        .override_output_type_description::<CustomerConnection>("A page of accounts.")
        .override_output_type_description::<EvaluationAnswerConnection>("A page of an evaluation's answers.")
        .override_output_type_description::<EvaluationChangeConnection>("A page of the answers that differ.")
        .override_output_type_description::<EvaluationConnection>("A page of evaluations.")
        .override_output_type_description::<FailedRequestConnection>("A page of failed requests.")
        .override_output_type_description::<InviteConnection>("A page of invitations.")
        .override_output_type_description::<JobConnection>("A page of background jobs.")
        .override_output_type_description::<JudgeConnection>("A page of Judges.")
        .override_output_type_description::<LabelChangeConnection>("A page of a sample's history.")
        .override_output_type_description::<LedgerEntryConnection>("A page of the ledger.")
        .override_output_type_description::<ModerationPolicyConnection>("A page of moderation policies.")
        .override_output_type_description::<ModerationPolicyVersionConnection>(
            "A page of a moderation policy's versions.",
        )
        .override_output_type_description::<SampleConnection>("A page of samples.")
        .override_output_type_description::<UserConnection>("A page of an account's users.")
        .override_output_type_description::<WebhookDeliveryConnection>(
            "A page of the deliveries to a webhook endpoint.",
        )
}
