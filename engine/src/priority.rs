//! The priority of background threads.

/// The niceness of a background thread. When all cores are busy it gets about a tenth of the time of a request's
/// thread; otherwise it gets whatever is left.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread permanently. Only on Linux do threads have a priority of their own; on
/// other systems this does nothing.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        tracing::warn!(%error, "could not lower the priority of a background thread");
    }
}
