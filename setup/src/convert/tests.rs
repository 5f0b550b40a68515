//! Two tiny models in the two formats of TensorFlow.js, converted and run; and what is refused.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rten::{Model, ValueView};
use rten_tensor::Tensor;
use serde_json::{Value, json};

use super::classifier;

/// A weight stored in 8 bits, whose values are the bytes.
fn weight(name: &str, shape: &[usize]) -> Value {
    let quantization = json!({ "dtype": "uint8", "scale": 1, "min": 0 });
    json!({ "name": name, "shape": shape, "dtype": "float32", "quantization": quantization })
}

fn layer(class: &str, name: &str, reads: Option<&str>, config: Value) -> Value {
    let inbound: Vec<_> = reads.iter().map(|source| json!([[source, 0, 0, {}]])).collect();
    json!({ "class_name": class, "name": name, "config": config, "inbound_nodes": inbound })
}

/// A Keras model: r + 2 g + 3 b, normalised to 2 more, cut to 6, the mean over 2 x 2 pixels, and 0 against 1 times that.
fn keras() -> (Value, Vec<u8>) {
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
    (model, vec![1, 2, 3, 2, 3, 1, 4, 0, 1, 0, 0])
}

/// The same as a frozen graph, where the normalisation is a bias of 2.
fn graph() -> (Value, Vec<u8>) {
    let node = |op: &str, name: &str, input: &[&str], attr: Value| json!({ "op": op, "name": name, "input": input, "attr": attr });
    let list = |numbers: [&str; 4]| json!({ "list": { "i": numbers } });
    let text = |text: &str| json!({ "s": STANDARD.encode(text) });
    let fused = |ops: &[&str]| json!({ "list": { "s": ops.iter().map(|op| STANDARD.encode(op)).collect::<Vec<_>>() } });
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
    (json!({ "modelTopology": { "node": nodes }, "weightsManifest": manifest }), vec![1, 2, 3, 2, 0, 1, 0, 0])
}

/// Packed as nsfwjs packs its models, and converted.
fn convert((model, bytes): (Value, Vec<u8>)) -> Result<Vec<u8>, String> {
    let module =
        |literal: String| format!("({{1:[function(a,n,i){{n.exports={literal}}},{{}}]}})").into_bytes();
    let file = |name: &str| match name {
        "model.min.js" => Ok(module(model.to_string())),
        "shard.min.js" => Ok(module(format!("\"{}\"", STANDARD.encode(&bytes)))),
        other => Err(format!("no {other}")),
    };
    classifier("tiny", &file).map(|graph| graph.to_bytes())
}

#[test]
fn both_formats_give_what_they_describe() {
    for model in [keras(), graph()] {
        let model = Model::load(convert(model).unwrap()).unwrap();
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
fn what_is_not_understood_is_refused_by_name() {
    type Make = fn() -> (Value, Vec<u8>);
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
        let (mut topology, bytes) = model();
        *topology.pointer_mut(pointer).expect(pointer) = value;
        let complaint = convert((topology, bytes)).unwrap_err();
        assert!(complaint.contains(named), "{named}: {complaint}");
    }
}
