//! Estimates the age of a face and the uncertainty of the estimate. Pure. No age is given without its uncertainty,
//! and nobody is cleared: `is_minor: false` means that the face was not read as a minor's, not that the person is an
//! adult.
//!
//! The age net returns a number without an uncertainty. Its mean error by true age is published in the README of
//! npm's `face-api.js` 0.22.2, which has the same weights ("Test results for different age category groups": UTK,
//! FGNET, Chalearn, Wiki, IMDB, CACD and MegaAge together, 4.54 years overall). The standard deviation of normal
//! errors is 1.25 (the root of pi / 2) times their mean absolute size. The variance between the readings of several
//! crops of one face is added.
//!
//! A table by true age does not give the error of a *reading*. The question that matters most, whether a face read
//! as `a` may be under 18, does not need it: that depends on how often people near 18 are read as `a`. So `p_minor`
//! uses the error at 18 for every reading. That is within 0.05 of Bayes' rule over the whole table with a uniform
//! prior on ages 0 to 100 (a test computes that sum), and errs on the side of "minor" around 18. The error at `a`
//! itself would be overconfident for young children: people of 17 and 18 are sometimes read as 6, whatever the
//! error at 6 is. No published table says whether the net reads teenagers as older than they are, as nets trained
//! on few of them do; no labelled pictures of minors were used to find out.

use serde::{Deserialize, Serialize};

use ports::image::FaceReading;

/// The age of majority in years.
const MAJORITY: f64 = 18.0;
/// Mean absolute error in years at the middle of each published age group: 0-3, 4-8, 9-18, 19-28, 29-40, 41-60,
/// 60-80, 80+.
const MEAN_ERRORS: [(f64, f64); 8] = [
    (1.5, 1.52),
    (6.0, 3.06),
    (13.5, 4.82),
    (23.5, 4.99),
    (34.5, 5.43),
    (50.5, 4.94),
    (70.0, 6.17),
    (88.0, 9.91),
];
/// Standard deviation of a normal distribution whose mean absolute deviation is 1: the root of pi / 2, rounded.
const SD_OF_MEAN_ERROR: f64 = 1.25;
/// The highest age in years to which readings are clamped.
const MAX_AGE: f64 = 120.0;

/// The age estimate of one face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgeEstimate {
    /// Years: the mean of the readings.
    pub estimated_age: u32,
    /// Lower end of the range, in years: one standard deviation below the mean, at least 0.
    pub low: u32,
    /// Upper end of the range, in years: one standard deviation above the mean.
    pub high: u32,
    /// Probability of being under 18.
    pub p_minor: f64,
    /// True when `p_minor` is at or above the threshold. `false` is no clearance.
    pub is_minor: bool,
    /// Certainty that this is a face and which side of 18 it is on: the detector's score times the larger of `p_minor`
    /// and `1 - p_minor`.
    pub confidence: f64,
}

impl AgeEstimate {
    /// The range as text, such as `25-37`.
    pub fn range(&self) -> String {
        format!("{}-{}", self.low, self.high)
    }
}

/// Estimates the age of the face most likely to be a minor's; of two equally likely, the one with the higher
/// detection score. `None` without faces.
pub fn estimate(faces: &[FaceReading], minor_threshold: f64) -> Option<AgeEstimate> {
    let (face, readings, p_minor) = faces
        .iter()
        .filter_map(|face| {
            let readings = readings(face);
            (!readings.is_empty()).then(|| {
                let p_minor = p_minor(&readings);
                (face, readings, p_minor)
            })
        })
        .max_by(|(a, _, p), (b, _, q)| p.total_cmp(q).then(detection(a).total_cmp(&detection(b))))?;
    let (age, spread) = mean_and_sd(&readings);
    let sigma = (SD_OF_MEAN_ERROR * mean_error(age)).hypot(spread);
    Some(AgeEstimate {
        estimated_age: age.round() as u32,
        low: (age - sigma).round().max(0.0) as u32,
        high: (age + sigma).round() as u32,
        p_minor,
        is_minor: p_minor >= minor_threshold,
        confidence: detection(face) * p_minor.max(1.0 - p_minor),
    })
}

/// The detector's score, 0 to 1; 0 for NaN.
fn detection(face: &FaceReading) -> f64 {
    if face.detection.is_nan() { 0.0 } else { face.detection.clamp(0.0, 1.0) }
}

/// The readings that are numbers, clamped to the range from 0 to [`MAX_AGE`].
fn readings(face: &FaceReading) -> Vec<f64> {
    face.ages.iter().filter(|age| !age.is_nan()).map(|age| age.clamp(0.0, MAX_AGE)).collect()
}

/// Every reading is equally reliable, so the age is a mixture of normal distributions, one per reading, whose
/// variance combines the error at 18 and the spread of the readings. An older reading can only lower `p_minor`.
fn p_minor(readings: &[f64]) -> f64 {
    let sigma = SD_OF_MEAN_ERROR * mean_error(MAJORITY);
    let sum: f64 = readings.iter().map(|age| normal_cdf((MAJORITY - age) / sigma)).sum();
    (sum / readings.len() as f64).clamp(0.0, 1.0)
}

