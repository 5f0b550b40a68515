//! The verdict on a file that can be seen in several ways: the worst of them, so that nothing is hidden in a frame or
//! behind a background.

use ports::image::{Background, Class, ImageReading};

use super::{
    ImagePolicy, ImageVerdict,
    policy::{POSSIBLE_MINOR, decide},
};

/// Decides on each way to see a file; the first of the worst counts. `None` if there is none.
pub fn decide_on_worst(reading: &ImageReading, policy: &ImagePolicy) -> Option<ImageVerdict> {
    let on_black = reading.views.iter().any(|view| view.background == Background::Black);
    let mut worst: Option<ImageVerdict> = None;
    for view in &reading.views {
        let verdict = ImageVerdict {
            truncated: reading.truncated,
            frames: reading.frames,
            frame: view.frame,
            background: on_black.then_some(view.background),
            ..decide(&view.scores, policy)
        };
        if worst.as_ref().is_none_or(|known| is_worse(&verdict, known)) {
            worst = Some(verdict);
        }
    }
    worst
}

fn is_worse(verdict: &ImageVerdict, known: &ImageVerdict) -> bool {
    match rank(verdict).cmp(&rank(known)) {
        std::cmp::Ordering::Equal => sexual(verdict) > sexual(known),
        order => order.is_gt(),
    }
}

/// What a moderator would look at first.
fn rank(verdict: &ImageVerdict) -> u8 {
    let mut labels = verdict.nudity.labels.iter().chain(&verdict.drawn_nudity.labels);
    match (verdict.is_flagged, labels.any(|label| label == POSSIBLE_MINOR)) {
        (true, true) => 2,
        (true, false) => 1,
        (false, _) => 0,
    }
}

/// The probability of sexual content of any kind.
fn sexual(verdict: &ImageVerdict) -> f64 {
    [Class::Porn, Class::Hentai, Class::Sexy].into_iter().map(|class| verdict.classes[class]).sum()
}

#[cfg(test)]
mod tests {
    use ports::image::{ClassScores, FaceReading, ImageScores, ImageView};

    use super::*;

    const POLICY: ImagePolicy = ImagePolicy { nudity: 0.6, drawn_nudity: 0.6, suggestive: 0.9, minor: 0.5 };

    fn view(porn: f64, ages: &[f64], frame: u32, background: Background) -> ImageView {
        let faces = ages.iter().map(|age| FaceReading { detection: 0.9, ages: vec![*age; 5] }).collect();
        let classes = ClassScores([1.0 - porn, 0.0, porn, 0.0, 0.0]);
        ImageView { scores: ImageScores { model: "test".to_owned(), classes, faces }, frame, background }
    }

    fn worst(views: Vec<ImageView>) -> (u32, Option<Background>) {
        let reading = ImageReading { views, truncated: false, frames: 9 };
        let verdict = decide_on_worst(&reading, &POLICY).unwrap();
        (verdict.frame, verdict.background)
    }

    #[test]
    fn the_worst_frame_and_background_are_reported() {
        let white = Background::White;
        let black = Background::Black;
        assert_eq!(worst(vec![view(0.1, &[], 0, white), view(0.1, &[], 3, white)]), (0, None));
        assert_eq!(worst(vec![view(0.1, &[], 0, white), view(0.2, &[], 3, white)]), (3, None));
        assert_eq!(worst(vec![view(0.1, &[], 0, white), view(0.7, &[], 0, black)]), (0, Some(black)));
        assert_eq!(worst(vec![view(0.7, &[], 0, white), view(0.1, &[], 0, black)]), (0, Some(white)));
        // A likely minor comes before a higher score.
        assert_eq!(worst(vec![view(0.99, &[], 0, white), view(0.8, &[9.0], 5, white)]), (5, None));
        let none = ImageReading { views: Vec::new(), truncated: false, frames: 1 };
        assert!(decide_on_worst(&none, &POLICY).is_none());
    }
}
