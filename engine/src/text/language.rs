//! Detects the language of a message by its script and, for the Latin and Cyrillic scripts, by common words and
//! letters. The language selects the models that score a message and the penalty of abuse, and is shown in
//! explanations. It never makes a harm more probable.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::LazyLock,
};

use ports::text::{
    Category,
    reader::{cyrillic_twin, is_latin_twin},
    scripts::{self, Scripts},
};
use serde::{Deserialize, Serialize};

use super::{
    lexicon,
    words::{Normalized, Word},
};

/// A language or, where it is not detected, a script, as a BCP 47 tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language(&'static str);

/// The harms that a language penalty lowers, as indices of heads.
pub const ABUSE: [usize; 3] =
    [Category::Toxic as usize, Category::Harassment as usize, Category::Hate as usize];

/// By language tag, the log-odds that are subtracted from `toxic`, `harassment` and `hate`, so that the rate of false
/// alarms is about the same in each language. Chosen on dev.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LanguagePenalties(pub BTreeMap<String, f32>);

impl LanguagePenalties {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The penalty of a language; 0 for one that has none.
    pub(super) fn of(&self, language: Language) -> f32 {
        self.0.get(language.0).copied().unwrap_or(0.0)
    }
}

/// An encoder of the hybrid engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextEncoder {
    /// Trained on English alone.
    English,
    /// Trained on all languages of the training rows, starting from an encoder of fifty languages.
    Multilingual,
}

/// The most words of a message in no detected language that both encoders read.
const MAX_UNCERTAIN_WORDS: usize = 8;

