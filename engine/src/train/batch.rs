//! Training examples and padded batches of them. An example that is too long for a batch is a batch of its own.

use ndarray::{Array1, Array2, Array3, Axis};

use super::error::TrainError;

/// The most `examples * markers * tokens` of a batch, padding included. Its attention scores, twelve times as many
/// numbers, then take 6 MB.
const MOST_CELLS: usize = 1 << 17;
/// Added to the attention score of hidden tokens and padding.
const MASKED_SCORE: f32 = -1e9;

/// The hidden states of a question and its target. The question must be one sequence, without windows or groups.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingExample {
    /// The backbone's output, row-major: 1.5 KB for each token at a width of 384.
    pub hidden: Vec<f32>,
    /// Each token's owner, as in the [`Sequence`](crate::encoder::Sequence) that the backbone read.
    pub owners: Vec<u16>,
    /// The position of the marker before each option.
    pub markers: Vec<u32>,
    /// The target probability of each option; they sum to 1.
    pub target: Vec<f32>,
    /// The temperature of such a question in serving, by its type and its number of options.
    pub temperature: f32,
}

/// Examples that are padded to the longest.
pub(super) struct Batch {
    /// `[examples, tokens, width]`.
    pub(super) hidden: Array3<f32>,
    /// `[examples, markers, tokens]`: 0, or [`MASKED_SCORE`] for tokens that are hidden from a marker.
    pub(super) mask: Array3<f32>,
    /// The token of each marker: `[examples, markers]`.
    markers: Array2<usize>,
    /// `[examples, markers]`: 0, or [`MASKED_SCORE`] for padding.
    options: Array2<f32>,
    /// `[examples, markers]`, 0 for padding.
    target: Array2<f32>,
    /// One for each example.
    temperature: Array1<f32>,
}

impl TrainingExample {
    /// Checks that this is an example for a head of `width`.
    pub(super) fn check(&self, width: usize) -> Result<(), TrainError> {
        match self.fault(width) {
            Some(why) => Err(TrainError::Unfit(why)),
            None => Ok(()),
        }
    }

    fn fault(&self, width: usize) -> Option<String> {
        let tokens = self.tokens(width);
        if self.hidden.is_empty() || self.hidden.len() != tokens * width {
            return Some(format!("{} hidden values are not a multiple of {width}", self.hidden.len()));
        }
        if !self.owners.is_empty() && self.owners.len() != tokens {
            return Some(format!("{} owners for {tokens} tokens", self.owners.len()));
        }
        if self.markers.is_empty() || self.markers.iter().any(|&marker| marker as usize >= tokens) {
            return Some(format!("markers {:?} in {tokens} tokens", self.markers));
        }
        let sum: f32 = self.target.iter().sum();
        let possible = self.target.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-3;
        if self.target.len() != self.markers.len() || !possible {
            return Some(format!("{} markers with the probabilities {:?}", self.markers.len(), self.target));
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return Some(format!("a temperature of {}", self.temperature));
        }
        if self.hidden.iter().any(|value| !value.is_finite()) {
            return Some("a hidden value that is not finite".into());
        }
        None
    }

    fn tokens(&self, width: usize) -> usize {
        self.hidden.len() / width
    }

    fn owner(&self, token: usize) -> u16 {
        self.owners.get(token).copied().unwrap_or(0)
    }

    /// Writes 0 to `mask` for each token that `marker` attends to.
    fn open_mask(&self, marker: u32, mask: &mut [f32], width: usize) {
        let own = self.owner(marker as usize);
        for (token, open) in mask.iter_mut().enumerate().take(self.tokens(width)) {
            let owner = self.owner(token);
            if own == 0 || owner == 0 || own == owner {
                *open = 0.0;
            }
        }
    }
}

/// Splits examples, in order, into batches of at most `most` examples and [`MOST_CELLS`] cells.
pub(super) fn into_batches<'a>(
    examples: &[&'a TrainingExample],
    width: usize,
    most: usize,
) -> Vec<Vec<&'a TrainingExample>> {
    let mut batches: Vec<Vec<&TrainingExample>> = Vec::new();
    let mut markers = 0;
    let mut tokens = 0;
    for &example in examples {
        markers = markers.max(example.markers.len());
        tokens = tokens.max(example.tokens(width));
        match batches.last_mut() {
            Some(batch) if batch.len() < most && (batch.len() + 1) * markers * tokens <= MOST_CELLS => {
                batch.push(example);
            }
            _ => {
                markers = example.markers.len();
                tokens = example.tokens(width);
                batches.push(vec![example]);
            }
        }
    }
    batches
}

