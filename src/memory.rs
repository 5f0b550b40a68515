//! The allocator: jemalloc for small blocks, which saves a fifth of the CPU time of a charged request
//! (`bench/README.md`), and the system's allocator for large ones, which returns them to the system as soon as they are
//! freed.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use tikv_jemallocator::Jemalloc as Small;

/// The system's allocator has the blocks of at least this many bytes, such as pictures and bodies.
pub(crate) const LARGE: usize = 256 * 1024;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

/// Chooses the allocator by size. Since the size is passed again when a block is freed, it returns to its allocator.
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
    /// Resizes a block that moves to the other allocator.
    ///
    /// # Safety
    /// As for `realloc`.
    unsafe fn move_block(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller of `realloc` guarantees that the size is not 0 and does not overflow with this alignment.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both blocks have at least this many bytes, and they do not overlap.
            unsafe {
                block.copy_to_nonoverlapping(moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::LARGE;

    #[test]
    fn a_block_keeps_its_bytes_when_it_changes_its_allocator() {
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

    fn bytes(len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(|n| (n % 251) as u8)
    }
}
