//! Why a run stops before its work is done.

/// Why a run should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// The job was cancelled.
    Cancelled,
    /// Another worker owns the job now.
    LeaseLost,
    /// This process is stopping; another will run the job again.
    Stopping,
}
