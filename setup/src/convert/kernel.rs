//! Convolution kernels in the layout of ONNX, with batch normalisation folded in.

use super::{error::ConvertError, tensors::Tensor};

/// Weights `[out, in / groups, height, width]` and one bias for each output channel.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) weights: Tensor,
    pub(super) bias: Vec<f32>,
    pub(super) groups: usize,
}

/// A batch normalisation: `(x - mean) / sqrt(variance + epsilon) * gamma + beta`, by channel.
pub(super) struct Norm<'a> {
    /// 1 where absent.
    pub(super) gamma: Option<&'a [f32]>,
    /// 0 where absent.
    pub(super) beta: Option<&'a [f32]>,
    pub(super) mean: &'a [f32],
    pub(super) variance: &'a [f32],
    pub(super) epsilon: f64,
}

impl Kernel {
    /// From TensorFlow's `[height, width, in, out]`.
    pub(super) fn full(weights: &Tensor) -> Self {
        let weights = weights.transposed([3, 2, 0, 1]);
        Kernel { bias: vec![0.0; weights.shape[0]], weights, groups: 1 }
    }

    /// From TensorFlow's `[height, width, channels, 1]`, one filter for each channel.
    ///
    /// # Errors
    /// If a channel has more than one filter.
    pub(super) fn depthwise(weights: &Tensor) -> Result<Self, ConvertError> {
        if weights.shape[3] != 1 {
            return Err(format!("{} filters for each channel", weights.shape[3]).into());
        }
        let weights = weights.transposed([2, 3, 0, 1]);
        Ok(Kernel { bias: vec![0.0; weights.shape[0]], groups: weights.shape[0], weights })
    }

    /// Sets the bias.
    ///
    /// # Errors
    /// If there is not exactly one value for each output channel.
    pub(super) fn with_bias(mut self, bias: &[f32]) -> Result<Self, ConvertError> {
        self.one_each(bias)?;
        self.bias = bias.to_vec();
        Ok(self)
    }

    /// Folds a batch normalisation into the kernel. Computed in 64 bits with operations that IEEE 754 rounds
    /// correctly, so that the result is the same everywhere.
    ///
    /// # Errors
    /// If there is not exactly one value for each output channel.
    pub(super) fn fold_batch_norm(mut self, norm: &Norm) -> Result<Self, ConvertError> {
        let all = [norm.gamma, norm.beta, Some(norm.mean), Some(norm.variance)];
        all.into_iter().flatten().try_for_each(|values| self.one_each(values))?;
        let per_channel = self.weights.values.len() / self.bias.len();
        for (channel, weights) in self.weights.values.chunks_exact_mut(per_channel).enumerate() {
            let gamma = norm.gamma.map_or(1.0, |values| f64::from(values[channel]));
            let beta = norm.beta.map_or(0.0, |values| f64::from(values[channel]));
            let factor = gamma / (f64::from(norm.variance[channel]) + norm.epsilon).sqrt();
            let bias = (f64::from(self.bias[channel]) - f64::from(norm.mean[channel])) * factor + beta;
            self.bias[channel] = bias as f32;
            weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) * factor) as f32);
        }
        Ok(self)
    }

    fn one_each(&self, values: &[f32]) -> Result<(), ConvertError> {
        let channels = self.bias.len();
        if values.len() == channels && channels > 0 {
            return Ok(());
        }
        Err(format!("{} values for {channels} channels", values.len()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_normalisation_equals_one_after_the_convolution() {
        let weights = Tensor { shape: vec![1, 1, 2, 2], values: vec![0.5, -1.0, 2.0, 3.0] };
        let norm = Norm {
            gamma: Some(&[1.5, 0.5]),
            beta: Some(&[0.25, -1.0]),
            mean: &[0.1, 0.2],
            variance: &[0.9, 4.0],
            epsilon: 0.001,
        };
        let plain = Kernel::full(&weights);
        let folded = plain.clone().fold_batch_norm(&norm).unwrap();
        for (out, (gamma, beta, mean, variance)) in
            [(1.5, 0.25, 0.1, 0.9_f32), (0.5, -1.0, 0.2, 4.0)].into_iter().enumerate()
        {
            let expected = (apply(&plain, out) - mean) / (variance + 0.001).sqrt() * gamma + beta;
            assert!((apply(&folded, out) - expected).abs() < 1e-5, "{out}");
        }
        assert!(plain.clone().with_bias(&[1.0]).is_err());
    }

    /// The output of a kernel for a pixel with the channels 3 and -2.
    fn apply(kernel: &Kernel, out: usize) -> f32 {
        3.0 * kernel.weights.values[2 * out] - 2.0 * kernel.weights.values[2 * out + 1] + kernel.bias[out]
    }
}
