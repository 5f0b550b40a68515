//! The harms a text engine scores.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Abusive or offensive text of any kind.
    Toxic,
    /// Abuse aimed at a person.
    Harassment,
    /// Abuse of people because of a group they belong to.
    Hate,
    /// Sexual content or solicitation.
    Sexual,
    /// A threat or incitement of violence.
    Violence,
    /// Intent, or encouragement, to harm oneself.
    SelfHarm,
    /// Unsolicited promotion.
    Spam,
    /// Phishing or fraud.
    Scam,
    /// An adult's sexual approach to a child, or trade in abuse of children.
    SexualMinors,
    /// Trade in drugs, weapons, stolen goods or forged papers, and requests for instructions for a crime.
    Illicit,
    /// Recruiting for a violent movement, or praise of its deeds.
    Extremism,
}

impl Category {
    /// All categories, in the order of every model and file.
    pub const ALL: [Category; 11] = [
        Category::Toxic,
        Category::Harassment,
        Category::Hate,
        Category::Sexual,
        Category::Violence,
        Category::SelfHarm,
        Category::Spam,
        Category::Scam,
        Category::SexualMinors,
        Category::Illicit,
        Category::Extremism,
    ];

    /// The name on the wire, such as `self_harm`.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Toxic => "toxic",
            Category::Harassment => "harassment",
            Category::Hate => "hate",
            Category::Sexual => "sexual",
            Category::Violence => "violence",
            Category::SelfHarm => "self_harm",
            Category::Spam => "spam",
            Category::Scam => "scam",
            Category::SexualMinors => "sexual_minors",
            Category::Illicit => "illicit",
            Category::Extremism => "extremism",
        }
    }
}

/// A calibrated probability for each category, in the order of [`Category::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Categories(pub [f64; Category::ALL.len()]);

impl std::ops::Index<Category> for Categories {
    type Output = f64;

    fn index(&self, category: Category) -> &f64 {
        &self.0[category as usize]
    }
}

impl std::ops::IndexMut<Category> for Categories {
    fn index_mut(&mut self, category: Category) -> &mut f64 {
        &mut self.0[category as usize]
    }
}
