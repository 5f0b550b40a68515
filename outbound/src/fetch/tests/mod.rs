//! Tests of the address checks and of DNS rebinding.

mod literals;
mod names;
