//! rten, the runtime that is linked in.

use std::sync::Arc;

use rten::{ThreadPool, Value, ValueOrView, ValueView};

use super::{
    error::RuntimeError,
    pool::Pool,
    tensor::{Input, InputData, ModelSource, OutputTensor},
};

/// The name and the version, as in the workspace's manifest.
pub(super) const NAME: &str = "rten 0.27";

/// Thread pools of one thread each, shared by all models. Each run takes a pool of its own, since two runs on one pool
/// would wait for each other.
pub(super) type Threads = Pool<Arc<ThreadPool>>;

pub(super) struct BuiltInModel {
    model: rten::Model,
    threads: Arc<Threads>,
}

impl BuiltInModel {
    pub(super) fn open(source: ModelSource, threads: &Arc<Threads>) -> Result<Self, RuntimeError> {
        let mut options = rten::ModelOptions::with_ops(operators());
        let model = match source {
            ModelSource::File(path) => options.load_file(path),
            // Encoders: prepack the matrices once.
            ModelSource::Built(build) => {
                options.prepack_weights(true).load(build().map_err(RuntimeError::of)?)
            }
        };
        let model = model.map_err(RuntimeError::of)?;
        Ok(Self { model, threads: Arc::clone(threads) })
    }

    pub(super) fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<OutputTensor>, RuntimeError> {
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            let id = self.model.node_id(input.name).map_err(RuntimeError::of)?;
            values.push((id, value(input)?));
        }
        let outputs = self.threads.with(
            || Ok(Arc::new(ThreadPool::with_num_threads(1))),
            |pool| {
                let options = rten::RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
                self.model.run(values, self.model.output_ids(), Some(options)).map_err(RuntimeError::of)
            },
        )?;
        outputs.into_iter().map(tensor).collect()
    }
}

/// The operators of our encoders and of convolutional image models. rten's other operators are left out of the binary;
/// a model that uses one of them does not load.
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

fn value<'a>(input: &Input<'a>) -> Result<ValueOrView<'a>, RuntimeError> {
    match input.data {
        InputData::F32(data) => ValueView::from_shape(input.shape, data)
            .map(ValueOrView::from)
            .map_err(|error| RuntimeError::of_input(input.name, error)),
        InputData::I64(data) => {
            let narrow = data.iter().map(|&value| i32::try_from(value)).collect::<Result<Vec<_>, _>>();
            let narrow = narrow.map_err(|_| RuntimeError::WideInput(input.name.to_owned()))?;
            Value::from_shape(input.shape, narrow)
                .map(ValueOrView::from)
                .map_err(|error| RuntimeError::of_input(input.name, error))
        }
    }
}

fn tensor(value: Value) -> Result<OutputTensor, RuntimeError> {
    let tensor = rten_tensor::Tensor::<f32>::try_from(value).map_err(RuntimeError::of)?;
    let shape = rten_tensor::Layout::shape(&tensor).to_vec();
    Ok(OutputTensor { shape, data: tensor.into_data() })
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
