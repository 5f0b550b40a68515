//! AdamW over a head's parameters, with gradient clipping and an L2-SP penalty. Changes nothing when a gradient is not
//! finite.

use ndarray::{ArrayD, Zip};

use super::{error::TrainError, head::TrainableHead, settings::TrainSettings};

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The optimizer and its state.
pub(super) struct AdamW {
    parameters: Vec<ParameterState>,
    steps: i32,
    max_gradient_norm: f32,
    l2_sp: f32,
}

/// The state of one parameter.
struct ParameterState {
    start: ArrayD<f32>,
    first_moment: ArrayD<f32>,
    second_moment: ArrayD<f32>,
    /// 0 for biases and norms.
    weight_decay: f32,
}

impl AdamW {
    pub(super) fn new(head: &TrainableHead, settings: &TrainSettings) -> Self {
        let parameters = head.snapshot().into_iter().map(|start| ParameterState {
            first_moment: ArrayD::zeros(start.raw_dim()),
            second_moment: ArrayD::zeros(start.raw_dim()),
            weight_decay: if start.ndim() > 1 { settings.weight_decay } else { 0.0 },
            start,
        });
        Self {
            parameters: parameters.collect(),
            steps: 0,
            max_gradient_norm: settings.max_gradient_norm,
            l2_sp: settings.l2_sp,
        }
    }

    /// Takes one step.
    pub(super) fn step(
        &mut self,
        head: &mut TrainableHead,
        gradient: &TrainableHead,
        learning_rate: f32,
    ) -> Result<(), TrainError> {
        let gradients = gradient.parameters();
        let squares: f64 =
            gradients.iter().flat_map(|(_, part)| part.iter()).map(|&g| f64::from(g).powi(2)).sum();
        if !squares.is_finite() {
            return Err(TrainError::Unfit("the loss is no longer finite".into()));
        }
        let share = (self.max_gradient_norm / squares.sqrt() as f32).min(1.0);
        self.steps += 1;
        let scaled_rate = learning_rate / (1.0 - BETA_1.powi(self.steps));
        let second_moment_scale = 1.0 / (1.0 - BETA_2.powi(self.steps));
        let l2_sp = self.l2_sp;
        let parameters = head.parameters_mut().into_iter().zip(&gradients).zip(&mut self.parameters);
        for ((values, (_, gradient)), state) in parameters {
            let kept = 1.0 - learning_rate * state.weight_decay;
            Zip::from(values)
                .and(gradient)
                .and(&state.start)
                .and(&mut state.first_moment)
                .and(&mut state.second_moment)
                .for_each(|value, gradient, start, first_moment, second_moment| {
                    let gradient = gradient * share + l2_sp * (*value - start);
                    *first_moment = BETA_1 * *first_moment + (1.0 - BETA_1) * gradient;
                    *second_moment = BETA_2 * *second_moment + (1.0 - BETA_2) * gradient * gradient;
                    *value = *value * kept
                        - scaled_rate * *first_moment
                            / ((*second_moment * second_moment_scale).sqrt() + EPSILON);
                });
        }
        Ok(())
    }
}
