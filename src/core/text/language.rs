//! Detects the language of a text from its script and its commonest words, and that of running
//! text from its letters ([`of_prose`]), which is right more often but needs a few words.
//!
//! Good enough to choose headings and cue words and to say "answer in the language of the request".
//! Short texts without characteristic words are [`Language::Unknown`].

/// A language that can be detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Russian and other languages in Cyrillic script.
    Russian,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
    /// Arabic and other languages in its script.
    Arabic,
    /// A script or language not listed, or too little text.
    Unknown,
}

impl Language {
    /// The languages that frames are written in.
    pub const FRAMED: [Self; 10] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
        Self::Japanese,
        Self::Chinese,
        Self::Arabic,
    ];

    /// The ISO 639-1 code; empty for [`Language::Unknown`].
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::Portuguese => "pt",
            Self::Dutch => "nl",
            Self::Russian => "ru",
            Self::Chinese => "zh",
            Self::Japanese => "ja",
            Self::Korean => "ko",
            Self::Arabic => "ar",
            Self::Unknown => "",
        }
    }
}

/// Common words that indicate a language, each in only one of the lists.
const TELLING_WORDS: &[(Language, &[&str])] = &[
    (
        Language::English,
        &[
            "the", "and", "of", "to", "for", "with", "that", "is", "are", "this", "it", "my", "i", "we", "you",
            "write", "an", "from", "should", "be", "please", "make", "which", "how", "what",
        ],
    ),
    (
        Language::German,
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "einen", "einer", "mit", "für", "auf", "ich",
            "wir", "sie", "bitte", "schreibe", "schreib", "auch", "soll", "wird", "den", "dem", "zu", "im", "mir",
            "über",
        ],
    ),
    (
        Language::French,
        &[
            "le",
            "les",
            "des",
            "est",
            "une",
            "et",
            "dans",
            "pour",
            "pas",
            "avec",
            "je",
            "nous",
            "vous",
            "qui",
            "du",
            "sur",
            "au",
            "écris",
            "rédige",
            "mon",
            "ma",
            "cette",
            "aux",
            "l'utilisateur",
        ],
    ),
    (
        Language::Spanish,
        &[
            "el", "los", "las", "y", "una", "para", "con", "del", "por", "es", "mi", "escribe", "quiero", "sobre",
            "este", "esta", "más", "pero", "sus", "al", "sin",
        ],
    ),
    (
        Language::Italian,
        &[
            "il", "gli", "di", "che", "per", "della", "sono", "scrivi", "una", "nel", "alla", "dei", "delle", "più",
            "non",
        ],
    ),
    (
        Language::Portuguese,
        &[
            "o", "os", "um", "uma", "não", "para", "com", "em", "da", "do", "dos", "das", "escreva", "você", "ao",
            "mais",
        ],
    ),
    (
        Language::Dutch,
        &["het", "een", "van", "en", "voor", "niet", "met", "schrijf", "ik", "dat", "zijn", "op", "mijn", "naar"],
    ),
];

/// Characters of a text to examine: enough to decide, and fast on long texts.
const LOOKED_AT: usize = 4000;

/// True if a Latin text has enough of the language's characteristic words to be certain.
pub fn is_sure(text: &str, language: Language) -> bool {
    let sample: String = text.chars().take(LOOKED_AT).flat_map(char::to_lowercase).collect();
    let telling = TELLING_WORDS.iter().find(|(known, _)| *known == language).map_or(&[][..], |(_, words)| words);
    let words = sample.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| telling.contains(word)).count() >= SURE
}

/// The number of characteristic words that is certain.
const SURE: usize = 3;

/// The language of `text`.
pub fn language(text: &str) -> Language {
    let (mut letters, mut kana, mut han, mut hangul, mut cyrillic, mut arabic, mut latin) = (0, 0, 0, 0, 0, 0, 0);
    for character in text.chars().take(LOOKED_AT).filter(|c| c.is_alphabetic()) {
        letters += 1;
        match character {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => latin += 1,
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{3400}'..='\u{9fff}' => han += 1,
            '\u{ac00}'..='\u{d7af}' => hangul += 1,
            '\u{400}'..='\u{52f}' => cyrillic += 1,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => arabic += 1,
            _ => {}
        }
    }
    // Requests in other scripts often name things in Latin letters, so a third is enough.
    let leads = |count: usize| count > 0 && count * 3 >= letters;
    if leads(kana + han) {
        return if kana * 20 >= kana + han && kana > 0 { Language::Japanese } else { Language::Chinese };
    }
    if leads(hangul) {
        return Language::Korean;
    }
    if leads(cyrillic) {
        return Language::Russian;
    }
    if leads(arabic) {
        return Language::Arabic;
    }
    if latin * 2 < letters || letters == 0 {
        return Language::Unknown;
    }
    latin_language(text)
}

/// Words of running text that are enough to tell its language.
const PROSE_WORDS: usize = 4;

