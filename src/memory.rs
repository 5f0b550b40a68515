//! Configures glibc's allocator to return large blocks to the system. Does nothing with another allocator.

/// Blocks of at least this many bytes are mapped separately and returned to the system when freed.
#[cfg(target_env = "gnu")]
const MMAP_THRESHOLD: i32 = 256 * 1024;

/// Fixes the threshold for separately mapped blocks. glibc otherwise raises it to the largest block ever freed, up to
/// 32 MiB; after the models are loaded, images and bodies would then be allocated on heaps that cannot shrink.
#[allow(unsafe_code)]
pub(crate) fn fix_mmap_threshold() {
    // SAFETY: called first in `main`, before any other thread runs; `mallopt` takes two numbers and keeps neither.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD);
    }
}
