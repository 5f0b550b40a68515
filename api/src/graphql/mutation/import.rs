//! The import of samples from a file within the operation. Larger files are imported over REST, by the same rules.

use std::io::Cursor;

use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use domain::learning::dataset::import::{ImportFormat as FileFormat, ImportOptions};
use ports::id::DatasetId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
};

#[derive(Default)]
pub(crate) struct ImportMutation;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
enum ImportFormat {
    /// JSON Lines: an object on each line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// A file to import.
#[derive(InputObject)]
struct ImportSamplesInput {
    /// The id of the Judge whose dataset gets the samples.
    judge_id: ID,
    /// The format of the file.
    format: ImportFormat,
    /// The content of the file.
    data: String,
    /// Whether only to report what would be imported.
    #[graphql(default = false)]
    dry_run: bool,
}

/// The outcome of the import, or errors. Each line is counted once.
#[derive(SimpleObject)]
struct ImportSamplesPayload {
    /// The number of lines with a sample; null if there were errors.
    lines: Option<i32>,
    /// The number of lines that became a sample.
    imported: Option<i32>,
    /// The number of lines whose content was there already, and that added a ground truth to it.
    labelled: Option<i32>,
    /// The number of lines whose content was there already, and that added nothing.
    duplicates: Option<i32>,
    /// Errors by line, up to 100, with fields such as `line 17: ground_truth.team`.
    user_errors: Vec<UserError>,
}

#[Object]
impl ImportMutation {
    /// Imports all samples of a file or, if there are errors, none of them. Content that is there already is not
    /// imported again, but gets the ground truths that it lacks. Costs nothing. Needs the role editor.
    async fn import_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The file.")] input: ImportSamplesInput,
    ) -> FieldResult<ImportSamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let import = async {
            let format = match input.format {
                ImportFormat::Jsonl => FileFormat::Jsonl,
                ImportFormat::Csv => FileFormat::Csv,
            };
            let order = ImportOptions {
                dataset: DatasetId::parse(&input.judge_id)?,
                format,
                dry_run: input.dry_run,
                once: None,
            };
            service.datasets.import(actor, order, Cursor::new(input.data.into_bytes())).await
        };
        let (imported, user_errors) = split_user_errors(import.await)?;
        let imported = imported.as_ref();
        Ok(ImportSamplesPayload {
            lines: imported.and_then(|all| int(all.lines)),
            imported: imported.and_then(|all| int(all.imported)),
            labelled: imported.and_then(|all| int(all.labelled)),
            duplicates: imported.and_then(|all| int(all.duplicates)),
            user_errors,
        })
    }
}

/// A count as GraphQL's `Int`.
fn int(count: usize) -> Option<i32> {
    i32::try_from(count).ok()
}
