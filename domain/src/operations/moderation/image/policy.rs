//! Turns image scores into a verdict. Pure; more evidence never removes a flag.

use serde::{Deserialize, Serialize};

use super::age::{AgeEstimate, estimate};
use ports::image::{Background, ImageScores};
use ports::image::{Class, ClassScores};

/// The label of sexual content beside a face that may be a minor's.
pub(super) const POSSIBLE_MINOR: &str = "possible_minor";
/// Probability of sexual content of any kind at which a likely minor is flagged. Not a setting: it applies whatever
/// the thresholds are.
const SEXUAL_BESIDE_A_MINOR: f64 = 0.3;
/// Probability of being a minor at which a face counts as one beside sexual content, however high an operator sets
/// the threshold of `is_minor`.
const LIKELY_MINOR: f64 = 0.5;
/// Probability at which a class becomes a label.
const LABEL_THRESHOLD: f64 = 0.5;

/// The thresholds that an operator sets; probabilities from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImagePolicy {
    /// Explicit photographs are flagged from this probability on.
    pub nudity: f64,
    /// Explicit drawings are flagged from this probability on.
    pub drawn_nudity: f64,
    /// Suggestive photographs are flagged as nudity from this probability on.
    pub suggestive: f64,
    /// A face counts as a minor's from this probability on.
    pub minor: f64,
}

/// The finding of one content category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Probability, 0 to 1.
    pub score: f64,
    /// True above the threshold, or for sexual content beside a likely minor.
    pub flagged: bool,
    /// Names of the detected classes.
    pub labels: Vec<String>,
}

/// The verdict on a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageVerdict {
    /// True when any finding is flagged.
    pub is_flagged: bool,
    /// The verdict in a sentence or two.
    pub summary: String,
    /// Explicit photographs.
    pub nudity: Finding,
    /// Explicit drawings.
    pub drawn_nudity: Finding,
    /// The face most likely to be a minor's; `None` when no face was found.
    pub age: Option<AgeEstimate>,
    /// The scores of the classifier.
    pub classes: ClassScores,
    /// Names and versions of the models and of the runtime.
    pub model: String,
    /// A part of the file is not there, is damaged, or is more than is decoded.
    pub truncated: bool,
    /// Pictures of the file; more than 1 if it is animated.
    pub frames: u32,
    /// The number of the frame that the verdict is on, from 0.
    pub frame: u32,
    /// What the verdict is on if the picture is transparent.
    pub background: Option<Background>,
}

/// Decides on the scores. A picture that is half explicit photograph and half explicit drawing is flagged as the
/// likelier of the two: the sum of both counts.
pub fn decide(scores: &ImageScores, policy: &ImagePolicy) -> ImageVerdict {
    let porn = scores.classes[Class::Porn];
    let hentai = scores.classes[Class::Hentai];
    let sexy = scores.classes[Class::Sexy];
    let age = estimate(&scores.faces, policy.minor);
    let likely_minor = age.as_ref().is_some_and(|age| age.is_minor || age.p_minor >= LIKELY_MINOR);
    let minor_at_risk = likely_minor && porn + hentai + sexy >= SEXUAL_BESIDE_A_MINOR;
    let drawn = hentai > porn + sexy;

    let either = porn + hentai >= policy.nudity.max(policy.drawn_nudity);
    let explicit = porn >= policy.nudity || (either && porn >= hentai);
    let suggestive = sexy >= policy.suggestive;
    let explicit_drawing = hentai >= policy.drawn_nudity || (either && hentai > porn);
    let nudity = Finding {
        score: porn,
        flagged: explicit || suggestive || (minor_at_risk && !drawn),
        labels: labels([
            ("explicit", explicit || porn >= LABEL_THRESHOLD),
            ("suggestive", suggestive || sexy >= LABEL_THRESHOLD),
            (POSSIBLE_MINOR, minor_at_risk && !drawn),
        ]),
    };
    let drawn_nudity = Finding {
        score: hentai,
        flagged: explicit_drawing || (minor_at_risk && drawn),
        labels: labels([
            ("explicit_drawing", explicit_drawing || hentai >= LABEL_THRESHOLD),
            ("drawing", scores.classes[Class::Drawing] + hentai >= LABEL_THRESHOLD),
            (POSSIBLE_MINOR, minor_at_risk && drawn),
        ]),
    };
    ImageVerdict {
        is_flagged: nudity.flagged || drawn_nudity.flagged,
        summary: summary(&scores.classes, [&nudity, &drawn_nudity], age.as_ref(), scores.faces.len()),
        nudity,
        drawn_nudity,
        age,
        classes: scores.classes,
        model: scores.model.clone(),
        truncated: false,
        frames: 1,
        frame: 0,
        background: None,
    }
}

