//! Decides which family a request belongs to, if that is certain.
//!
//! A family is certain if the first sentence with a task has its head and, before the topic, its
//! object ("write" + "letter"), or a phrase for both, or begins with its object ("a poem for Ann").
//! Without an object the form can decide, or the numbers of a problem. Two families, or a second
//! task in the same sentence, mean none.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::library::{FamilyCues, Lexicon, Library};
use super::read::Reading;
use super::ready::is_ready;
use super::words::words;
use crate::assets::Frame;
use crate::assets::frame::{Signal, Slot};
use crate::text::language::Language;

/// The family decided on, and what else the decision found.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    /// The family's frame; `None` for the general one.
    pub(super) family: Option<Arc<Frame>>,
    /// The words the decision rests on.
    pub(super) shown_by: Vec<String>,
    /// True if more than one task was found.
    pub(super) is_several: bool,
    /// True for a finished prompt, sent unchanged.
    pub(super) is_ready: bool,
}

/// The task found in one sentence.
#[derive(Debug, Clone, PartialEq)]
enum SentenceTask {
    /// No task.
    Nothing,
    /// A task, but of no certain family.
    Something,
    /// More than one task.
    Several,
    /// A head without its object: the indices of the families with that head.
    Headed(Vec<usize>),
    /// The index of a family, and the words the decision rests on.
    Family(usize, Vec<String>),
}

/// The maximum distance of an object from its head, in words.
const MAX_OBJECT_DISTANCE: usize = 9;
pub(super) const QUESTION: &str = "question";
const MATHS: &str = "maths";
/// A problem has at least this many different numbers.
const PROBLEM_NUMBERS: usize = 3;
const TRANSLATION: &str = "translation";
const IMAGE: &str = "image";
const LETTER: &str = "letter";
/// A head shared by at most this many families is specific.
const SPECIFIC: usize = 3;

/// Decides on a request's family.
pub(super) fn decide(reading: &Reading, library: &Library) -> Decision {
    let lexicon = library.lexicon(reading.language);
    let mut found = SentenceTask::Nothing;
    for (place, sentence) in reading.sentences.iter().enumerate() {
        let said = match reading.language {
            Language::Chinese => chinese(sentence, lexicon, library),
            Language::Japanese => japanese(sentence, lexicon, library),
            _ => spaced(sentence, place == 0, reading, lexicon, library),
        };
        match (&found, &said) {
            (SentenceTask::Nothing, _) => found = said,
            (SentenceTask::Family(one, _), SentenceTask::Family(other, _)) if one != other => {
                found = SentenceTask::Several;
            }
            // A question with instructions on how to answer it is more than a question of fact.
            (SentenceTask::Family(one, _), SentenceTask::Headed(_) | SentenceTask::Something)
                if library.families[*one].name == QUESTION =>
            {
                found = SentenceTask::Something;
            }
            // A second task that is not about the first.
            (SentenceTask::Family(one, _), SentenceTask::Headed(others))
                if !others.contains(one) && !speaks_of_it(sentence, lexicon, library) =>
            {
                found = SentenceTask::Several;
            }
            _ => {}
        }
    }
    let signal = signal(reading, library);
    let family = match (&found, signal) {
        (SentenceTask::Family(one, _), Some((other, _))) if *one != other => None,
        (SentenceTask::Family(at, _), _)
            if library.families[*at].name == QUESTION && problem(reading, library).is_some() =>
        {
            problem(reading, library)
        }
        (SentenceTask::Family(at, words), _) => Some((*at, words.clone())),
        (SentenceTask::Nothing, Some((at, mark))) => Some((at, vec![mark])),
        (SentenceTask::Headed(families), Some((at, mark))) if families.contains(&at) => Some((at, vec![mark])),
        (SentenceTask::Nothing | SentenceTask::Headed(_), None) => problem(reading, library),
        _ => None,
    };
    // Code is not translated like a text.
    let is_code = |at: usize| {
        let lists = [
            reading.has_fence,
            library.names("programming_language").is_some_and(|names| names.is_among(&reading.words())),
        ];
        library.families[at].name == TRANSLATION && lists.contains(&true)
    };
    let names_image_model = library.names("image_models").is_some_and(|names| names.is_among(&reading.words()));
    let is_other_prompt = |at: usize| names_image_model && library.families[at].name != IMAGE;
    // A letter in a novel can invent whatever it likes.
    let is_in_a_story = |at: usize| library.families[at].name == LETTER && reading.names(library, "in_a_story");
    let is_taken_back = reading.names(library, "never_mind");
    let is_sure = |at: usize| !(is_code(at) || is_other_prompt(at) || is_in_a_story(at) || is_taken_back);
    let family = family.filter(|(at, _)| is_sure(*at));
    // Around a request in a language without frames, sentences in another language would disturb.
    let is_foreign = !reading.language.code().is_empty() && !Language::FRAMED.contains(&reading.language);
    let is_ready = (is_foreign && family.is_none())
        || is_ready(reading, library, family.as_ref().map(|(at, _)| library.families[*at].name.as_str()));
    match family {
        Some((at, shown_by)) => {
            Decision { family: Some(Arc::clone(&library.families[at])), shown_by, is_several: false, is_ready }
        }
        None => Decision { family: None, shown_by: Vec::new(), is_several: found == SentenceTask::Several, is_ready },
    }
}

