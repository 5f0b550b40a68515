//! Metrics of ranking and calibration.

/// How near to 0 and 1 a probability is kept for its log-odds.
const SUREST: f64 = 1e-6;

/// `ln(p / (1 - p))`.
pub fn log_odds(probability: f64) -> f64 {
    let p = probability.clamp(SUREST, 1.0 - SUREST);
    (p / (1.0 - p)).ln()
}

/// Average precision: the area under the precision-recall steps; tied scores count together.
pub fn average_precision(scored: &[(f64, bool)]) -> f64 {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total = sorted.iter().filter(|row| row.1).count();
    let mut hits = 0;
    let mut seen = 0;
    let mut area = 0.0;
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let more = tied.iter().filter(|row| row.1).count();
        hits += more;
        seen += tied.len();
        area += more as f64 * hits as f64 / seen as f64;
    }
    area / total as f64
}

/// Area under the ROC curve, by ranks; ties count half.
pub fn auc(scored: &[(f64, bool)]) -> f64 {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positives = sorted.iter().filter(|row| row.1).count() as f64;
    let mut below = 0.0;
    let mut wins = 0.0;
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let more = tied.iter().filter(|row| row.1).count() as f64;
        let negatives = tied.len() as f64 - more;
        wins += more * (below + negatives / 2.0);
        below += negatives;
    }
    wins / (positives * (sorted.len() as f64 - positives))
}

/// The share of positives above the score that a given share of negatives exceeds.
pub fn recall_at_false_positives(scored: &[(f64, bool)], share: f64) -> f64 {
    let mut negatives: Vec<f64> = scored.iter().filter(|row| !row.1).map(|row| row.0).collect();
    negatives.sort_by(|a, b| b.total_cmp(a));
    let threshold = negatives[(negatives.len() as f64 * share) as usize];
    let positives = scored.iter().filter(|row| row.1);
    positives.clone().filter(|row| row.0 > threshold).count() as f64 / positives.count() as f64
}

/// Expected calibration error over ten bins of equal width.
pub fn expected_calibration_error(scored: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for &(score, truth) in scored {
        let bin = &mut bins[((score * 10.0) as usize).min(9)];
        bin.0 += score;
        bin.1 += f64::from(u8::from(truth));
        bin.2 += 1.0;
    }
    bins.iter().map(|(score, truth, _)| (score - truth).abs()).sum::<f64>() / scored.len() as f64
}

/// Platt calibration: the slope and the intercept of a logistic regression on one score, by Newton's method with step
/// halving. The third number of a row is its weight.
pub fn platt(scored: &[(f64, bool, f64)]) -> (f64, f64) {
    let mut slope = 1.0;
    let mut intercept = 0.0;
    let mut least = logistic_loss(scored, slope, intercept);
    for _ in 0..50 {
        let mut g = [0.0; 2];
        let mut h = [1e-6, 0.0, 1e-6];
        for &(score, truth, weight) in scored {
            let p = 1.0 / (1.0 + (-(slope * score + intercept)).exp());
            let error = weight * (p - f64::from(u8::from(truth)));
            let curve = weight * p * (1.0 - p);
            g = [g[0] + error * score, g[1] + error];
            h = [h[0] + curve * score * score, h[1] + curve * score, h[2] + curve];
        }
        let det = h[0] * h[2] - h[1] * h[1];
        let step = [(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det];
        let better = (0..20).map(|halvings| 0.5_f64.powi(halvings)).find_map(|share| {
            let slope = slope - share * step[0];
            let intercept = intercept - share * step[1];
            let loss = logistic_loss(scored, slope, intercept);
            (loss < least).then_some((slope, intercept, loss))
        });
        let Some(found) = better else { break };
        (slope, intercept, least) = found;
    }
    (slope, intercept)
}

fn logistic_loss(scored: &[(f64, bool, f64)], slope: f64, intercept: f64) -> f64 {
    let losses = scored.iter().map(|&(score, truth, weight)| {
        let margin = (slope * score + intercept) * if truth { 1.0 } else { -1.0 };
        weight * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0))
    });
    losses.sum()
}

/// The 2.5th and 97.5th percentile of a measure over `rounds` resamplings with replacement.
pub fn bootstrap<T: Copy>(rows: &[T], rounds: usize, measure: impl Fn(&[T]) -> f64) -> (f64, f64) {
    let mut random = Random(0x5eed);
    let mut values: Vec<f64> = (0..rounds)
        .map(|_| measure(&rows.iter().map(|_| rows[random.below(rows.len())]).collect::<Vec<T>>()))
        .filter(|value| value.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    (percentile(&values, 0.025), percentile(&values, 0.975))
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    sorted.get((sorted.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}

/// A seeded random number generator (xorshift64*).
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64) as usize
    }

    /// Shuffles items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_as_by_hand() {
        let scored = [(0.9, true), (0.8, false), (0.7, true), (0.1, false)];
        assert!((average_precision(&scored) - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
        assert!((auc(&scored) - 0.75).abs() < 1e-12);
        assert!((auc(&[(0.5, true), (0.5, false)]) - 0.5).abs() < 1e-12);
        assert!((recall_at_false_positives(&scored, 0.25) - 0.5).abs() < 1e-12);
        assert!((recall_at_false_positives(&scored, 0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn calibration_finds_the_line_that_made_the_labels() {
        let mut random = Random(7);
        let rows: Vec<(f64, bool, f64)> = (0..20_000)
            .map(|_| {
                let score = random.below(1_000) as f64 / 100.0 - 5.0;
                let probability = 1.0 / (1.0 + (-(2.0 * score - 1.0)).exp());
                (score, (random.below(1_000_000) as f64) < probability * 1e6, 1.0)
            })
            .collect();
        let (slope, intercept) = platt(&rows);
        assert!((slope - 2.0).abs() < 0.15 && (intercept + 1.0).abs() < 0.15, "{slope} {intercept}");
        let calibrated: Vec<(f64, bool)> =
            rows.iter().map(|row| (1.0 / (1.0 + (-(slope * row.0 + intercept)).exp()), row.1)).collect();
        assert!(expected_calibration_error(&calibrated) < 0.01);
    }
}
