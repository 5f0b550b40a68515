//! Writes ONNX files: the few messages of its protocol buffers that our models need.