fn labels<const N: usize>(seen: [(&str, bool); N]) -> Vec<String> {
    seen.into_iter().filter(|(_, seen)| *seen).map(|(label, _)| label.to_owned()).collect()
}

/// The summary, such as `Flagged: explicit photograph (0.97). One face, about 31 years old (25-37).`
fn summary(
    classes: &ClassScores,
    findings: [&Finding; 2],
    age: Option<&AgeEstimate>,
    faces: usize,
) -> String {
    let flagged = findings.iter().any(|finding| finding.flagged);
    let minor = findings.iter().any(|finding| finding.labels.iter().any(|label| label == POSSIBLE_MINOR));
    let class = if flagged {
        most_probable(classes, &[Class::Porn, Class::Hentai, Class::Sexy])
    } else {
        most_probable(classes, &Class::ALL)
    };
    let mut text = format!(
        "{}: {} ({:.2})",
        if flagged { "Flagged" } else { "Not flagged" },
        describe(class),
        classes[class]
    );
    if minor {
        text.push_str(" beside a face that may be a minor's");
    }
    text.push_str(match faces {
        0 => ". No face found.",
        1 => ". One face",
        _ => ". ",
    });
    if let Some(age) = age {
        if faces > 1 {
            text.push_str(&format!("{faces} faces, the one most likely a minor's"));
        }
        let maybe = if age.is_minor { ", likely a minor" } else { "" };
        text.push_str(&format!(", about {} years old ({}){maybe}.", age.estimated_age, age.range()));
    }
    text
}

fn most_probable(classes: &ClassScores, among: &[Class]) -> Class {
    let most = among.iter().copied().max_by(|a, b| classes[*a].total_cmp(&classes[*b]));
    most.unwrap_or(Class::Neutral)
}