/// Common words of languages in Latin script, as [`normalize`](super::normalize::normalize) returns them, without
/// accents. In the training rows each is at least four times as frequent in its language as in any other here.
const WORDS: [(&str, &str); 20] = [
    (
        "en",
        "and of are you that it be this they people with not like all have but your my just if its dont get them \
         their who what up from about one should would want there because when more how being only why some she \
         then even our see need now were the can will did does anyone thanks please where im hey gg lol fuck shit \
         bitch kill yourself the",
    ),
    (
        "de",
        "die und der ist das nicht ich zu ein mit fur von auch wir sich sind auf eine wie hat nur aber noch wenn \
         dass haben werden wird bei aus schon kann oder dann mal keine ihr mehr doch uns mir einen jetzt mich immer \
         diese war wurde nach sein wieder uber zum muss gibt wer geht heute gegen nichts einer ihre habe kein gut \
         du bist dich dir euch",
    ),
    (
        "fr",
        "les et vous pas est cest pour une suis dans mon sur avec jaime plus comme sont etre mes faire ils oui \
         aussi fait tout nous quand avez beaucoup quel votre elle fais vais vraiment peut juste tres trop etes donc \
         quoi salut tous veux contre aux jamais ont peux viens cela toujours je que de la un le des en se du",
    ),
    (
        "es",
        "el los muy las soy pero eso estas yo puedo estoy eres ahora tengo gracias mejor hacer quiero esto cual \
         puede tiene cuando donde hecho mucho quien creo fue ella tienes decir bueno puedes tenemos estaba usted \
         entonces voy hace buen cosas siempre hola sabes todavia hablar tambien nadie alguna tu que de la se un una \
         para lo por con del si en te",
    ),
    (
        "it",
        "sono che non per mio piace mia bene cosa io molto anche piu miei lavoro ciao essere fare posso perche \
         questo tutto gli tuo dei stato cosi bello stai della cose fai quindi sembra voglio fatto nella dove grazie \
         ora persone qualche davvero tutti sia quello puoi ancora quale delle sei ti di la un una il le lo del si \
         con se",
    ),
    (
        "pt",
        "eu com pra uma meu isso tem voce ele minha muito esse vou foi essa tudo vc mesmo quem bem pq ter ela agora \
         fazer ainda tenho hoje ate assim ao sim sou quero pelo pode coisa seu sua eles faz acho melhor estou falar \
         mim pessoas ficar queria dele entao quer desse ninguem boa pela onde nao que de se para um os por na da \
         dos em te",
    ),
    (
        "nl",
        "ik het een dat niet heb voor maar op hij zijn goed jij naar wel aan weet mijn hem heeft bent geen hebben \
         gaat iets mij bij wil jullie uit ook gaan zal zou waarom zo doen haar moet waar denk ons jou door hebt \
         deze daar nodig wordt weer veel heel toch hou kunnen zien nooit doe mee je",
    ),
    (
        "pl",
        "nie jak jest po juz tylko czy tym bedzie tez tego mnie dla chyba cos jeszcze teraz bylo byc sobie zeby \
         wiem wiec ktos bardzo jestem kto przez chce gdzie takie dobrze taki jestes przeciez wszystko nawet masz \
         trzeba zawsze jesli pewnie maja dzisiaj moge ktory troche mial skoro albo ciebie nikt kiedy dzis czyli sie",
    ),
    (
        "tr",
        "bir bu cok icin aq ama gibi kadar yok diye degil daha bile iyi sonra senin sey seni olsun nasil guzel hic \
         artik boyle simdi biz zaten olur beni benim gun zaman adam oyle olan siz neden sadece olarak bunu yine \
         hala oldu buyuk tek sizin kendi bak baska bizim iste sizi hep cunku ilk biri ayni ne sen ve",
    ),
    (
        "id",
        "saya anda yang itu tidak suka untuk apakah apa dengan juga adalah punya baik akan sangat bagus bisa dari \
         ini saja seorang banyak bagaimana lebih baru memiliki orang mereka hanya aku tapi seperti pergi waktu \
         keren ingin sudah menjadi sedang sekarang ada mungkin pernah harus jadi ketika rumah sekolah karena dalam \
         biasa kamu tahu gue lu gak nggak lo kalau di",
    ),
    (
        "hi-Latn",
        "hai ko ki ka ke nahi ye bhi aur kya kar nhi ab tum desh ek kuch koi bhai log raha hain tha sab rahe kr \
         baat apne apni aap maa kiya hoga diya karo chahiye agar toh teri sahi hota tere wale jab yeh sirf karte \
         kaha gaya jaise sala aaj rha khud sath mujhe mera tera hum bahut tu raat",
    ),
    (
        "sv",
        "jag att inte och ett till ska vad hur vara tack allt honom maste gora mycket bara hade nagot fran varfor \
         upp lite kanske sjalv",
    ),
    (
        "no",
        "deg hva dette noe dere takk hadde igjen gjor seg noen litt aldri vaert opp ble mye kanskje jeg ikke",
    ),
    ("da", "hvad af noget ud meget lad ved bliver jeg ikke"),
    (
        "fi",
        "ei mita etta ole olen tama taalla vain olet sinua niin oli haluan olla kaikki sina kiitos nyt mutta kuin \
         ovat minun siita mika minulle hyva miten",
    ),
    (
        "cs",
        "jsem jsi jste bude jsme neco byt kdyz dobre jsou tady proc ted takze toho kdo tohle pokud chci bych kde \
         diky muzu myslim protoze neni",
    ),
    (
        "hr",
        "sam ali smo kako ovo biti dobro nije mogu hvala ako ste mislim znas nesto tako kao ovdje koji zasto vrlo \
         imam tamo nisam",
    ),
    (
        "hu",
        "nem az hogy egy volt azt csak ezt kell itt vagy nagyon lesz akkor majd vagyok miert jol koszonom lehet \
         tudom mert nekem",
    ),
    (
        "ro",
        "nu asta sunt pentru esti asa fi daca fost ceva foarte cred cand acum imi aici trebuie stiu vrei multumesc \
         vreau poate facut",
    ),
    (
        "vi",
        "toi khong lam nguoi mot cua cho sao duoc dang voi cach minh anh biet phai chung dung nhung muon bao cung \
         vay nhieu",
    ),
];

/// Letters that identify a language where no common word does, except those that are used as look-alikes in disguised
/// English.
const LETTERS: [(&str, &str); 5] =
    [("tr", "ğışĞİŞ"), ("pl", "łąęśżźŁĄĘŚŻŹ"), ("pt", "ãõÃÕ"), ("hu", "őűŐŰ"), ("vi", "ơưđƠƯĐ")];

/// The languages of common words and of words of the lexicon, as bits.
static LANGUAGES_OF: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (at, (language, words)) in WORDS.iter().enumerate() {
        for word in words.split_ascii_whitespace().chain(lexicon::words_of(language)) {
            *known.entry(word).or_insert(0) |= 1 << at;
        }
    }
    known
});

