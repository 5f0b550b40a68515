//! Statistics of datasets, compared with a reference implementation.

mod compared;
mod made;
mod reference;
