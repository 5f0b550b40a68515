//! rten, the runtime that is linked in.

use std::sync::Arc;

use rten::{ThreadPool, Value, ValueOrView, ValueView};

use super::{
    model::{Data, Input, Source, Tensor},
    pool::Pool,
};

/// The name and the version, as in the workspace's manifest.
pub(super) const NAME: &str = "rten 0.27";

/// Thread pools of one thread each, shared by all models. Each run takes a pool of its own, since two runs on one pool
/// would wait for each other.
pub(super) type Threads = Pool<Arc<ThreadPool>>;

pub(super) struct Loaded {
    model: rten::Model,
    threads: Arc<Threads>,
}

impl Loaded {
    pub(super) fn open(source: Source, threads: &Arc<Threads>) -> Result<Self, String> {
        let mut options = rten::ModelOptions::with_ops(operators());
        let model = match source {
            Source::File(path) => options.load_file(path),
            // Encoders: prepack the matrices once.
            Source::Bytes(bytes) => options.prepack_weights(true).load(bytes),
        };
        let model = model.map_err(|error| error.to_string())?;
        Ok(Self { model, threads: Arc::clone(threads) })
    }

    pub(super) fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<Tensor>, String> {
        let inputs = inputs
            .iter()
            .map(|input| {
                let id = self.model.node_id(input.name).map_err(|error| error.to_string())?;
                Ok((id, value(input)?))
            })
            .collect::<Result<Vec<_>, String>>()?;
        let outputs = self.threads.with(
            || Ok(Arc::new(ThreadPool::with_num_threads(1))),
            |pool| {
                let options = rten::RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
                self.model
                    .run(inputs, self.model.output_ids(), Some(options))
                    .map_err(|error| error.to_string())
            },
        )?;
        outputs.into_iter().map(tensor).collect()
    }
}

/// The operators of our encoders and of convolutional image models. rten's others are left out of the binary; a model that
/// uses one does not load.
fn operators() -> rten::OpRegistry {
    rten::op_registry!(
        Abs,
        Add,
        AveragePool,
        BatchNormalization,
        Cast,
        Clip,
        Concat,
        Conv,
        Div,
        Erf,
        Exp,
        Flatten,
        Gather,
        Gemm,
        GlobalAveragePool,
        HardSigmoid,
        HardSwish,
        Identity,
        LayerNormalization,
        LeakyRelu,
        MatMul,
        MatMulInteger,
        Max,
        MaxPool,
        Min,
        Mul,
        PRelu,
        Pad,
        Pow,
        QuantizeLinear,
        ReduceMax,
        ReduceMean,
        Relu,
        Reshape,
        Resize,
        Shape,
        Sigmoid,
        Slice,
        Softmax,
        Split,
        Sqrt,
        Squeeze,
        Sub,
        Sum,
        Tanh,
        Transpose,
        Unsqueeze
    )
}

fn value<'a>(input: &Input<'a>) -> Result<ValueOrView<'a>, String> {
    match input.data {
        Data::F32(data) => ValueView::from_shape(input.shape, data)
            .map(ValueOrView::from)
            .map_err(|error| format!("input `{}`: {error}", input.name)),
        Data::I64(data) => {
            let narrow = data.iter().map(|&value| i32::try_from(value)).collect::<Result<Vec<_>, _>>();
            let narrow = narrow.map_err(|_| format!("input `{}`: a value over 32 bits", input.name))?;
            Value::from_shape(input.shape, narrow)
                .map(ValueOrView::from)
                .map_err(|error| format!("input `{}`: {error}", input.name))
        }
    }
}

fn tensor(value: Value) -> Result<Tensor, String> {
    let tensor: rten_tensor::Tensor<f32> =
        value.try_into().map_err(|error: rten::TryFromValueError| error.to_string())?;
    let shape = rten_tensor::Layout::shape(&tensor).to_vec();
    Ok(Tensor { shape, data: tensor.into_data() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_name_has_the_version_that_is_built_in() {
        let manifest = include_str!("../../../Cargo.toml");
        assert!(
            manifest
                .contains(&format!("\nrten = {{ version = \"{}\"", super::NAME.trim_start_matches("rten ")))
        );
    }
}
