//! Without a usable ONNX Runtime, rten runs the models. This test has a process of its own, since a process that has
//! loaded the library keeps it.

use engine::runtime::{OnnxRuntime, Runtime};

#[test]
fn a_library_that_is_missing_or_unfit_leaves_the_work_to_rten() {
    let folder = tempfile::tempdir().unwrap();
    let rten = Runtime::built_in().name().to_owned();
    let folder = folder.path();
    let unfit = folder.join("libonnxruntime.so");
    assert_eq!(Runtime::open(&OnnxRuntime::Auto, folder).name(), rten);
    assert_eq!(Runtime::open(&OnnxRuntime::Library(folder.join("elsewhere.so")), folder).name(), rten);
    std::fs::write(&unfit, b"\x7fELF and nothing more").unwrap();
    assert_eq!(Runtime::open(&OnnxRuntime::Auto, folder).name(), rten);
    assert_eq!(Runtime::open(&OnnxRuntime::Library(unfit), folder).name(), rten);
}
