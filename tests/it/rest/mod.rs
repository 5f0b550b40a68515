//! The REST surface, as a client sees it.

mod credits;
