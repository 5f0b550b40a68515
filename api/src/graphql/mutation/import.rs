//! Importing samples from a file that is part of the operation. Larger files go over REST, by the same rules.

use std::io::Cursor;

use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use domain::{
    dataset::import::{self, Imported, Order},
    id::JudgeId,
};

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
};

/// Importing samples.
#[derive(Default)]
pub(crate) struct ImportMutation;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
enum ImportFormat {
    /// JSON Lines: an object on each line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// What to import, and where to.
#[derive(InputObject)]
struct ImportSamplesInput {
    /// The Judge in whose dataset the samples will be.
    judge_id: ID,
    /// The form of the file.
    format: ImportFormat,
    /// The file itself.
    data: String,
    /// Whether to say only what would be imported.
    #[graphql(default = false)]
    dry_run: bool,
}

/// What was imported, or why nothing was. Each line is counted once.
#[derive(SimpleObject)]
struct ImportSamplesPayload {
    /// Lines with a sample; null when nothing was imported.
    lines: Option<i32>,
    /// Lines that became a sample.
    imported: Option<i32>,
    /// Lines whose content was there already, and that gave it a ground truth it did not have.
    labelled: Option<i32>,
    /// Lines whose content was there already, and that brought nothing new.
    duplicates: Option<i32>,
    /// What was wrong, by line: the first hundred. A field is such as `line 17: ground_truth.team`.
    user_errors: Vec<UserError>,
}

#[Object]
impl ImportMutation {
    /// Imports all samples of a file or, when anything is wrong with it, none. Content that is there already is not imported
    /// again, but given a ground truth that it did not have. Costs nothing. Needs the role editor.
    async fn import_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The file.")] input: ImportSamplesInput,
    ) -> FieldResult<ImportSamplesPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let import = async {
            let format = match input.format {
                ImportFormat::Jsonl => import::Format::Jsonl,
                ImportFormat::Csv => import::Format::Csv,
            };
            let order = Order { judge: JudgeId::sent(&input.judge_id)?, format, dry_run: input.dry_run };
            import::run(&service.db, actor, order, Cursor::new(input.data.into_bytes())).await
        };
        let (imported, user_errors) = split_user_errors(import.await)?;
        let count =
            |of: fn(&Imported) -> usize| imported.as_ref().and_then(|all| i32::try_from(of(all)).ok());
        Ok(ImportSamplesPayload {
            lines: count(|all| all.lines),
            imported: count(|all| all.imported),
            labelled: count(|all| all.labelled),
            duplicates: count(|all| all.duplicates),
            user_errors,
        })
    }
}