fn describe(class: Class) -> &'static str {
    match class {
        Class::Neutral => "nothing sexual",
        Class::Drawing => "a drawing, nothing sexual",
        Class::Porn => "an explicit photograph",
        Class::Hentai => "an explicit drawing",
        Class::Sexy => "a suggestive photograph",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ports::image::FaceReading;

    const POLICY: ImagePolicy = ImagePolicy { nudity: 0.6, drawn_nudity: 0.6, suggestive: 0.9, minor: 0.5 };
    /// Thresholds that no score reaches.
    const NEVER: ImagePolicy = ImagePolicy { nudity: 2.0, drawn_nudity: 2.0, suggestive: 2.0, minor: 2.0 };

    fn scores(classes: [f64; 5], ages: &[f64]) -> ImageScores {
        let faces = ages.iter().map(|age| FaceReading { detection: 0.9, ages: vec![*age; 5] }).collect();
        ImageScores { model: "test".to_owned(), classes: ClassScores(classes), faces }
    }

    fn flags(classes: [f64; 5], ages: &[f64], policy: &ImagePolicy) -> (bool, bool, bool) {
        let verdict = decide(&scores(classes, ages), policy);
        (verdict.is_flagged, verdict.nudity.flagged, verdict.drawn_nudity.flagged)
    }

    #[test]
    fn each_class_flags_its_own_category() {
        assert_eq!(flags([1.0, 0.0, 0.0, 0.0, 0.0], &[], &POLICY), (false, false, false));
        assert_eq!(flags([0.0, 1.0, 0.0, 0.0, 0.0], &[], &POLICY), (false, false, false));
        assert_eq!(flags([0.3, 0.0, 0.7, 0.0, 0.0], &[], &POLICY), (true, true, false));
        assert_eq!(flags([0.0, 0.3, 0.0, 0.7, 0.0], &[], &POLICY), (true, false, true));
        assert_eq!(flags([0.3, 0.0, 0.0, 0.0, 0.7], &[], &POLICY), (false, false, false));
        assert_eq!(flags([0.05, 0.0, 0.0, 0.0, 0.95], &[], &POLICY), (true, true, false));
        // The sum is certainly explicit, though neither class is.
        assert_eq!(flags([0.0, 0.1, 0.5, 0.4, 0.0], &[], &POLICY), (true, true, false));
        assert_eq!(flags([0.0, 0.1, 0.4, 0.5, 0.0], &[], &POLICY), (true, false, true));
    }

    #[test]
    fn a_likely_minor_beside_sexual_content_is_flagged_whatever_the_thresholds() {
        let adult = &[45.0][..];
        let child = &[9.0, 45.0][..];
        for classes in [[0.6, 0.0, 0.1, 0.0, 0.3], [0.4, 0.3, 0.0, 0.3, 0.0], [0.1, 0.0, 0.9, 0.0, 0.0]] {
            assert!(!flags(classes, adult, &NEVER).0, "{classes:?}");
            assert!(flags(classes, child, &NEVER).0, "{classes:?}");
        }
        assert!(!flags([0.9, 0.05, 0.0, 0.0, 0.05], child, &NEVER).0, "a child alone is no fault");
    }

    fn summary(classes: [f64; 5], ages: &[f64]) -> String {
        decide(&scores(classes, ages), &POLICY).summary
    }

    #[test]
    fn summaries_read_well() {
        assert_eq!(
            summary([0.95, 0.02, 0.01, 0.01, 0.01], &[]),
            "Not flagged: nothing sexual (0.95). No face found."
        );
        assert_eq!(
            summary([0.1, 0.0, 0.85, 0.05, 0.0], &[]),
            "Flagged: an explicit photograph (0.85). No face found."
        );
        let child = summary([0.5, 0.0, 0.0, 0.0, 0.5], &[8.0, 40.0]);
        let beginning = "Flagged: a suggestive photograph (0.50) beside a face that may be a minor's. \
                         2 faces, the one most likely a minor's, about 8 years old";
        assert!(child.starts_with(beginning), "{child}");
        assert!(child.ends_with(", likely a minor."), "{child}");
    }

    proptest! {
        /// Probability moved from a harmless class to a sexual one never removes the overall flag.
        #[test]
        fn more_evidence_never_takes_the_flag_away(
            parts in prop::array::uniform5(0.0f64..1.0), from in 0usize..2, to in 2usize..5, share in 0.0f64..1.0,
            age in prop::option::of(0.0f64..90.0), thresholds in prop::array::uniform3(0.0f64..1.2),
        ) {
            let sum: f64 = parts.iter().sum::<f64>() + 1e-9;
            let before = parts.map(|part| part / sum);
            let mut after = before;
            let moved = before[from] * share;
            after[from] -= moved;
            after[to] += moved;
            let ages: Vec<f64> = age.into_iter().collect();
            let [nudity, drawn_nudity, suggestive] = thresholds;
            let policy = ImagePolicy { nudity, drawn_nudity, suggestive, minor: 0.5 };
            let flagged = |classes| flags(classes, &ages, &policy).0;
            prop_assert!(!flagged(before) || flagged(after), "{before:?} {after:?}");
        }
    }
}
