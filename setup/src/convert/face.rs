//! Converts the face detector and the age net of npm's `@vladmandic/face-api`, which defines their architectures in
//! code: `src/tinyYolov2/TinyYolov2Base.ts`, `src/xception/TinyXception.ts` and `src/ageGenderNet/AgeGenderNet.ts`. The
//! age net's gender output is left out.

use serde_json::Value as Json;

use super::{
    error::ConvertError,
    kernel::Kernel,
    net::{Activation, GraphBuilder, Pool, Value},
    tensors::Tensors,
    window::{Padding, VALID, Window},
};
use engine::onnx::{Dim, Graph};

/// Converts `TinyFaceDetector` from `tiny_face_detector_model-weights_manifest.json` and the file that it names.
///
/// `image`: `[1, 3, height, width]`, RGB, 0 to 255, both sides multiples of 32; 416 x 416 by default in face-api. The
/// graph subtracts the mean and divides by 255. The caller scales the picture into the top left of a black square.
///
/// `grid`: `[1, 25, height / 32, width / 32]`, raw. Channel `5 a + k` of the cell (row, column) belongs to anchor `a`
/// of 5: k = 0, 1 give the centre, `(column + sigmoid(x)) / columns` and `(row + sigmoid(y)) / rows`; k = 2, 3 the
/// width and the height, `exp(w) * anchor width / columns` and `exp(h) * anchor height / rows`; k = 4 the score,
/// `sigmoid(s)`. All are fractions of the input's sides. Anchors (`src/tinyFaceDetector/const.ts`): 1.603231 x
/// 2.094468,
/// 6.041143 x 7.080126, 2.882459 x 3.518061, 4.266906 x 5.178857, 9.041765 x 10.66308.
///
/// # Errors
/// If a file is missing, or the weights have unexpected names or shapes.
pub fn face_detector(file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>) -> Result<Graph, ConvertError> {
    let tensors = weights("tiny_face_detector_model", file)?;
    // The padding is the same for all multiples of 32.
    let (net, image) = GraphBuilder::new(
        "face-detector",
        Dim::Fixed(1),
        [Dim::Free("height"), Dim::Free("width")],
        [416, 416],
    );
    let mut net = Layers { net, tensors: &tensors };
    let mut x = net.normalised(&image, [117.001, 114.697, 97.404]);
    x = net.conv("conv0", &x, 1, VALID)?;
    x = net.net.activation("conv0/activation", &x, Activation::Leaky);
    for layer in 1..=5 {
        let pool = Window { size: [2, 2], strides: [2, 2], padding: Padding::Same };
        x = net.net.pool(&format!("pool{layer}"), &x, Pool::Max, pool)?;
        x = net.separable(&format!("conv{layer}"), &x)?;
        x = net.net.activation(&format!("conv{layer}/activation"), &x, Activation::Leaky);
    }
    let pool = Window { size: [2, 2], strides: [1, 1], padding: Padding::Same };
    x = net.net.pool("pool6", &x, Pool::Max, pool)?;
    x = net.conv("conv8", &x, 1, VALID)?;
    let shape = vec![Dim::Fixed(1), Dim::Fixed(x.channels), Dim::Free("rows"), Dim::Free("columns")];
    net.net.finish(&x, "grid", shape)
}

