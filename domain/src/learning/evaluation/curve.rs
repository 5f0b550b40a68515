//! The curve of a cascade: how often it is right, and what a sample costs, for each choice of thresholds. Pure.

/// Thresholds that are tried for a step, from 0 to 1.
const THRESHOLDS: usize = 41;

/// An answer of one step to one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepAnswer {
    /// The probability of the answer; 0 for an abstention.
    pub(super) certainty: f64,
    /// Whether it is the ground truth.
    pub(super) right: bool,
}

/// What the steps of a cascade answered about a sample.
pub(super) struct SampleAnswers {
    /// For each question, the answer of each step.
    pub(super) questions: Vec<Vec<StepAnswer>>,
}

/// A choice of thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// The certainty below which a question goes on, for each step but the last.
    pub below: Vec<f64>,
    /// The share of the questions whose last answer is the ground truth.
    pub accuracy: f64,
    /// Mean credits a sample.
    pub credits: f64,
    /// The share of the samples that each step was asked about; the first is 1.
    pub asked: Vec<f64>,
}

/// The choices that no other one beats, in both accuracy and price; the cheapest first. `prices` are the steps'
/// credits.
pub(super) fn curve(samples: &[SampleAnswers], prices: &[f64]) -> Vec<CurvePoint> {
    let mut points: Vec<CurvePoint> = thresholds(prices.len().saturating_sub(1))
        .into_iter()
        .map(|below| point(samples, prices, below))
        .collect();
    // Of equals, the one that asks the least.
    points.sort_by(|a, b| {
        let by_price = a.credits.total_cmp(&b.credits);
        by_price
            .then(b.accuracy.total_cmp(&a.accuracy))
            .then_with(|| total(&a.below).total_cmp(&total(&b.below)))
    });
    let mut best = f64::NEG_INFINITY;
    points.retain(|point| {
        let better = point.accuracy > best;
        best = best.max(point.accuracy);
        better
    });
    points
}

fn total(below: &[f64]) -> f64 {
    below.iter().sum()
}

/// All choices of a threshold for each of some steps.
fn thresholds(steps: usize) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..steps {
        let longer = all.iter().flat_map(|chosen| {
            (0..THRESHOLDS).map(move |n| {
                let below = n as f64 / (THRESHOLDS - 1) as f64;
                chosen.iter().copied().chain([below]).collect::<Vec<f64>>()
            })
        });
        all = longer.collect();
    }
    all
}

fn point(samples: &[SampleAnswers], prices: &[f64], below: Vec<f64>) -> CurvePoint {
    let mut asked = vec![0_usize; prices.len()];
    let mut right = 0_usize;
    let mut questions = 0_usize;
    for sample in samples {
        let mut last = 0;
        for answers in &sample.questions {
            let step = decided_by(answers, &below);
            last = last.max(step);
            right += usize::from(answers[step].right);
            questions += 1;
        }
        asked[..=last].iter_mut().for_each(|count| *count += 1);
    }
    let asked: Vec<f64> = asked.into_iter().map(|count| count as f64 / samples.len().max(1) as f64).collect();
    CurvePoint {
        accuracy: right as f64 / questions.max(1) as f64,
        credits: asked.iter().zip(prices).map(|(share, price)| share * price).sum(),
        below,
        asked,
    }
}

/// The step whose answer to a question stands.
fn decided_by(answers: &[StepAnswer], below: &[f64]) -> usize {
    let sure = answers.iter().zip(below).position(|(answer, below)| answer.certainty >= *below);
    sure.unwrap_or(answers.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(certainty: f64, right: bool) -> StepAnswer {
        StepAnswer { certainty, right }
    }

    fn sample(steps: [StepAnswer; 2]) -> SampleAnswers {
        SampleAnswers { questions: vec![steps.to_vec()] }
    }

    #[test]
    fn the_curve_goes_from_the_first_step_alone_to_the_most_accurate_choice() {
        let samples = [
            sample([answer(0.9, true), answer(0.9, true)]),
            sample([answer(0.6, false), answer(0.9, true)]),
            sample([answer(0.5, false), answer(0.9, true)]),
            // The second step is wrong where the first is sure and right.
            sample([answer(0.8, true), answer(0.9, false)]),
        ];
        let points = curve(&samples, &[1.0, 10.0]);
        let shown: Vec<(f64, f64, f64)> =
            points.iter().map(|point| (point.below[0], point.accuracy, point.credits)).collect();
        assert_eq!(shown, [(0.0, 0.5, 1.0), (0.525, 0.75, 3.5), (0.625, 1.0, 6.0)]);
        assert_eq!(points[2].asked, [1.0, 0.5]);
    }

    #[test]
    fn a_step_is_paid_for_once_a_sample_however_many_questions_go_on() {
        let unsure = vec![answer(0.3, false), answer(0.9, true)];
        let sure = vec![answer(0.95, true), answer(0.9, true)];
        let samples = [SampleAnswers { questions: vec![unsure.clone(), unsure, sure] }];
        let points = curve(&samples, &[0.5, 2.0]);
        let last = points.last().unwrap();
        assert_eq!((last.accuracy, last.credits), (1.0, 2.5));
    }

    #[test]
    fn three_steps_have_two_thresholds_and_an_abstention_always_goes_on() {
        let steps = vec![answer(0.0, false), answer(0.4, false), answer(0.9, true)];
        let points = curve(&[SampleAnswers { questions: vec![steps] }], &[1.0, 2.0, 4.0]);
        let shown: Vec<(f64, f64)> = points.iter().map(|point| (point.accuracy, point.credits)).collect();
        assert_eq!(shown, [(0.0, 1.0), (1.0, 7.0)]);
        assert_eq!(points[1].below, [0.025, 0.425]);
    }
}
