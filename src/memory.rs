//! A setting of the allocator, where it is glibc's, that returns freed memory to the system.

/// Blocks from this size on, in bytes, get pages of their own, which go back to the system when the block is freed.
#[cfg(target_env = "gnu")]
const OWN_PAGES: i32 = 256 * 1024;

/// Keeps the size from which blocks get pages of their own where it is. glibc raises it to the largest block that was ever
/// freed, up to 32 MiB; after the models are loaded, pictures and bodies would all lie in heaps that cannot shrink.
#[allow(unsafe_code)]
pub(crate) fn give_back_large_blocks() {
    // SAFETY: called first thing in `main`, before any other thread runs; `mallopt` takes two numbers and keeps neither.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES);
    }
}
