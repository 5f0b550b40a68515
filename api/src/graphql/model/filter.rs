//! Which samples, as an input.

use async_graphql::{Enum, InputObject};
use domain::{dataset::SampleFilter, sample::Source};

use crate::graphql::date_time::DateTime;

/// Which samples. What is left out does not matter; what is given must all hold.
#[derive(Clone, Debug, Default, InputObject)]
pub(crate) struct SampleFilterInput {
    /// Recorded or imported at this moment or later.
    since: Option<DateTime>,
    /// Recorded or imported before this moment.
    until: Option<DateTime>,
    /// Of this version of the Judge.
    version: Option<i32>,
    /// From here.
    source: Option<SampleSource>,
    /// With a ground truth for at least one key, or without any.
    labelled: Option<bool>,
}

/// Where a sample came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum SampleSource {
    /// A request through the Judge.
    Inference,
    /// A file.
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
