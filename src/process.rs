//! What is set for the whole process before it has a second thread.
#![allow(unsafe_code)]

use crate::memory::LARGE;

/// With this variable ONNX Runtime neither stores nor sends anything.
const NO_TELEMETRY: &str = "ORT_DISABLE_TELEMETRY";

/// Sets it all. Must be called first in `main`.
pub(crate) fn prepare() {
    fix_mmap_threshold();
    disable_telemetry();
}

/// Fixes the size from which glibc maps blocks separately and returns them when they are freed. Otherwise it grows to
/// the size of the largest block ever freed, up to 32 MiB. Pictures and bodies would then be on heaps that cannot
/// shrink.
fn fix_mmap_threshold() {
    // SAFETY: called first in `main`, before any other thread runs; `mallopt` takes two numbers and keeps neither.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as i32);
    }
}

/// Keeps ONNX Runtime from reporting to Microsoft. Since version 1.29 its builds for Linux keep an identifier of the
/// machine and a queue of events in `~/.cache/Microsoft`, and send events about the machine, the program and its
/// models: <https://github.com/microsoft/onnxruntime/pull/27379>. Its API disables only what follows the first event.
fn disable_telemetry() {
    // SAFETY: called first in `main`, before any other thread runs.
    unsafe { std::env::set_var(NO_TELEMETRY, "1") };
}
