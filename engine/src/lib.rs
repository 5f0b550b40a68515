//! The models, in process. Sees no credit and no database; answers only for the content it is given.

pub mod text;