impl Language {
    /// Detects the language of some words of a message.
    pub fn detect(content: &str, text: &Normalized, words: Range<usize>) -> Self {
        let words = &text.words[words];
        let hits = count_common_words(text, words);
        let written = WrittenWords { content, words };
        let letters = letters_by_script(text, words);
        let most = (0..letters.len()).rev().max_by_key(|bit| letters[*bit]).filter(|bit| letters[*bit] > 0);
        let most = most.and_then(|bit| (1 as Scripts).checked_shl(bit as u32)).unwrap_or(0);
        // Letters of other scripts may be look-alikes: text that reads as English is English.
        if most != scripts::LATIN && hits[0] * 2 > words.len().max(1) {
            return Self(WORDS[0].0);
        }
        Self(match most {
            scripts::LATIN => latin(&hits, &written),
            scripts::CYRILLIC if written.have_any("іїєґІЇЄҐ") => "uk",
            scripts::CYRILLIC if written.have_any("ђјљњћџЂЈЉЊЋЏ") => "sr",
            scripts::CYRILLIC if written.have_any("ыэёЫЭЁ") => "ru",
            scripts::CYRILLIC => "und-Cyrl",
            scripts::ARABIC if written.have_any("ٹڈڑےںھ") => "ur",
            scripts::ARABIC if written.have_any("پچژگ") => "fa",
            scripts::ARABIC => "ar",
            scripts::DEVANAGARI => "hi",
            scripts::KANA => "ja",
            scripts::HAN if letters[scripts::KANA.trailing_zeros() as usize] > 0 => "ja",
            scripts::HAN => "zh",
            scripts::HANGUL => "ko",
            scripts::GREEK => "el",
            scripts::HEBREW => "he",
            scripts::THAI => "th",
            _ => "und",
        })
    }

    /// The BCP 47 tag, such as `de`, `hi-Latn` or `und-Cyrl`.
    pub fn tag(self) -> &'static str {
        self.0
    }

    /// The encoder of the hybrid engine that reads it. Latin text in no detected language may be slang or misspelt
    /// English, and emoji and numbers have no language.
    pub fn encoder(self) -> TextEncoder {
        match self.0 {
            "en" | "und-Latn" | "und" => TextEncoder::English,
            _ => TextEncoder::Multilingual,
        }
    }

    /// The encoder that reads a message besides its own: a short one in Latin letters may be in any language.
    pub fn other_encoder(self, words: usize) -> Option<TextEncoder> {
        (self.0 == "und-Latn" && words <= MAX_UNCERTAIN_WORDS).then_some(TextEncoder::Multilingual)
    }
}

/// The number of common words of each language.
fn count_common_words(text: &Normalized, words: &[Word]) -> [usize; WORDS.len()] {
    let mut hits = [0; WORDS.len()];
    for word in words {
        let known = LANGUAGES_OF.get(text.word(word)).copied().unwrap_or(0);
        hits.iter_mut().enumerate().for_each(|(at, hits)| *hits += (known >> at & 1) as usize);
    }
    hits
}

/// The number of letters of each script, by its bit; letters of other scripts come last. Letters that look the same
/// in Latin and Cyrillic are of the script of their word or, where that has no others, of the message.
fn letters_by_script(text: &Normalized, words: &[Word]) -> [usize; Scripts::BITS as usize + 1] {
    let mut letters = [0; Scripts::BITS as usize + 1];
    let mut ambiguous = 0;
    for word in words {
        let read = text.word(word);
        match WordScript::of(read) {
            WordScript::One(script) => letters[script.trailing_zeros() as usize] += read.chars().count(),
            WordScript::Ambiguous => ambiguous += read.chars().count(),
            WordScript::Mixed => {
                for char in read.chars().filter(|char| char.is_alphabetic()) {
                    letters[scripts::script(char).trailing_zeros() as usize] += 1;
                }
            }
        }
    }
    let latin = scripts::LATIN.trailing_zeros() as usize;
    let cyrillic = scripts::CYRILLIC.trailing_zeros() as usize;
    letters[if letters[latin] > letters[cyrillic] { latin } else { cyrillic }] += ambiguous;
    letters
}

