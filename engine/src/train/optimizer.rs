//! AdamW over a head's variables, with gradient clipping and an L2-SP penalty. Changes nothing when a gradient is not
//! finite.

use candle_core::{Device, Tensor, Var, backprop::GradStore};

use super::{error::TrainError, head::TrainableHead, settings::TrainSettings};

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The optimizer and its state.
pub(super) struct AdamW {
    parameters: Vec<Parameter>,
    steps: i32,
    max_gradient_norm: f32,
    l2_sp: f32,
}

/// A variable with its optimizer state, in plain vectors: one loop over them is ten times faster than tensor
/// operations.
struct Parameter {
    name: String,
    var: Var,
    values: Vec<f32>,
    start: Vec<f32>,
    first_moment: Vec<f32>,
    second_moment: Vec<f32>,
    /// 0 for biases and norms.
    weight_decay: f32,
}

impl AdamW {
    pub(super) fn new(head: &TrainableHead, settings: &TrainSettings) -> Result<Self, TrainError> {
        let parameters = head.variables().into_iter().map(|(name, var)| {
            let values = var.flatten_all()?.to_vec1::<f32>()?;
            Ok(Parameter {
                name,
                start: values.clone(),
                first_moment: vec![0.0; values.len()],
                second_moment: vec![0.0; values.len()],
                weight_decay: if var.rank() > 1 { settings.weight_decay } else { 0.0 },
                var,
                values,
            })
        });
        let parameters = parameters.collect::<Result<_, TrainError>>()?;
        Ok(Self {
            parameters,
            steps: 0,
            max_gradient_norm: settings.max_gradient_norm,
            l2_sp: settings.l2_sp,
        })
    }

    /// Takes one step.
    pub(super) fn step(&mut self, gradients: &GradStore, learning_rate: f32) -> Result<(), TrainError> {
        let gradients = self.parameters.iter().map(|parameter| parameter.gradient(gradients));
        let gradients = gradients.collect::<Result<Vec<Vec<f32>>, TrainError>>()?;
        let squares = gradients.iter().flatten().map(|&g| f64::from(g).powi(2)).sum::<f64>();
        if !squares.is_finite() {
            return Err(TrainError::Unfit("the loss is no longer finite".into()));
        }
        let share = (self.max_gradient_norm / squares.sqrt() as f32).min(1.0);
        self.steps += 1;
        let scaled_rate = learning_rate / (1.0 - BETA_1.powi(self.steps));
        let second_moment_scale = 1.0 / (1.0 - BETA_2.powi(self.steps));
        for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
            let kept = 1.0 - learning_rate * parameter.weight_decay;
            let state =
                parameter.first_moment.iter_mut().zip(&mut parameter.second_moment).zip(&parameter.start);
            for ((value, gradient), ((first_moment, second_moment), start)) in
                parameter.values.iter_mut().zip(gradient).zip(state)
            {
                let gradient = gradient * share + self.l2_sp * (*value - start);
                *first_moment = BETA_1 * *first_moment + (1.0 - BETA_1) * gradient;
                *second_moment = BETA_2 * *second_moment + (1.0 - BETA_2) * gradient * gradient;
                *value = *value * kept
                    - scaled_rate * *first_moment / ((*second_moment * second_moment_scale).sqrt() + EPSILON);
            }
            parameter.put(&parameter.values)?;
        }
        Ok(())
    }

    /// Copies the variables' values.
    pub(super) fn values(&self) -> Vec<Vec<f32>> {
        self.parameters.iter().map(|parameter| parameter.values.clone()).collect()
    }

    /// Ends training with the given [`AdamW::values`], or with the initial ones.
    pub(super) fn finish(self, values: Option<Vec<Vec<f32>>>) -> Result<(), TrainError> {
        let values = values
            .unwrap_or_else(|| self.parameters.iter().map(|parameter| parameter.start.clone()).collect());
        self.parameters.iter().zip(&values).try_for_each(|(parameter, values)| parameter.put(values))
    }
}

impl Parameter {
    fn gradient(&self, gradients: &GradStore) -> Result<Vec<f32>, TrainError> {
        let Some(gradient) = gradients.get(&self.var) else {
            return Err(TrainError::Unfit(format!("`{}` has no gradient", self.name)));
        };
        Ok(gradient.flatten_all()?.to_vec1::<f32>()?)
    }

    fn put(&self, values: &[f32]) -> Result<(), TrainError> {
        Ok(self.var.set(&Tensor::from_slice(values, self.var.dims(), &Device::Cpu)?)?)
    }
}
