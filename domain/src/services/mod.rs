//! All services of a process, composed once, and the probes of their health. The binary, the API, workers and
//! benchmarks take them from here.

mod compose;
mod probes;

pub use compose::{ServiceParts, Services, TextParts};
pub use probes::{ProbeResults, Probes};
