//! Without a usable ONNX Runtime, rten does the work. A process of its own, since one that has loaded the library keeps it.

use engine::runtime::{OnnxRuntime, Runtime};

#[test]
fn a_library_that_is_missing_or_unfit_leaves_the_work_to_rten() {
    let folder = tempfile::tempdir().unwrap();
    let rten = Runtime::built_in().name().to_owned();
    let unfit = folder.path().join("libonnxruntime.so");
    let name = |setting: &OnnxRuntime| Runtime::open(setting, folder.path()).name().to_owned();
    assert_eq!(name(&OnnxRuntime::Auto), rten);
    assert_eq!(name(&OnnxRuntime::Library(folder.path().join("elsewhere.so"))), rten);
    std::fs::write(&unfit, b"\x7fELF and nothing more").unwrap();
    assert_eq!(name(&OnnxRuntime::Auto), rten);
    assert_eq!(name(&OnnxRuntime::Library(unfit)), rten);
}
