//! What points to or against doxxing in a text.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A cue. Those up to [`Role`](Self::Role) are sections of `cues.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Cue {
    Third,
    Insult,
    Grievance,
    Exposure,
    Spread,
    Act,
    Permission,
    Crowd,
    Laugh,
    Threat,
    Routine,
    Alone,
    Description,
    Home,
    Phone,
    Work,
    School,
    Relatives,
    Name,
    Vehicle,
    Identity,
    SelfData,
    #[strum(serialize = "self")]
    Myself,
    Second,
    Business,
    Kind,
    Warning,
    Question,
    Fiction,
    News,
    Technical,
    Official,
    Lost,
    Directions,
    Household,
    Event,
    Role,
    /// A time of day.
    Time,
    /// An address, a number or the like.
    Data,
    /// A first name and a last name.
    FullName,
    /// "The guy who", "el que".
    Misdeed,
    /// A nickname and "is" or the like.
    NicknameIs,
    /// An age behind a name.
    Age,
    /// "She works", "he is".
    Habit,
    /// A year before 2000.
    Year,
    QuestionMark,
    /// A command about somebody: "llamadla", "ruft ihn".
    Command,
    /// "His number", "her real address".
    Owned,
    /// "Works at", "geht aufs".
    Whereabouts,
    /// A call to do or spread something, and whom or what it is about.
    AttackPlace,
    /// A harmless subject without hostility.
    Harmless,
    /// Nothing by which somebody is found: no datum, no place, no name of somebody who is anonymous.
    Vague,
    /// Nothing about where or how somebody is found.
    Nowhere,
    /// No hostility.
    Peaceful,
    /// Something that tells one person from all others.
    Specific,
    SpecificAttack,
    SpecificOther,
    SpecificTarget,
    OtherData,
    /// No harmless subject.
    Unexplained,
}

impl Cue {
    /// Every cue.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// The cues of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CueSet(u64);

impl CueSet {
    /// Whether it has a cue.
    pub fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u32) != 0
    }

    /// Whether it has one of several.
    pub fn any(self, cues: &[Cue]) -> bool {
        cues.iter().any(|cue| self.has(*cue))
    }

    /// How many of several it has.
    pub fn count(self, cues: &[Cue]) -> usize {
        cues.iter().filter(|cue| self.has(**cue)).count()
    }

    pub(super) fn add(&mut self, cue: Cue, found: bool) {
        self.0 |= u64::from(found) << cue as u32;
    }
}

impl CueSet {
    /// Adds the cues that others make together.
    pub(super) fn combine(&mut self) {
        use Cue::*;
        let attack = self.any(&[Act, Command, Permission, Spread, Threat]);
        let place =
            self.any(&[Data, Work, School, Relatives, Home, Vehicle, Identity, FullName, Phone, Routine]);
        let target = self.any(&[Role, Misdeed, Insult, Grievance]);
        let other = self.any(&[Third, Owned, Insult, Role, Misdeed]);
        let good = self.any(&[Business, Kind, Event, Household, Lost, Official, Directions]);
        let safe = self.any(&[Warning, Question, QuestionMark, Fiction, News, Technical, Year]);
        let own = self.has(SelfData);
        let hostile = self.count(&[
            Act, Command, Permission, Spread, Threat, Exposure, Insult, Grievance, Laugh, Crowd, Misdeed,
            NicknameIs, Alone,
        ]);
        let exact = self.any(&[Data, Age, Whereabouts])
            || (self.has(FullName) && self.any(&[NicknameIs, Exposure]))
            || (self.has(Relatives) && self.any(&[Name, School]))
            || (self.has(Time) && self.any(&[Routine, Alone]));
        let specific = self.any(&[Data, Age, Owned])
            || (self.has(NicknameIs) && self.has(FullName))
            || (self.any(&[Work, School]) && self.any(&[Habit, Third]))
            || (self.has(Relatives) && self.has(Name))
            || (self.has(Routine) && self.has(Time))
            || (self.has(Alone) && self.has(Third));
        self.add(AttackPlace, attack && place);
        self.add(Harmless, good && hostile < 2);
        self.add(Vague, !exact);
        self.add(Nowhere, !place);
        self.add(Peaceful, hostile == 0);
        self.add(Specific, specific);
        self.add(SpecificAttack, specific && attack);
        self.add(SpecificOther, specific && other);
        self.add(SpecificTarget, specific && target && !own && !good && !safe);
        self.add(OtherData, other && self.has(Data));
        self.add(Unexplained, !good && !safe && !own);
    }
}