/// The language of running text; `None` if there are too few words or it may be another language.
/// Numbers, code and markup are left out.
pub fn of_prose(text: &str) -> Option<Language> {
    let sample: String = text.chars().take(LOOKED_AT).collect();
    let letters = || sample.chars().filter(|c| c.is_alphabetic());
    let is_latin = |c: &char| matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}');
    let others = letters().filter(|c| !is_latin(c)).count();
    // Requests in other scripts often name things in Latin letters, so a tenth is enough.
    let prose = if others > 0 && others * 10 >= letters().count() {
        sample
    } else {
        let words: Vec<&str> = sample.split_whitespace().filter_map(word_of_prose).collect();
        if words.len() < PROSE_WORDS {
            return None;
        }
        words.join(" ")
    };
    // The second is better at the languages that it knows, and takes all others for one of them.
    let is_another =
        whatlang::detect(&prose).is_some_and(|found| found.is_reliable() && known(found.lang().code()).is_none());
    known(whichlang::detect_language(&prose).three_letter_code()).filter(|_| !is_another)
}

/// The word, without punctuation around it; `None` if it contains anything but letters.
fn word_of_prose(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'));
    is_word.then_some(word)
}

/// The language with this ISO 639-3 code.
fn known(code: &str) -> Option<Language> {
    Some(match code {
        "eng" => Language::English,
        "deu" => Language::German,
        "fra" => Language::French,
        "spa" => Language::Spanish,
        "ita" => Language::Italian,
        "por" => Language::Portuguese,
        "nld" => Language::Dutch,
        "rus" => Language::Russian,
        "cmn" => Language::Chinese,
        "jpn" => Language::Japanese,
        "kor" => Language::Korean,
        "ara" => Language::Arabic,
        _ => return None,
    })
}

fn latin_language(text: &str) -> Language {
    let sample: String = text.chars().take(LOOKED_AT).flat_map(char::to_lowercase).collect();
    let mut counts = [0_u32; TELLING_WORDS.len()];
    let mut words = 0;
    for word in sample.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()) {
        words += 1;
        for (count, (_, telling)) in counts.iter_mut().zip(TELLING_WORDS) {
            if telling.contains(&word) {
                *count += 1;
            }
        }
    }
    let mut best = Language::Unknown;
    let mut most = 0;
    for (count, (language, _)) in counts.iter().zip(TELLING_WORDS) {
        if *count > most {
            most = *count;
            best = *language;
        }
    }
    // A single word such as "die" or "para" says little in a longer text.
    if most > 0 && (best == Language::English || most >= 2 || words <= 4) { best } else { Language::Unknown }
}

/// True for characters of scripts without spaces between words.
pub fn is_ideographic(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// The length of a text in words; for scripts without spaces, half its letters.
pub fn words_of(text: &str) -> usize {
    let unspaced = text.chars().filter(|c| is_ideographic(*c)).count();
    let counts = |word: &&str| unspaced == 0 || !word.contains(is_ideographic);
    unspaced / 2 + text.split_whitespace().filter(counts).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_is_told_apart_and_other_languages_are_not_taken_for_one_of_these() {
        for (text, expected) in [
            ("une pièce de 3,60 x 4,25, carreaux de 45x45, 10% de chute, il m'en faut combien ?", Language::French),
            ("Determina a derivada de f(x) = ln(x² + 1) / x e estuda o sinal.", Language::Portuguese),
            ("Wat kunnen we allemaal doen met veertig kilo pruimen?", Language::Dutch),
            ("VLOOKUPが#REF!になる。=VLOOKUP(A2,商品!A:B,3,FALSE) どこが悪いの", Language::Japanese),
        ] {
            assert_eq!(of_prose(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "Python",
            "x = 3 + 4",
            "df = pd.read_csv(\"a.csv\")\nreturn _read(path, kwds)",
            "Napisz krótki list do sąsiada z prośbą o ściszenie muzyki wieczorem",
            "Scrie o scrisoare scurtă vecinului meu ca să dea muzica mai încet seara",
            "Tulis surat pendek kepada tetangga saya supaya mengecilkan musik di malam hari",
            "Skriv ett kort brev till min granne och be honom sänka musiken på kvällen",
        ] {
            assert_eq!(of_prose(text), None, "{text}");
        }
    }

    #[test]
    fn languages_are_told_by_script_and_common_words() {
        for (text, expected) in [
            ("Write a python function that finds prime numbers", Language::English),
            ("Schreibe einen Beschwerdebrief an die Bahn, bitte nicht zu lang", Language::German),
            ("Rédige une lettre de motivation pour un poste dans une banque", Language::French),
            ("Escribe un cuento para niños sobre el mar", Language::Spanish),
            ("Напиши письмо коллеге", Language::Russian),
            ("請幫我寫一封信", Language::Chinese),
            ("Pythonで素数を返す関数を書いてください", Language::Japanese),
            ("파이썬 함수를 작성해 주세요", Language::Korean),
            ("اكتب رسالة قصيرة", Language::Arabic),
            ("Kubernetes", Language::Unknown),
            ("12 34", Language::Unknown),
            ("", Language::Unknown),
        ] {
            assert_eq!(language(text), expected, "{text}");
        }
    }
}
