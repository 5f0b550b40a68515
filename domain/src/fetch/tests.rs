//! Downloads against names that lie.
