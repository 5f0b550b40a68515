//! The five classes of the image classifiers.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A class, in the order of every list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Safe and not drawn.
    Neutral,
    /// Safe and drawn.
    Drawing,
    /// Pornographic photographs.
    Porn,
    /// Pornographic drawings.
    Hentai,
    /// Suggestive photographs that are not pornographic.
    Sexy,
}

impl Class {
    pub const ALL: [Class; 5] = [Class::Neutral, Class::Drawing, Class::Porn, Class::Hentai, Class::Sexy];

    /// The name on the wire and in a model's manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Neutral => "Neutral",
            Class::Drawing => "Drawing",
            Class::Porn => "Porn",
            Class::Hentai => "Hentai",
            Class::Sexy => "Sexy",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }
}

/// A probability for each class, in the order of [`Class::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassScores(pub [f64; 5]);

impl Index<Class> for ClassScores {
    type Output = f64;

    fn index(&self, class: Class) -> &f64 {
        &self.0[class as usize]
    }
}

impl IndexMut<Class> for ClassScores {
    fn index_mut(&mut self, class: Class) -> &mut f64 {
        &mut self.0[class as usize]
    }
}
