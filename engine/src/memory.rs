//! The memory of the models: what ONNX Runtime's sessions run in, and the pages of the weight files in the binary.
#![allow(unsafe_code)]

use ort::environment::Environment;

/// Has all sessions that ask for the environment's allocator use jemalloc: they share it, and what a run needed returns
/// to the system some seconds later. In an arena of its own each session would keep the memory of its largest run.
///
/// # Errors
/// ONNX Runtime's own.
pub(crate) fn share_run_memory(environment: &Environment) -> ort::Result<()> {
    #[cfg(not(target_env = "msvc"))]
    jemalloc::register(environment)?;
    let _ = environment;
    Ok(())
}

/// Tells the system that the pages of a weight file in the binary, which were read to load a model, are not needed now.
/// They no longer count as memory of this process; those that are used again are read from the binary again.
pub(crate) fn release_pages(weights: &'static [u8]) {
    #[cfg(target_os = "linux")]
    linux::release_pages(weights);
    let _ = weights;
}

#[cfg(not(target_env = "msvc"))]
mod jemalloc {
    use std::ffi::{c_int, c_void};

    use ort::{
        AsPointer as _,
        environment::Environment,
        memory::{AllocationDevice, AllocatorType, MemoryInfo, MemoryType},
        sys::{OrtAllocator, OrtMemoryInfo},
    };
    use tikv_jemalloc_sys::{MALLOCX_ALIGN, dallocx, mallocx};

    /// What ONNX Runtime's kernels expect: a line of the cache, and a vector of AVX-512.
    const ALIGNMENT: c_int = MALLOCX_ALIGN(64);

    /// An allocator as ONNX Runtime takes it, with what it describes itself by.
    #[repr(C)]
    struct RunAllocator {
        functions: OrtAllocator,
        info: MemoryInfo<'static>,
    }

    pub(super) fn register(environment: &Environment) -> ort::Result<()> {
        let info = MemoryInfo::new(AllocationDevice::CPU, 0, AllocatorType::Device, MemoryType::Default)?;
        // SAFETY: this only fills in the version; the functions are set below.
        let mut functions = unsafe { OrtAllocator::default() };
        functions.Alloc = Some(allocate);
        functions.Free = Some(free);
        functions.Info = Some(describe);
        functions.Reserve = Some(reserve);
        // It must outlive the environment, which lives as long as the process.
        let allocator = Box::leak(Box::new(RunAllocator { functions, info }));
        // SAFETY: both pointers are valid, and `functions` is the first member of a `repr(C)` struct.
        unsafe {
            let allocator = std::ptr::from_mut(allocator).cast();
            let status = (ort::api().RegisterAllocator)(environment.ptr().cast_mut(), allocator);
            ort::Error::result_from_status(status)
        }
    }

    unsafe extern "system" fn allocate(_: *mut OrtAllocator, bytes: usize) -> *mut c_void {
        // SAFETY: the size is not 0.
        unsafe { mallocx(bytes.max(1), ALIGNMENT) }
    }

    /// The same for memory that is kept for long, such as weights.
    unsafe extern "system" fn reserve(_: *const OrtAllocator, bytes: usize) -> *mut c_void {
        // SAFETY: the size is not 0.
        unsafe { mallocx(bytes.max(1), ALIGNMENT) }
    }

    unsafe extern "system" fn free(_: *mut OrtAllocator, block: *mut c_void) {
        if !block.is_null() {
            // SAFETY: the block comes from one of the two functions above, and is freed once.
            unsafe { dallocx(block, ALIGNMENT) }
        }
    }

    unsafe extern "system" fn describe(allocator: *const OrtAllocator) -> *const OrtMemoryInfo {
        // SAFETY: ONNX Runtime passes the pointer that it was given.
        unsafe { (*allocator.cast::<RunAllocator>()).info.ptr() }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::{
        mm::{Advice, madvise},
        param::page_size,
    };

    /// Advises on the pages that lie wholly within the file.
    pub(super) fn release_pages(weights: &'static [u8]) {
        let page = page_size();
        let skipped = weights.as_ptr().align_offset(page).min(weights.len());
        let whole = (weights.len() - skipped) / page * page;
        let start = weights[skipped..].as_ptr().cast_mut().cast();
        // SAFETY: the pages hold only bytes of a static that nothing writes, mapped from the binary. A page that is
        // dropped is read from there again, with the same bytes.
        if let Err(error) = unsafe { madvise(start, whole, Advice::LinuxDontNeed) } {
            tracing::debug!(%error, "the pages of a weight file were not released");
        }
    }

    #[cfg(test)]
    mod tests {
        /// Two pages and more, in the binary.
        static BYTES: [u8; 20_000] = [7; 20_000];

        #[test]
        fn released_bytes_are_read_again() {
            super::release_pages(&BYTES);
            assert!(BYTES.iter().all(|byte| *byte == 7));
            super::release_pages(&BYTES[..10]);
        }
    }
}