/// Words as they are written in the message.
struct WrittenWords<'a> {
    content: &'a str,
    words: &'a [Word],
}

impl WrittenWords<'_> {
    fn chars(&self) -> impl Iterator<Item = char> {
        self.words.iter().flat_map(|word| self.content[word.from..word.to].chars())
    }

    fn have_any(&self, letters: &str) -> bool {
        self.chars().any(|char| letters.contains(char))
    }
}

/// The script of a word with letters that look the same in Latin and Cyrillic.
enum WordScript {
    /// Latin or Cyrillic, by a letter that only one of them has.
    One(Scripts),
    /// Cyrillic letters, or Cyrillic and Latin ones, all of which look the same.
    Ambiguous,
    /// No such word.
    Mixed,
}

impl WordScript {
    fn of(word: &str) -> Self {
        let letters = word.chars().filter(|char| char.is_alphabetic()).flat_map(char::to_lowercase);
        let mut latin = false;
        let mut only_latin = false;
        let mut cyrillic = false;
        let mut only_cyrillic = false;
        for char in letters {
            match scripts::script(char) {
                scripts::LATIN => {
                    latin = true;
                    only_latin |= cyrillic_twin(char).is_none();
                }
                scripts::CYRILLIC => {
                    cyrillic = true;
                    only_cyrillic |= !is_latin_twin(char);
                }
                _ => return Self::Mixed,
            }
        }
        match (only_latin, only_cyrillic) {
            (true, true) => Self::Mixed,
            (true, false) => Self::One(scripts::LATIN),
            (false, true) => Self::One(scripts::CYRILLIC),
            (false, false) if cyrillic => Self::Ambiguous,
            (false, false) if latin => Self::One(scripts::LATIN),
            (false, false) => Self::Mixed,
        }
    }
}

/// The language of a text in Latin script: the one with the most common words, unless English has as many.
fn latin(hits: &[usize; WORDS.len()], written: &WrittenWords<'_>) -> &'static str {
    let best = (0..WORDS.len()).rev().max_by_key(|at| hits[*at]).unwrap_or(0);
    match hits[best] {
        most if most > 0 && most == hits[0] => WORDS[0].0,
        // One word alone may be a name or slang.
        most if most > 1 || most == 1 && written.words.len() <= 6 => WORDS[best].0,
        _ => {
            let found = LETTERS.iter().find(|(_, letters)| written.have_any(letters));
            found.map_or("und-Latn", |(language, _)| language)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalize::normalize;

    fn detect(content: &str) -> &'static str {
        let text = normalize(content, &[]);
        Language::detect(content, &text, 0..text.words.len()).tag()
    }

    #[test]
    fn languages_are_detected_by_script_and_common_words() {
        for (content, expected) in [
            ("you are an idiot", "en"),
            ("kys", "en"),
            ("zzqx", "und-Latn"),
            ("gg wp", "en"),
            ("du bist so ein Idiot", "de"),
            ("t'es vraiment trop bête", "fr"),
            ("eres un idiota de mierda", "es"),
            ("sei proprio uno stronzo", "it"),
            ("você é muito feio", "pt"),
            ("wat een klootzak ben jij", "nl"),
            ("nikt cię tu nie chce", "pl"),
            ("sen çok aptalsın", "tr"),
            ("lu goblok banget sih, gak bisa main", "id"),
            ("tu bahut bada chutiya hai", "hi-Latn"),
            ("तू बहुत बड़ा मूर्ख है", "hi"),
            ("ты такой глупый", "ru"),
            ("дурак", "und-Cyrl"),
            ("أنت غبي", "ar"),
            ("你是白痴", "zh"),
            ("お前は馬鹿だ", "ja"),
            ("너 진짜 멍청하다", "ko"),
            ("👍 123", "und"),
            ("уоu аrе аn idiоt аnd уоu knоw it", "en"),
            ("hello you привет", "en"),
            ("уоu аrе а fаggоt", "en"),
            ("сука", "und-Cyrl"),
            ("иди нахyй", "und-Cyrl"),
            ("hurensohn", "de"),
        ] {
            assert_eq!(detect(content), expected, "{content}");
        }
    }
}
