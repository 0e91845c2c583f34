//! The current frames, with cue words indexed per language on first use.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::words::{Cues, words};
use crate::assets::frame::Slot;
use crate::assets::{Assets, Frame, frame};
use crate::error::{Error, Result};
use crate::text::language::{Language, is_sure, language, of_prose};

/// Languages in Latin script that have frames.
const LATIN: [Language; 7] = [
    Language::English,
    Language::German,
    Language::Spanish,
    Language::French,
    Language::Portuguese,
    Language::Italian,
    Language::Dutch,
];
/// The number of characters used to detect the language.
const LANGUAGE_SAMPLE_CHARS: usize = 400;

/// From this many words on, the letters tell the language better than cue words.
const LONG_WORDS: usize = 8;

/// All frames.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) general: Arc<Frame>,
    /// All other frames, in the order of the table.
    pub(super) families: Vec<Arc<Frame>>,
    lexicons: [OnceLock<Lexicon>; Language::FRAMED.len()],
    names: OnceLock<BTreeMap<String, Cues>>,
}

/// The cue words of one language.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) leads: Cues,
    pub(super) stops: Cues,
    /// In the order of [`Library::families`].
    pub(super) families: Vec<FamilyCues>,
    pub(super) stated: BTreeMap<Slot, Cues>,
}

/// The cue words of one family in one language.
#[derive(Debug)]
pub(super) struct FamilyCues {
    pub(super) heads: Cues,
    pub(super) objects: Cues,
    pub(super) phrases: Cues,
}

impl Library {
    /// Loads the current frames.
    ///
    /// # Errors
    /// `file` when one of the user's frames is invalid.
    pub(super) fn of(assets: &Assets) -> Result<Self> {
        let mut frames = assets.frames()?.into_iter();
        let general = frames.next().ok_or_else(|| Error::Internal("there are no frames".to_owned()))?;
        Ok(Self {
            general,
            families: frames.collect(),
            lexicons: std::array::from_fn(|_| OnceLock::new()),
            names: OnceLock::new(),
        })
    }

    /// True if the frames have not changed since.
    pub(super) fn is_current(&self, assets: &Assets) -> Result<bool> {
        let known = [&self.general].into_iter().chain(&self.families);
        Ok(assets.frames()?.iter().zip(known).all(|(now, known)| Arc::ptr_eq(now, known)))
    }

    /// The cue words of a language; English ones for a language without frames.
    pub(super) fn lexicon(&self, language: Language) -> &Lexicon {
        let place = Language::FRAMED.iter().position(|known| *known == language).unwrap_or_default();
        let code = Language::FRAMED[place].code();
        self.lexicons[place].get_or_init(|| {
            let none = frame::Cues::default();
            let of_family = |frame: &Arc<Frame>| {
                let own = frame.cues.get(code).unwrap_or(&none);
                FamilyCues {
                    heads: Cues::of(&own.heads),
                    objects: Cues::of(&own.objects),
                    phrases: Cues::of(&own.phrases),
                }
            };
            let general = self.general.cues.get(code).unwrap_or(&none);
            let stated = self.general.stated.iter();
            Lexicon {
                leads: Cues::of(&general.leads),
                stops: Cues::of(&general.stops),
                families: self.families.iter().map(of_family).collect(),
                stated: stated.map(|(slot, by)| (*slot, Cues::of(by.get(code).into_iter().flatten()))).collect(),
            }
        })
    }

    /// The language of a request: by its letters, or by script and common words if it is short.
    /// Where the two differ or neither is sure, the number of cue words decides.
    pub(super) fn language(&self, text: &str) -> Language {
        let told = language(text);
        let is_latin = told == Language::Unknown || LATIN.contains(&told);
        if !is_latin || !text.chars().any(|c| c.is_ascii_alphabetic()) {
            return told;
        }
        let by_letters = of_prose(text);
        let is_one = by_letters.is_some_and(|found| found == told || !LATIN.contains(&found));
        if is_one || (by_letters.is_none() && is_sure(text, told)) {
            return by_letters.unwrap_or(told);
        }
        let lower: String = text.chars().take(LANGUAGE_SAMPLE_CHARS).flat_map(char::to_lowercase).collect();
        let words = words(&lower);
        // A single letter is as often a name as a word.
        if words.iter().all(|word| word.len() == 1) {
            return by_letters.unwrap_or(Language::Unknown);
        }
        let Some(found) = by_letters.filter(|_| words.len() >= LONG_WORDS) else {
            return self.by_cues(&words, told, by_letters);
        };
        let is_told = told != Language::Unknown && self.known(&words, told) > self.known(&words, found);
        if is_told { told } else { found }
    }

    /// The language with the most cue words; the one by letters, if there is one and no other has more.
    fn by_cues(&self, words: &[&str], told: Language, by_letters: Option<Language>) -> Language {
        let score = |language| self.known(words, language) + usize::from(language == told) * (1 + words.len() / 4);
        // Ties go to the first, English before all: a single "a" or "no" is no evidence.
        let scores = LATIN.map(|language| (score(language), language));
        let most = scores.iter().map(|(score, _)| *score).max().unwrap_or_default();
        let best = scores.iter().find(|(score, _)| *score == most && most > 0);
        match by_letters {
            Some(found) if most == 0 || scores.contains(&(most, found)) => found,
            _ => best.map_or(told, |(_, language)| *language),
        }
    }

    /// The number of words that are cues in this language.
    fn known(&self, words: &[&str], language: Language) -> usize {
        let Lexicon { leads, stops, families, .. } = self.lexicon(language);
        let is_known = |at: &usize| {
            let rest = &words[*at..];
            let is_cue = |cues: &FamilyCues| {
                [&cues.heads, &cues.objects, &cues.phrases].iter().any(|cues| cues.at(rest).is_some())
            };
            stops.at(rest).is_some() || leads.at(rest).is_some() || families.iter().any(is_cue)
        };
        (0..words.len()).filter(|at| words[*at].len() > 1).filter(is_known).count()
    }

    /// A word list of `general` that is the same in every language.
    pub(super) fn names(&self, list: &str) -> Option<&Cues> {
        let ready = || self.general.names.iter().map(|(name, words)| (name.clone(), Cues::of(words))).collect();
        self.names.get_or_init(ready).get(list)
    }
}
