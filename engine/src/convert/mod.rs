//! Turns the model files of other projects into ONNX, at set-up.
