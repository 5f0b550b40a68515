//! Convolution kernels in the order of ONNX, and batch normalisation folded into them.

use super::tensors::Tensor;

/// Weights `[out, in / groups, height, width]` and one bias for each output channel.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) weights: Tensor,
    pub(super) bias: Vec<f32>,
    pub(super) groups: usize,
}

/// What a batch normalisation does to a channel: `(x - mean) / sqrt(variance + epsilon) * gamma + beta`.
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
    /// More filters than one for a channel.
    pub(super) fn depthwise(weights: &Tensor) -> Result<Self, String> {
        if weights.shape[3] != 1 {
            return Err(format!("{} filters for each channel", weights.shape[3]));
        }
        let weights = weights.transposed([2, 3, 0, 1]);
        Ok(Kernel { bias: vec![0.0; weights.shape[0]], groups: weights.shape[0], weights })
    }

    /// With this bias.
    ///
    /// # Errors
    /// Not one value for each output channel.
    pub(super) fn with_bias(mut self, bias: &[f32]) -> Result<Self, String> {
        self.one_each(bias)?;
        self.bias = bias.to_vec();
        Ok(self)
    }

    /// The kernel that does what this one and then `norm` do. Computed in 64 bits with the operations that IEEE 754
    /// rounds correctly, so that the result is the same everywhere.
    ///
    /// # Errors
    /// Not one value for each output channel.
    pub(super) fn fold_batch_norm(mut self, norm: &Norm) -> Result<Self, String> {
        let all = [norm.gamma, norm.beta, Some(norm.mean), Some(norm.variance)];
        all.into_iter().flatten().try_for_each(|values| self.one_each(values))?;
        let per_channel = self.weights.values.len() / self.bias.len();
        for (channel, weights) in self.weights.values.chunks_exact_mut(per_channel).enumerate() {
            let read = |values: &[f32]| f64::from(values[channel]);
            let factor = norm.gamma.map_or(1.0, read) / (read(norm.variance) + norm.epsilon).sqrt();
            let bias = (read(&self.bias) - read(norm.mean)) * factor + norm.beta.map_or(0.0, read);
            self.bias[channel] = bias as f32;
            weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) * factor) as f32);
        }
        Ok(self)
    }

    fn one_each(&self, values: &[f32]) -> Result<(), String> {
        let channels = self.bias.len();
        if values.len() == channels && channels > 0 {
            return Ok(());
        }
        Err(format!("{} values for {channels} channels", values.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_normalisation_gives_what_it_gives_after_the_convolution() {
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
        let apply = |kernel: &Kernel, out: usize| {
            let [a, b] = [3.0, -2.0];
            a * kernel.weights.values[2 * out] + b * kernel.weights.values[2 * out + 1] + kernel.bias[out]
        };
        for (out, (gamma, beta, mean, variance)) in
            [(1.5, 0.25, 0.1, 0.9_f32), (0.5, -1.0, 0.2, 4.0)].into_iter().enumerate()
        {
            let expected = (apply(&plain, out) - mean) / (variance + 0.001).sqrt() * gamma + beta;
            assert!((apply(&folded, out) - expected).abs() < 1e-5, "{out}");
        }
        assert!(plain.clone().with_bias(&[1.0]).is_err());
    }
}