fn mean_and_sd(readings: &[f64]) -> (f64, f64) {
    let count = readings.len() as f64;
    let mean = readings.iter().sum::<f64>() / count;
    let squares: f64 = readings.iter().map(|age| (age - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Mean error in years, interpolated linearly between the middles of the groups.
fn mean_error(age: f64) -> f64 {
    let (mut before, mut error) = MEAN_ERRORS[0];
    for (middle, at_middle) in MEAN_ERRORS {
        if age <= middle {
            let share = if middle > before { (age - before) / (middle - before) } else { 0.0 };
            return error + (at_middle - error) * share.max(0.0);
        }
        before = middle;
        error = at_middle;
    }
    error
}

/// The standard normal distribution function, within 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions,
/// 7.1.26, a formula for erf.
fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let tail = 0.5 * series.into_iter().fold(0.0, |sum, term| (sum + term) * t) * (-x * x).exp();
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn face(detection: f64, ages: &[f64]) -> FaceReading {
        FaceReading { detection, ages: ages.to_vec() }
    }

    fn one(ages: &[f64]) -> AgeEstimate {
        estimate(&[face(0.8, ages)], 0.5).unwrap()
    }

    #[test]
    fn an_adult_a_child_and_one_in_between() {
        let adult = one(&[36.0, 38.0, 37.0, 35.0, 39.0]);
        assert_eq!((adult.estimated_age, adult.range().as_str(), adult.is_minor), (37, "30-44", false));
        assert!(adult.p_minor < 0.005 && (0.79..=0.8).contains(&adult.confidence), "{adult:?}");
        let child = one(&[5.0; 5]);
        assert_eq!((child.range().as_str(), child.is_minor), ("2-8", true));
        assert!((0.97..0.99).contains(&child.p_minor), "{child:?}");
        let between = one(&[18.0]);
        assert!(between.is_minor && (between.p_minor - 0.5).abs() < 1e-6, "{between:?}");
        assert!((between.confidence - 0.4).abs() < 1e-6, "{between:?}");
    }

    #[test]
    fn readings_that_differ_make_it_less_sure() {
        let alike = one(&[26.0; 5]);
        let apart = one(&[16.0, 21.0, 26.0, 31.0, 36.0]);
        assert_eq!(alike.estimated_age, apart.estimated_age);
        assert!(apart.low < alike.low && apart.high > alike.high && apart.p_minor > alike.p_minor + 0.05);
    }

    #[test]
    fn the_face_most_likely_a_minors_is_reported() {
        assert_eq!(estimate(&[], 0.5), None);
        assert_eq!(estimate(&[face(0.9, &[]), face(0.9, &[f64::NAN])], 0.5), None);
        let faces = [face(0.9, &[40.0]), face(0.6, &[12.0]), face(0.7, &[12.0]), face(0.9, &[25.0])];
        let reported = estimate(&faces, 0.5).unwrap();
        assert_eq!((reported.estimated_age, reported.is_minor), (12, true));
        assert!((reported.confidence - 0.7 * reported.p_minor).abs() < 1e-12);
        assert!(!estimate(&faces, 0.9).unwrap().is_minor, "the threshold is the operator's");
    }

    /// Bayes' rule over the published table, with a uniform prior on ages 0 to 100.
    #[test]
    fn p_minor_is_what_the_published_table_says() {
        for read in (0..=100).map(f64::from) {
            let mut minors = 0.0;
            let mut all = 0.0;
            for age in (0..1000).map(|tenth| f64::from(tenth) / 10.0 + 0.05) {
                let sigma = SD_OF_MEAN_ERROR * mean_error(age);
                let likelihood = (-((read - age) / sigma).powi(2) / 2.0).exp() / sigma;
                all += likelihood;
                minors += if age < MAJORITY { likelihood } else { 0.0 };
            }
            let difference = one(&[read]).p_minor - minors / all;
            assert!((-0.001..0.05).contains(&difference), "read as {read}: {difference}");
        }
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, p) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.96, 0.024_997_9), (3.0, 0.998_650_1), (-40.0, 0.0)]
        {
            assert!((normal_cdf(z) - p).abs() < 2e-7, "{z}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_the_answer_is_bounded(
            faces in prop::collection::vec((any::<f64>(), prop::collection::vec(any::<f64>(), 0..8)), 0..5),
            threshold in any::<f64>(),
        ) {
            let faces: Vec<_> = faces.iter().map(|(detection, ages)| face(*detection, ages)).collect();
            if let Some(age) = estimate(&faces, threshold) {
                prop_assert!((0.0..=1.0).contains(&age.p_minor) && (0.0..=1.0).contains(&age.confidence));
                prop_assert!(age.low <= age.estimated_age && age.estimated_age <= age.high && age.high < 200);
                prop_assert_eq!(age.is_minor, age.p_minor >= threshold);
            }
        }

        #[test]
        fn an_older_reading_never_makes_a_minor_likelier(
            mut ages in prop::collection::vec(0.0f64..100.0, 1..8), which in any::<prop::sample::Index>(),
            more in 0.0f64..80.0,
        ) {
            let before = one(&ages);
            let at = which.index(ages.len());
            ages[at] += more;
            let after = one(&ages);
            prop_assert!(after.p_minor <= before.p_minor + 1e-12);
            prop_assert!(after.estimated_age >= before.estimated_age);
        }

        #[test]
        fn another_face_never_makes_a_minor_less_likely(
            ages in prop::collection::vec(prop::collection::vec(0.0f64..100.0, 1..8), 2..6),
        ) {
            let faces: Vec<_> = ages.iter().map(|ages| face(0.7, ages)).collect();
            let p_minor = |faces: &[FaceReading]| estimate(faces, 0.5).unwrap().p_minor;
            prop_assert!(p_minor(&faces) >= p_minor(&faces[1..]));
        }
    }
}
