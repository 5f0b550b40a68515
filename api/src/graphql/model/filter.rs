//! The filter of samples.

use async_graphql::{Enum, InputObject};
use domain::learning::{dataset::SampleFilter, sample::Source};

use crate::graphql::date_time::DateTime;

/// Selects samples. A sample matches if all given conditions hold.
#[derive(Clone, Debug, Default, InputObject)]
pub(crate) struct SampleFilterInput {
    /// Samples recorded or imported at or after this time.
    since: Option<DateTime>,
    /// Samples recorded or imported before this time.
    until: Option<DateTime>,
    /// Samples of this version of the Judge.
    version: Option<i32>,
    /// Samples from this source.
    source: Option<SampleSource>,
    /// True for samples with a ground truth for at least one key, false for samples without any.
    labelled: Option<bool>,
}

/// The source of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum SampleSource {
    /// A request through the Judge.
    Inference,
    /// An imported file.
    Import,
}

impl From<Source> for SampleSource {
    fn from(source: Source) -> Self {
        match source {
            Source::Inference => SampleSource::Inference,
            Source::Import => SampleSource::Import,
        }
    }
}

impl From<SampleFilterInput> for SampleFilter {
    fn from(input: SampleFilterInput) -> Self {
        SampleFilter {
            since: input.since.map(|time| time.0),
            until: input.until.map(|time| time.0),
            version: input.version,
            source: input.source.map(|source| match source {
                SampleSource::Inference => Source::Inference,
                SampleSource::Import => Source::Import,
            }),
            labelled: input.labelled,
        }
    }
}
