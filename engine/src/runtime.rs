//! Runs ONNX files on either of two runtimes: rten, built in, or ONNX Runtime, when its library is there.
