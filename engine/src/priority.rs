//! The priority of threads that work in the background.

/// The niceness of a thread in the background. Where cores are short it gets about a tenth of what a thread of a request
/// gets, and all that is left otherwise.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread, for good. Does nothing on other systems than Linux, where threads have no
/// priority of their own.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        tracing::warn!(%error, "the priority of a thread in the background could not be lowered");
    }
}