/// Converts the age half of `AgeGenderNet` from `age_gender_model-weights_manifest.json` and the file that it names.
///
/// `image`: `[faces, 3, 112, 112]`, RGB, 0 to 255. The graph subtracts the mean and divides by 255. The caller crops
/// the face and scales it into the centre of a black square.
///
/// `age`: `[faces, 1]`, years.
///
/// # Errors
/// If a file is missing, or the weights have unexpected names or shapes.
pub fn face_age(file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>) -> Result<Graph, ConvertError> {
    let tensors = weights("age_gender_model", file)?;
    let faces = Dim::Free("faces");
    let (net, image) =
        GraphBuilder::new("face-age", faces.clone(), [Dim::Fixed(112), Dim::Fixed(112)], [112, 112]);
    let mut net = Layers { net, tensors: &tensors };
    let mut x = net.normalised(&image, [122.782, 117.001, 104.298]);
    x = net.conv("entry_flow/conv_in", &x, 2, Padding::Same)?;
    x = net.net.activation("entry_flow/conv_in/activation", &x, Activation::Relu);
    x = net.reduction("entry_flow/reduction_block_0", &x, false)?;
    x = net.reduction("entry_flow/reduction_block_1", &x, true)?;
    for block in ["middle_flow/main_block_0", "middle_flow/main_block_1"] {
        let mut y = x.clone();
        for conv in 0..3 {
            y = net.relu_separable(&format!("{block}/separable_conv{conv}"), &y)?;
        }
        x = net.net.add(block, &y, &x)?;
    }
    x = net.reduction("exit_flow/reduction_block", &x, true)?;
    x = net.separable("exit_flow/separable_conv", &x)?;
    x = net.net.activation("exit_flow/separable_conv/activation", &x, Activation::Relu);
    x = net.net.pool("pool", &x, Pool::Average, Window { size: [7, 7], strides: [2, 2], padding: VALID })?;
    x = net.net.flatten("features", &x)?;
    x = net.net.dense("fc/age", &x, tensors.get("fc/age/weights", 2)?, tensors.get("fc/age/bias", 1)?)?;
    net.net.finish(&x, "age", vec![faces, Dim::Fixed(1)])
}

fn weights(
    model: &str,
    file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>,
) -> Result<Tensors, ConvertError> {
    let manifest: Json = serde_json::from_slice(&file(&format!("{model}-weights_manifest.json"))?)
        .map_err(|error| ConvertError::from(format!("{model}: {error}")))?;
    Tensors::read(&manifest, file)
}

/// face-api's layers, by the names of their weights.
struct Layers<'a> {
    net: GraphBuilder,
    tensors: &'a Tensors,
}

impl Layers<'_> {
    fn normalised(&mut self, x: &Value, mean: [f32; 3]) -> Value {
        let centred = self.net.with_constant("mean", "Sub", x, &mean);
        self.net.with_constant("scale", "Div", &centred, &[255.0])
    }

    fn conv(
        &mut self,
        name: &str,
        x: &Value,
        stride: usize,
        padding: Padding,
    ) -> Result<Value, ConvertError> {
        let kernel = Kernel::full(self.tensors.get(&format!("{name}/filters"), 4)?);
        let kernel = kernel.with_bias(&self.tensors.get(&format!("{name}/bias"), 1)?.values)?;
        self.net.conv(name, x, &kernel, Window { size: [0, 0], strides: [stride; 2], padding })
    }

    /// A depthwise separable convolution with a bias.
    fn separable(&mut self, name: &str, x: &Value) -> Result<Value, ConvertError> {
        let window = Window { size: [0, 0], strides: [1, 1], padding: Padding::Same };
        let depthwise = Kernel::depthwise(self.tensors.get(&format!("{name}/depthwise_filter"), 4)?)?;
        let x = self.net.conv(&format!("{name}/depthwise"), x, &depthwise, window)?;
        let pointwise = Kernel::full(self.tensors.get(&format!("{name}/pointwise_filter"), 4)?);
        let pointwise = pointwise.with_bias(&self.tensors.get(&format!("{name}/bias"), 1)?.values)?;
        self.net.conv(name, &x, &pointwise, window)
    }

    fn relu_separable(&mut self, name: &str, x: &Value) -> Result<Value, ConvertError> {
        let x = self.net.activation(&format!("{name}/activated"), x, Activation::Relu);
        self.separable(name, &x)
    }

    /// Two separable convolutions and a pooling layer, plus a shortcut with stride 2.
    fn reduction(&mut self, name: &str, x: &Value, activated: bool) -> Result<Value, ConvertError> {
        let first = format!("{name}/separable_conv0");
        let mut y = if activated { self.relu_separable(&first, x)? } else { self.separable(&first, x)? };
        y = self.relu_separable(&format!("{name}/separable_conv1"), &y)?;
        let pool = Window { size: [3, 3], strides: [2, 2], padding: Padding::Same };
        y = self.net.pool(&format!("{name}/pool"), &y, Pool::Max, pool)?;
        let shortcut = self.conv(&format!("{name}/expansion_conv"), x, 2, Padding::Same)?;
        self.net.add(name, &y, &shortcut)
    }
}
