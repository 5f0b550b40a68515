//! Converts and runs a tiny model in each of TensorFlow.js's two formats; refuses unsupported models.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rten::{Model, ValueView};
use rten_tensor::Tensor;
use serde_json::{Value, json};

use super::{ConvertError, classifier};

/// A weight in 8 bits, whose values are its bytes.
fn weight(name: &str, shape: &[usize]) -> Value {
    let quantization = json!({ "dtype": "uint8", "scale": 1, "min": 0 });
    json!({ "name": name, "shape": shape, "dtype": "float32", "quantization": quantization })
}

fn layer(class: &str, name: &str, reads: Option<&str>, config: Value) -> Value {
    let inbound: Vec<_> = reads.iter().map(|source| json!([[source, 0, 0, {}]])).collect();
    json!({ "class_name": class, "name": name, "config": config, "inbound_nodes": inbound })
}

/// A model and the bytes of its weights.
struct TinyModel {
    model: Value,
    weights: Vec<u8>,
}

/// A Keras model: r + 2 g + 3 b, plus 2 by normalisation, clipped to 6, the mean over 2 x 2 pixels, and softmax of 0
/// and 1 times that.
fn keras() -> TinyModel {
    let conv =
        json!({ "strides": [1, 1], "padding": "same", "activation": "linear", "dilation_rate": [1, 1] });
    let pool = json!({ "pool_size": [2, 2], "strides": [2, 2], "padding": "valid" });
    let layers = [
        layer("InputLayer", "in", None, json!({ "batch_input_shape": [null, 2, 2, 3] })),
        layer("Conv2D", "c", Some("in"), conv),
        layer("BatchNormalization", "n", Some("c"), json!({ "axis": -1, "epsilon": 0 })),
        layer("ReLU", "r", Some("n"), json!({ "max_value": 6 })),
        layer("AveragePooling2D", "p", Some("r"), pool),
        layer("Flatten", "f", Some("p"), json!({})),
        layer("Dense", "d", Some("f"), json!({ "activation": "softmax" })),
    ];
    let weights = [
        weight("c/kernel", &[1, 1, 3, 1]),
        weight("n/gamma", &[1]),
        weight("n/beta", &[1]),
        weight("n/moving_mean", &[1]),
        weight("n/moving_variance", &[1]),
        weight("d/kernel", &[1, 2]),
        weight("d/bias", &[2]),
    ];
    let topology =
        json!({ "model_config": { "config": { "layers": layers, "output_layers": [["d", 0, 0]] } } });
    let model =
        json!({ "modelTopology": topology, "weightsManifest": [{ "paths": ["shard"], "weights": weights }] });
    TinyModel { model, weights: vec![1, 2, 3, 2, 3, 1, 4, 0, 1, 0, 0] }
}

fn node(op: &str, name: &str, input: &[&str], attr: Value) -> Value {
    json!({ "op": op, "name": name, "input": input, "attr": attr })
}

fn list(numbers: [&str; 4]) -> Value {
    json!({ "list": { "i": numbers } })
}

fn text(text: &str) -> Value {
    json!({ "s": STANDARD.encode(text) })
}

fn fused(ops: &[&str]) -> Value {
    let encoded: Vec<_> = ops.iter().map(|op| STANDARD.encode(op)).collect();
    json!({ "list": { "s": encoded } })
}

