//! Written graphs run in rten.

use rten::{Model, ValueView};
use rten_tensor::Tensor;

use super::*;

/// `image` `[1, 2, height, 2]`, one convolution over its columns, then flattened by a shape given as integers.
fn graph() -> Graph {
    let image = vec![Dim::Fixed(1), Dim::Fixed(2), Dim::Free("height"), Dim::Fixed(2)];
    Graph {
        name: "tiny".into(),
        inputs: vec![Port::f32("image", image)],
        outputs: vec![Port::f32("values", vec![Dim::Free("count")])],
        initializers: vec![
            initializer("weights", &[1, 2, 1, 2], TensorData::F32(vec![1.0, 2.0, 3.0, -4.0])),
            initializer("bias", &[1], TensorData::F32(vec![0.5])),
            initializer("flat", &[1], TensorData::I64(vec![-1])),
        ],
        nodes: vec![
            Node::new("Conv", &["image", "weights", "bias"], "sums")
                .with("kernel_shape", Attribute::Ints(vec![1, 2]))
                .with("strides", Attribute::Ints(vec![1, 1]))
                .with("group", Attribute::Int(1))
                .with("auto_pad", Attribute::Text("VALID".into())),
            Node::new("LeakyRelu", &["sums"], "leaky").with("alpha", Attribute::Float(0.25)),
            Node::new("Reshape", &["leaky", "flat"], "values"),
        ],
    }
}

fn initializer(name: &str, shape: &[usize], data: TensorData) -> Initializer {
    Initializer { name: name.into(), shape: shape.into(), data }
}

#[test]
fn a_written_graph_runs_in_rten() {
    let model = Model::load(graph().to_bytes()).unwrap();
    let pixels = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let image = ValueView::from_shape(&[1, 2, 2, 2], pixels.as_slice()).unwrap();
    let input = model.node_id("image").unwrap();
    let output = model.node_id("values").unwrap();
    let [values] = model.run_n(vec![(input, image.into())], [output], None).unwrap();
    let values: Tensor<f32> = values.try_into().unwrap();
    // 1 + 2 * 2 + 3 * 5 - 4 * 6 + 0.5 is -3.5, of which a quarter remains; 3 + 2 * 4 + 3 * 7 - 4 * 8 + 0.5 is 0.5.
    assert_eq!(values.into_data(), [-0.875, 0.5]);
}

#[test]
fn the_same_graph_gives_the_same_bytes() {
    assert_eq!(graph().to_bytes(), graph().to_bytes());
    let mut other = graph();
    other.initializers[2].data = TensorData::I64(vec![2]);
    assert_ne!(graph().to_bytes(), other.to_bytes());
}
