//! How memory is allocated: small blocks by jemalloc, which takes a fifth of the CPU time off a charged request (`bench/README.md`),
//! and large ones by the system's allocator, which returns them to the system as soon as they are freed.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(target_env = "msvc")]
use std::alloc::System as Small;
#[cfg(not(target_env = "msvc"))]
use tikv_jemallocator::Jemalloc as Small;

/// Blocks of at least this many bytes, such as pictures and bodies, are the system's.
const LARGE: usize = 256 * 1024;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

/// Allocates by size. Whoever frees a block says its size, so that it goes back to where it came from.
struct BySize;

// SAFETY: each block is allocated, freed and resized by one of two allocators, chosen by its size alone.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE { unsafe { Small.alloc(layout) } } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            unsafe { Small.alloc_zeroed(layout) }
        } else {
            unsafe { System.alloc_zeroed(layout) }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() < LARGE {
            unsafe { Small.dealloc(block, layout) }
        } else {
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (layout.size() < LARGE, size < LARGE) {
            (true, true) => unsafe { Small.realloc(block, layout, size) },
            (false, false) => unsafe { System.realloc(block, layout, size) },
            _ => unsafe { self.move_block(block, layout, size) },
        }
    }
}

impl BySize {
    /// Resizes a block that changes its allocator.
    ///
    /// # Safety
    /// That of `realloc`.
    unsafe fn move_block(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller of `realloc` guarantees that the size is not 0 and does not overflow with this alignment.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both blocks have as many bytes, and the new one is not part of the old one.
            unsafe {
                block.copy_to_nonoverlapping(moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

/// Fixes the size from which glibc maps blocks separately and returns them when they are freed. Otherwise it rises to the largest
/// block ever freed, up to 32 MiB; after the models are loaded, pictures and bodies, and what ONNX Runtime needs for a request,
/// would then be allocated on heaps that cannot shrink.
pub(crate) fn fix_mmap_threshold() {
    // SAFETY: called first in `main`, before any other thread runs; `mallopt` takes two numbers and keeps neither.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::LARGE;

    #[test]
    fn a_block_keeps_its_bytes_when_it_changes_its_allocator() {
        let bytes = |len: usize| (0..len).map(|n| (n % 251) as u8);
        let mut block: Vec<u8> = bytes(LARGE - 1).collect();
        block.shrink_to_fit();
        for capacity in [LARGE, 2 * LARGE, LARGE - 1, LARGE, 100, 200] {
            let kept = block.len().min(capacity);
            block.truncate(kept);
            block.shrink_to(capacity);
            block.reserve_exact(capacity - kept);
            assert!(block.iter().copied().eq(bytes(kept)), "{kept} bytes of {capacity}");
        }
        assert!(vec![0_u8; 2 * LARGE].iter().all(|byte| *byte == 0));
    }
}