impl Batch {
    /// Pads examples to a batch. There must be at least one, and all must have passed their check.
    pub(super) fn of(examples: &[&TrainingExample], width: usize) -> Result<Self, TrainError> {
        let count = examples.len();
        let tokens = examples.iter().map(|example| example.tokens(width)).max().unwrap_or(0);
        let options = examples.iter().map(|example| example.markers.len()).max().unwrap_or(0);
        let mut hidden = vec![0.0; count * tokens * width];
        let mut mask = vec![MASKED_SCORE; count * options * tokens];
        let mut markers = vec![0; count * options];
        let mut open = vec![MASKED_SCORE; count * options];
        let mut target = vec![0.0; count * options];
        for (row, example) in examples.iter().enumerate() {
            hidden[row * tokens * width..][..example.hidden.len()].copy_from_slice(&example.hidden);
            let padded = example.markers.iter().chain(std::iter::repeat(&0)).take(options);
            let masks = mask[row * options * tokens..].chunks_exact_mut(tokens);
            for ((at, &marker), mask) in padded.enumerate().zip(masks) {
                example.open_mask(marker, mask, width);
                markers[row * options + at] = marker as usize;
            }
            open[row * options..][..example.markers.len()].fill(0.0);
            target[row * options..][..example.target.len()].copy_from_slice(&example.target);
        }
        Ok(Self {
            hidden: Array3::from_shape_vec((count, tokens, width), hidden)?,
            mask: Array3::from_shape_vec((count, options, tokens), mask)?,
            markers: Array2::from_shape_vec((count, options), markers)?,
            options: Array2::from_shape_vec((count, options), open)?,
            target: Array2::from_shape_vec((count, options), target)?,
            temperature: examples.iter().map(|example| example.temperature).collect(),
        })
    }

    /// The numbers of examples and of markers, padding included.
    pub(super) fn shape(&self) -> (usize, usize) {
        self.markers.dim()
    }

    /// The hidden state of each marker: `[examples * markers, width]`.
    pub(super) fn marked(&self) -> Array2<f32> {
        let mut marked = Array2::zeros((self.markers.len(), self.hidden.len_of(Axis(2))));
        for (((example, _), &token), mut row) in self.markers.indexed_iter().zip(marked.rows_mut()) {
            row.assign(&self.hidden.index_axis(Axis(0), example).row(token));
        }
        marked
    }

    /// The mean cross entropy of `logits` `[examples, markers]` and the targets.
    pub(super) fn loss(&self, logits: &Array2<f32>) -> f32 {
        -(self.log_probabilities(logits) * &self.target).sum() / self.markers.nrows() as f32
    }

    /// The gradient of [`Batch::loss`] by the logits.
    pub(super) fn loss_gradient(&self, logits: &Array2<f32>) -> Array2<f32> {
        let mass = self.target.sum_axis(Axis(1)).insert_axis(Axis(1));
        let gradient = self.log_probabilities(logits).exp() * mass - &self.target;
        gradient / self.temperature.view().insert_axis(Axis(1)) / self.markers.nrows() as f32
    }

    fn log_probabilities(&self, logits: &Array2<f32>) -> Array2<f32> {
        let mut logs = logits / &self.temperature.view().insert_axis(Axis(1)) + &self.options;
        for mut row in logs.rows_mut() {
            let largest = row.fold(f32::NEG_INFINITY, |largest, &logit| largest.max(logit));
            let sum: f32 = row.iter().map(|logit| (logit - largest).exp()).sum();
            row -= largest + sum.ln();
        }
        logs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(tokens: usize, options: usize) -> TrainingExample {
        TrainingExample {
            hidden: vec![0.5; tokens * 2],
            owners: vec![0; tokens],
            markers: vec![tokens as u32 - 1; options],
            target: vec![1.0 / options as f32; options],
            temperature: 1.0,
        }
    }

    #[test]
    fn a_batch_holds_what_it_may_and_one_example_at_least() {
        let lengths = [(8, 2), (9, 2), (10, 2), (512, 255), (512, 255), (3, 2)];
        let examples: Vec<TrainingExample> =
            lengths.iter().map(|&(tokens, options)| example(tokens, options)).collect();
        let examples: Vec<&TrainingExample> = examples.iter().collect();
        let sizes: Vec<usize> = into_batches(&examples, 2, 2).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1]);
        assert_eq!(into_batches(&examples[..3], 2, 16).len(), 1);
    }

    #[test]
    fn what_is_no_example_is_refused() {
        let good = example(4, 2);
        assert_eq!(good.check(2), Ok(()));
        let bad = [
            TrainingExample { hidden: vec![0.5; 7], ..good.clone() },
            TrainingExample { hidden: vec![], ..good.clone() },
            TrainingExample { hidden: vec![f32::NAN; 8], ..good.clone() },
            TrainingExample { owners: vec![0; 3], ..good.clone() },
            TrainingExample { markers: vec![0, 4], ..good.clone() },
            TrainingExample { markers: vec![], target: vec![], ..good.clone() },
            TrainingExample { target: vec![1.0], ..good.clone() },
            TrainingExample { target: vec![0.5, 0.6], ..good.clone() },
            TrainingExample { target: vec![1.5, -0.5], ..good.clone() },
            TrainingExample { target: vec![f32::NAN, 1.0], ..good.clone() },
            TrainingExample { temperature: 0.0, ..good.clone() },
        ];
        for example in bad {
            assert!(matches!(example.check(2), Err(TrainError::Unfit(_))), "{example:?}");
        }
    }
}
