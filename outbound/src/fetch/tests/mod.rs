//! What may be asked, in every spelling of an address, and names that lie.

mod literals;
mod names;
