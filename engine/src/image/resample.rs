//! Resizes pixels into what a model reads.