/// The same model as a frozen graph, with a bias of 2 in place of the normalisation.
fn graph() -> TinyModel {
    let sizes = ["-1", "2", "2", "3"].map(|size| json!({ "size": size }));
    let ones = ["1"; 4];
    let conv = json!({
        "data_format": text("NHWC"), "dilations": list(ones), "strides": list(ones), "padding": text("SAME"),
        "fused_ops": fused(&["BiasAdd", "Relu6"]),
    });
    let halves = list(["1", "2", "2", "1"]);
    let pool =
        json!({ "data_format": text("NHWC"), "ksize": halves, "strides": halves, "padding": text("VALID") });
    let nodes = [
        node("Placeholder", "in", &[], json!({ "shape": { "shape": { "dim": sizes } } })),
        node("Const", "k", &["^in"], json!({})),
        node("_FusedConv2D", "c", &["in", "k", "b"], conv),
        node("AvgPool", "p", &["c"], pool),
        node("Squeeze", "f", &["p"], json!({ "squeeze_dims": { "list": { "i": ["1", "2"] } } })),
        node("_FusedMatMul", "d", &["f", "w", "z"], json!({ "fused_ops": fused(&["BiasAdd"]) })),
        node("Softmax", "s", &["d"], json!({})),
        node("Identity", "Identity", &["s"], json!({})),
    ];
    let weights = [weight("k", &[1, 1, 3, 1]), weight("b", &[1]), weight("w", &[1, 2]), weight("z", &[2])];
    let manifest = json!([{ "paths": ["shard"], "weights": weights }]);
    TinyModel {
        model: json!({ "modelTopology": { "node": nodes }, "weightsManifest": manifest }),
        weights: vec![1, 2, 3, 2, 0, 1, 0, 0],
    }
}

/// Packs a model as nsfwjs does and converts it.
fn convert(tiny: &TinyModel) -> Result<Vec<u8>, ConvertError> {
    let graph = classifier("tiny", &|name| match name {
        "model.min.js" => Ok(module(&tiny.model.to_string())),
        "shard.min.js" => Ok(module(&format!("\"{}\"", STANDARD.encode(&tiny.weights)))),
        other => Err(ConvertError::MissingFile(other.to_owned())),
    });
    graph.map(|graph| graph.to_bytes())
}

/// A CommonJS module that exports a literal.
fn module(literal: &str) -> Vec<u8> {
    format!("({{1:[function(a,n,i){{n.exports={literal}}},{{}}]}})").into_bytes()
}

#[test]
fn models_in_both_formats_compute_the_expected_output() {
    for model in [keras(), graph()] {
        let model = Model::load(convert(&model).unwrap()).unwrap();
        let pixels = [1.0_f32, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
        let image = ValueView::from_shape(&[1, 3, 2, 2], pixels.as_slice()).unwrap();
        let nodes = ["image", "probabilities"].map(|name| model.node_id(name).unwrap());
        let [output] = model.run_n(vec![(nodes[0], image.into())], [nodes[1]], None).unwrap();
        let output: Tensor<f32> = output.try_into().unwrap();
        // The pixels give 3, 4, 5 and 6 instead of 8; their mean is 4.5.
        let expected = 1.0 / (1.0 + (-4.5_f32).exp());
        assert!((output.into_data()[1] - expected).abs() < 1e-6);
    }
}

#[test]
fn the_error_names_what_is_not_supported() {
    type Make = fn() -> TinyModel;
    let wrong: [(Make, &str, Value, &str); 7] = [
        (keras, "/modelTopology/model_config/config/layers/3/class_name", json!("Swish"), "Swish r"),
        (
            keras,
            "/modelTopology/model_config/config/layers/1/config/dilation_rate",
            json!([2, 2]),
            "Conv2D c",
        ),
        (keras, "/modelTopology/model_config/config/layers/1/config/activation", json!("tanh"), "tanh"),
        (keras, "/weightsManifest/0/weights/0/dtype", json!("int32"), "weight c/kernel"),
        (keras, "/weightsManifest/0/paths/0", json!("other"), "no other.min.js"),
        (graph, "/modelTopology/node/6/op", json!("Tanh"), "Tanh s"),
        (graph, "/modelTopology/node/2/attr/padding/s", json!("RVhQTElDSVQ="), "EXPLICIT"),
    ];
    for (model, pointer, value, named) in wrong {
        let mut tiny = model();
        *tiny.model.pointer_mut(pointer).expect(pointer) = value;
        let complaint = convert(&tiny).unwrap_err().to_string();
        assert!(complaint.contains(named), "{named}: {complaint}");
    }
}