/// Finds a problem to calculate: some numbers, and a question of how many or how long.
fn problem(reading: &Reading, library: &Library) -> Option<(usize, Vec<String>)> {
    let numbers: BTreeSet<&str> = crate::text::facts::numbers(&reading.plain).into_iter().collect();
    let asks = reading.sentences.iter().filter(|sentence| sentence.ends_with('?'));
    let questions = library.names("problems")?;
    let mut asked = asks.filter_map(|sentence| {
        let words = words(sentence);
        (0..words.len()).find_map(|at| questions.at(&words[at..]).map(|(text, _)| text.to_owned()))
    });
    let shown = asked.next_back().filter(|_| numbers.len() >= PROBLEM_NUMBERS && !reading.has_material)?;
    Some((library.families.iter().position(|frame| frame.name == MATHS)?, vec![shown]))
}

/// Finds a family by form alone.
fn signal(reading: &Reading, library: &Library) -> Option<(usize, String)> {
    let lower = reading.request.get(..20_000).unwrap_or(&reading.request).to_lowercase();
    let mark = |list: &str| library.general.names.get(list)?.iter().find(|mark| lower.contains(mark.as_str())).cloned();
    let mut found = library.families.iter().enumerate().filter_map(|(at, frame)| {
        let of = |signal: &Signal| match signal {
            Signal::StackTrace => {
                mark("stack_trace").or_else(|| lower.lines().find(|line| is_of_a_trace(line)).map(shortened))
            }
            Signal::Schema => mark("schema"),
            Signal::Fence => None,
        };
        Some((at, frame.signals.iter().find_map(of)?))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// True for a lower-case line of a stack trace: `at f (x.js:1:2)`, `file "x.py", line 3`.
fn is_of_a_trace(line: &str) -> bool {
    let line = line.trim();
    let names_a_line =
        |rest: &str| rest.contains(':') && rest.contains('(') && rest.contains(|c: char| c.is_ascii_digit());
    line.strip_prefix("at ").is_some_and(names_a_line) || (line.starts_with("file \"") && line.contains("\", line "))
}

fn shortened(line: &str) -> String {
    line.trim().chars().take(40).collect()
}

/// Decides on a sentence of a language that separates words by spaces.
fn spaced(sentence: &str, is_first: bool, reading: &Reading, lexicon: &Lexicon, library: &Library) -> SentenceTask {
    // The object precedes the first comma after its head; what follows can be another task.
    let words = words(sentence);
    let clause = clause(sentence, lexicon);
    let mut at = 0;
    while let Some((_, taken)) = lexicon.leads.at(&words[at..]) {
        // What matches both as a lead and as a head is a head.
        if heads(lexicon, &words[at..]).is_some_and(|length| length >= taken) {
            break;
        }
        at += taken;
    }
    let rest = words.get(at..clause.max(at)).unwrap_or_default();
    let phrases = lexicon.families.iter().enumerate();
    let phrase = phrases.filter_map(|(at, cues)| cues.phrases.at(rest).map(|(text, taken)| (taken, at, text)));
    if let Some((_, family, text)) = phrase.max_by_key(|(taken, ..)| *taken) {
        // Whether to do something is a question; which of two is a decision.
        let is = |list: &str, words: &[&str]| library.names(list).is_some_and(|cues| cues.is_among(words));
        if is("asks_whether", &super::words::words(text)) && !is("alternatives", &words) {
            return SentenceTask::Something;
        }
        let is_other = has_other_task(family, &words, lexicon, library);
        return if is_other { SentenceTask::Several } else { SentenceTask::Family(family, vec![text.to_owned()]) };
    }
    let verb_last = matches!(reading.language, Language::German | Language::Dutch);
    let headed = |cues: &FamilyCues| {
        if let Some((head, taken)) = cues.heads.at(rest) {
            return Some((head.to_owned(), taken, rest.len()));
        }
        let last = rest.len().checked_sub(1).filter(|_| verb_last && heads(lexicon, rest).is_none())?;
        cues.heads.at(&rest[last..]).map(|(head, _)| (head.to_owned(), 0, last))
    };
    let ends = |at: usize| {
        rest.get(at).is_none_or(|next| {
            reading.language != Language::English
                || next.ends_with("ing")
                || next.len() <= 2
                || next.starts_with(|c: char| c.is_ascii_digit())
                || lexicon.stops.at(&rest[at..]).is_some()
                || lexicon.leads.at(&rest[at..]).is_some()
                || is_joint(&rest[at..], library).is_some()
        })
    };
    let (mut with_head, mut objects) = (Vec::new(), Vec::new());
    for (family, cues) in lexicon.families.iter().enumerate() {
        let Some((head, start, end)) = headed(cues) else { continue };
        with_head.push(family);
        let window = before_stop(&rest[start..end], lexicon);
        // The thing to make does not exist yet: not "this clause", not "shorter the mail".
        let is = |list: &str, at: usize| library.names(list).is_some_and(|cues| cues.at(&window[at..]).is_some());
        let makes = library.families[family].makes;
        for place in 0..window.len() {
            if makes && (is("given", place) || (place > 1 && is("definite", place))) {
                break;
            }
            if is("other_things", place) || (place > 0 && is("other_things", place - 1)) {
                continue;
            }
            // An object begins before the topic and can contain a stop: "prompt de sistema".
            if let Some((object, length)) = cues.objects.at(&rest[start + place..end]) {
                let object =
                    Object { family, head: head.clone(), text: object.to_owned(), start: start + place, length };
                objects.push(object);
            }
        }
        if reading.has_fence && library.families[family].signals.contains(&Signal::Fence) {
            objects.push(Object { family, head, text: "```".to_owned(), start: usize::MAX, length: 1 });
        }
    }
    if with_head.is_empty() {
        let may_be_bare = is_first && !sentence.ends_with('?');
        return if may_be_bare { bare(rest, reading.language, lexicon, library) } else { SentenceTask::Nothing };
    }
    if objects.is_empty() {
        return SentenceTask::Headed(with_head);
    }
    match only(&objects) {
        SentenceTask::Family(family, _) if has_other_task(family, &words, lexicon, library) => SentenceTask::Several,
        SentenceTask::Family(family, _)
            if !objects.iter().any(|one| one.family == family && one.ends_in(rest, &ends)) =>
        {
            SentenceTask::Something
        }
        said => said,
    }
}

/// The length of the joint at the start of these words.
fn is_joint(words: &[&str], library: &Library) -> Option<usize> {
    library.names("joints")?.at(words).map(|(_, taken)| taken)
}

/// True if the sentence continues with another task: "and then tell me". A continuation about the
/// first task ("and make it short") does not count.
fn has_other_task(family: usize, words: &[&str], lexicon: &Lexicon, library: &Library) -> bool {
    let is = |list: &str, words: &[&str]| library.names(list).and_then(|cues| cues.at(words)).map(|(_, taken)| taken);
    (1..words.len()).any(|at| {
        // "Afterwards" always introduces another task.
        if is("then", &words[at..]).is_some() {
            return true;
        }
        let Some(taken) = is_joint(&words[at..], library) else {
            // In Arabic the joint is a prefix of the next word.
            let joined = words[at].strip_prefix('و');
            return joined.is_some_and(|joined| heads(lexicon, &[&[joined], &words[at + 1..]].concat()).is_some());
        };
        let mut next = words.get(at + taken..).unwrap_or_default();
        let skipped = |next: &[&str]| {
            is("fillers", next)
                .or_else(|| is_joint(next, library))
                .or_else(|| lexicon.leads.at(next).map(|(_, taken)| taken))
        };
        loop {
            if is("other_tasks", next).is_some() {
                return true;
            }
            let Some(taken) = skipped(next) else { break };
            next = next.get(taken..).unwrap_or_default();
        }
        let owners = (0..lexicon.families.len()).filter_map(|at| {
            let cues = &lexicon.families[at];
            let taken = cues.heads.at(next).or_else(|| cues.phrases.at(next)).map(|(_, taken)| taken)?;
            Some((at, taken))
        });
        let owners: Vec<(usize, usize)> = owners.collect();
        let Some(taken) = owners.iter().map(|(_, taken)| *taken).max() else { return false };
        let speaks_of_it = next.get(taken..).is_some_and(|rest| is("pronouns", rest).is_some());
        let is_own = owners.iter().any(|(at, _)| *at == family);
        if owners.len() <= SPECIFIC { !is_own } else { !speaks_of_it }
    })
}

/// True for a sentence about what was already named: "make it short".
fn speaks_of_it(sentence: &str, lexicon: &Lexicon, library: &Library) -> bool {
    let words = words(sentence);
    let Some(taken) = heads(lexicon, &words) else { return false };
    words.get(taken..).is_some_and(|rest| library.names("pronouns").is_some_and(|cues| cues.at(rest).is_some()))
}

/// Finds a thing named without a verb: "a short poem for Ann".
fn bare(words: &[&str], language: Language, lexicon: &Lexicon, library: &Library) -> SentenceTask {
    let is_skipped = |word: &&&str| {
        word.starts_with(|c: char| c.is_numeric())
            || library.names("articles").is_some_and(|articles| articles.at(&[**word]).is_some())
            || lexicon.stated.get(&Slot::Length).is_some_and(|length| length.at(&[**word]).is_some())
    };
    let skipped = words.iter().take(3).take_while(is_skipped).count();
    let rest = &words[skipped..];
    if library.names("other_things").is_some_and(|things| things.at(rest).is_some()) {
        return SentenceTask::Nothing;
    }
    let mut found = Vec::new();
    // An Arabic adjective follows its noun, so a word before the object is a verb: "I was offered".
    let places = if language == Language::Arabic { 1 } else { 2 };
    for (family, cues) in lexicon.families.iter().enumerate().filter(|(at, _)| library.families[*at].bare) {
        for place in 0..rest.len().min(places) {
            let Some((object, length)) = cues.objects.at(&rest[place..]) else { continue };
            let after = &rest[place + length..];
            let ends = after.is_empty() || lexicon.stops.at(after).is_some() || lexicon.leads.at(after).is_some();
            let is_thing = |list: &str| library.names(list).is_some_and(|cues| cues.at(rest).is_some());
            if ends && (place == 0 || !(lexicon.stops.at(rest).is_some() || is_thing("definite") || is_thing("given")))
            {
                let text = object.to_owned();
                found.push(Object { family, head: text.clone(), text, start: place, length });
            }
        }
    }
    // A single word is ambiguous.
    if found.is_empty() || words.len() < 2 {
        return SentenceTask::Nothing;
    }
    match only(&found) {
        SentenceTask::Family(family, _) if has_other_task(family, words, lexicon, library) => SentenceTask::Several,
        SentenceTask::Family(family, mut shown) => {
            shown.truncate(1);
            SentenceTask::Family(family, shown)
        }
        said => said,
    }
}

/// The number of words up to the first comma that does not merely end a lead.
fn clause(sentence: &str, lexicon: &Lexicon) -> usize {
    let mut taken = 0;
    for part in sentence.split([',', '،']) {
        let part = words(part);
        taken += part.len();
        let is_lead = lexicon.leads.at(&part).is_some_and(|(_, length)| length == part.len());
        if !part.is_empty() && !is_lead {
            break;
        }
    }
    taken
}

/// The length of the longest head of any family at the start of these words.
fn heads(lexicon: &Lexicon, words: &[&str]) -> Option<usize> {
    lexicon.families.iter().filter_map(|cues| cues.heads.at(words)).map(|(_, taken)| taken).max()
}

/// The words up to the first stop, which begins the topic.
fn before_stop<'a, 'w>(words: &'a [&'w str], lexicon: &Lexicon) -> &'a [&'w str] {
    let near = &words[..words.len().min(MAX_OBJECT_DISTANCE)];
    let stop = (1..near.len()).find(|at| lexicon.stops.at(&near[*at..]).is_some());
    &near[..stop.unwrap_or(near.len())]
}

/// An object found in a sentence.
struct Object {
    family: usize,
    head: String,
    text: String,
    start: usize,
    length: usize,
}

impl Object {
    /// True if it ends what is asked for.
    fn ends_in(&self, words: &[&str], ends: &impl Fn(usize) -> bool) -> bool {
        self.start >= words.len() || ends(self.start + self.length)
    }
}

/// The only family among the objects, ignoring objects within longer ones.
fn only(objects: &[Object]) -> SentenceTask {
    let is_part = |small: &Object| {
        objects.iter().any(|large| {
            large.length > small.length
                && large.start <= small.start
                && small.start.saturating_add(small.length) <= large.start.saturating_add(large.length)
        })
    };
    let mut left = objects.iter().filter(|object| !is_part(object));
    let Some(first) = left.next() else { return SentenceTask::Something };
    if left.any(|other| other.family != first.family) {
        return SentenceTask::Something;
    }
    SentenceTask::Family(first.family, vec![first.head.clone(), first.text.clone()])
}

/// The family with a phrase anywhere in a text without spaces.
fn phrase_in(text: &str, lexicon: &Lexicon) -> Option<SentenceTask> {
    let mut found = lexicon.families.iter().enumerate().filter_map(|(family, cues)| {
        let (start, end) = cues.phrases.last_in(text)?;
        Some((family, text[start..end].to_owned()))
    });
    let (family, words) = found.next()?;
    Some(if found.any(|(other, _)| other != family) {
        SentenceTask::Something
    } else {
        SentenceTask::Family(family, vec![words])
    })
}

/// The family of the last object in the text, if it has a head in `headed`.
fn last_object(text: &str, lexicon: &Lexicon, headed: &[(usize, String)]) -> SentenceTask {
    let objects = lexicon.families.iter().enumerate();
    let places =
        objects.filter_map(|(family, cues)| cues.objects.last_in(text).map(|(start, end)| (end, start, family)));
    let mut places: Vec<(usize, usize, usize)> = places.collect();
    let Some((end, start)) =
        places.iter().map(|(end, start, _)| (*end, *start)).max_by_key(|(end, start)| (*end, usize::MAX - start))
    else {
        return SentenceTask::Something;
    };
    places.retain(|(last, first, _)| (*last, *first) == (end, start));
    let mut both = places.iter().filter_map(|(_, _, family)| headed.iter().find(|(own, _)| own == family));
    match (both.next(), both.next()) {
        (Some((family, head)), None) => SentenceTask::Family(*family, vec![head.clone(), text[start..end].to_owned()]),
        _ => SentenceTask::Something,
    }
}

fn chinese(sentence: &str, lexicon: &Lexicon, library: &Library) -> SentenceTask {
    let mut clauses = sentence.split(['，', '。', '：', '？', ',', '、']).filter(|clause| has_head(clause, lexicon));
    let Some(clause) = clauses.next() else { return phrase_in(sentence, lexicon).unwrap_or(SentenceTask::Nothing) };
    if clauses.next().is_some() || is_question(sentence, library) {
        return SentenceTask::Something;
    }
    if let Some(said) = phrase_in(clause, lexicon) {
        return alone(said, sentence, lexicon, library);
    }
    let heads = lexicon.families.iter().filter_map(|cues| cues.heads.last_in(clause));
    let from = heads.map(|(_, end)| end).min().unwrap_or_default();
    alone(last_object(&clause[from..], lexicon, &headed(clause, lexicon)), sentence, lexicon, library)
}

/// True for a sentence that asks for an answer, not for a piece of work.
fn is_question(sentence: &str, library: &Library) -> bool {
    library.names("questions").is_some_and(|cues| cues.is_in(sentence))
}

/// Passes `said` on unless the sentence also has a head of another task.
fn alone(said: SentenceTask, sentence: &str, lexicon: &Lexicon, library: &Library) -> SentenceTask {
    let SentenceTask::Family(family, shown) = said else { return said };
    if library.names("then_unspaced").is_some_and(|cues| cues.is_in(sentence)) {
        return SentenceTask::Several;
    }
    let heads = headed(sentence, lexicon);
    let is_other = heads.iter().any(|(_, head)| {
        let owners: Vec<usize> = heads.iter().filter(|(_, other)| other == head).map(|(owner, _)| *owner).collect();
        let is_part = shown.iter().any(|shown| shown.contains(head.as_str()));
        owners.len() <= SPECIFIC && !owners.contains(&family) && !is_part
    });
    if is_other { SentenceTask::Something } else { SentenceTask::Family(family, shown) }
}

fn japanese(sentence: &str, lexicon: &Lexicon, library: &Library) -> SentenceTask {
    let heads = lexicon.families.iter().filter_map(|cues| cues.heads.last_in(sentence));
    let head = heads.max_by_key(|(start, end)| (*end, usize::MAX - start));
    if head.is_some_and(|(start, _)| has_head(&sentence[..start], lexicon)) {
        return SentenceTask::Something;
    }
    if let Some(said) = phrase_in(sentence, lexicon) {
        return alone(said, sentence, lexicon, library);
    }
    let Some((start, end)) = head else { return SentenceTask::Nothing };
    if is_question(sentence, library) {
        return SentenceTask::Something;
    }
    let headed: Vec<(usize, String)> =
        headed(&sentence[start..end], lexicon).into_iter().filter(|(_, head)| head.len() == end - start).collect();
    alone(last_object(&sentence[..start], lexicon, &headed), sentence, lexicon, library)
}

fn has_head(text: &str, lexicon: &Lexicon) -> bool {
    lexicon.families.iter().any(|cues| cues.heads.is_in(text))
}

/// The families with a head in the text, with that head.
fn headed(text: &str, lexicon: &Lexicon) -> Vec<(usize, String)> {
    let of = |(family, cues): (usize, &FamilyCues)| {
        cues.heads.last_in(text).map(|(start, end)| (family, text[start..end].to_owned()))
    };
    lexicon.families.iter().enumerate().filter_map(of).collect()
}
