//! The phrases by which a model talks about its answer: preambles before it, remarks after it.
//!
//! All lists are folded (see [`fold`]). They err on the side of keeping: a preamble must name the
//! prompt, and a remark must offer to change it, so that similar instructions ("Here is the
//! context…", "Let me know if anything is unclear before you begin") stay. English, German, French,
//! Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Russian, Chinese, Japanese, Korean.

use crate::text::terms::fold;
use crate::visited::visit;

/// The longest preamble, in characters.
pub(super) const LONGEST_PREAMBLE: usize = 240;

/// The longest remark, in characters.
pub(super) const LONGEST_REMARK: usize = 600;

/// Words of assent that open an answer.
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "sure thing", "sure", "certainly", "of course", "absolutely", "definitely", "okay", "ok", "great", "gladly",
    "understood", "got it", "no problem", "happy to help", "i'd be happy to help", "i would be happy to help",
    "alright", "here you go", "perfect", "thank you", "thanks", "gerne", "gern", "naturlich", "klar",
    "selbstverstandlich", "sehr gerne", "bien sur", "certainement", "d'accord", "volontiers", "avec plaisir",
    "claro que si", "claro", "por supuesto", "con gusto", "desde luego", "certo", "certamente", "con piacere",
    "com certeza", "com prazer", "natuurlijk", "zeker", "oczywiscie", "jasne", "tabii ki", "tabii", "elbette",
    "конечно", "разумеется", "хорошо", "好的", "当然可以", "当然", "當然", "没问题", "もちろんです", "もちろん", "承知しました", "かしこまりました", "はい",
    "물론입니다", "물론이죠", "네",
];

/// Words that announce what follows.
#[rustfmt::skip]
const INTRODUCERS: &[&str] = &[
    "here is", "here's", "here are", "below is", "below are", "this is", "the following is", "i have", "i've",
    "i wrote", "i created", "hier ist", "hier sind", "hier kommt", "im folgenden", "nachfolgend", "unten", "voici",
    "voila", "aqui tienes", "aqui esta", "aqui te dejo", "a continuacion", "este es", "ecco", "di seguito", "segue",
    "a seguir", "hier is", "hieronder", "oto", "ponizej", "iste", "asagida", "вот", "ниже", "以下是", "这是", "這是", "下面是",
    "以下が", "以下は", "以下の", "以下に", "こちらが", "こちらは", "다음은", "아래는", "여기",
];

/// Unambiguous names of what is announced.
const PROMPT_NOUNS: &[&str] = &["prompt", "промпт", "промт", "提示词", "提示詞", "プロンプト", "프롬프트"];

/// Names of what is announced that could also begin a prompt.
#[rustfmt::skip]
const LOOSE_NOUNS: &[&str] = &[
    "version", "instruction", "draft", "rewrite", "essence", "extraction", "findings", "result", "output", "text",
    "fassung", "anweisung", "entwurf", "ergebnis", "instruccion", "resultado", "texto", "istruzioni", "risultato",
    "resultat", "texte", "инструкци", "версия", "指令", "版本", "指示",
];

/// A prompt referred to as known.
const DEFINITE: &[&str] = &["the prompt", "der prompt", "le prompt", "el prompt", "il prompt", "o prompt", "de prompt"];

/// Words used only of a finished text.
#[rustfmt::skip]
const FINISHED: &[&str] = &[
    "your", "refined", "improved", "optimized", "optimised", "final", "finished", "revised", "polished", "rewritten",
    "structured", "complete", "completed", "enhanced", "reworked", "crafted", "generated", "clear", "concise",
    "detailed", "comprehensive", "ready", "as requested", "for you", "you can", "based on", "tailored",
    "crystallized", "crystallised", "dein", "ihr ", "fertig", "uberarbeitet", "optimiert", "verbessert", "final",
    "votre", "ton ", "optimise", "ameliore", "finale", "tu ", "mejorado", "optimizado", "refinado", "tuo",
    "ottimizzato", "migliorato", "seu", "otimizado", "melhorado", "jouw", "uw ", "ваш", "твои", "готов", "улучшен",
    "优化", "完整", "您", "你", "最終", "最終的", "改善", "완성", "최종",
];

/// The words of labels such as "Final prompt:".
#[rustfmt::skip]
const LABEL_WORDS: &[&str] = &[
    "the", "your", "final", "finished", "refined", "optimized", "optimised", "improved", "revised", "polished",
    "generated", "resulting", "complete", "completed", "enhanced", "structured", "rewritten", "prompt", "version",
    "finaler", "fertiger", "optimierter", "verbesserter", "le", "el", "il", "optimise", "ameliore", "mejorado",
    "optimizado", "finale", "ottimizzato", "otimizado",
];

/// A kind of remark: how it begins, and groups of words of which it must contain one each.
struct RemarkRule {
    cues: &'static [&'static str],
    needs: &'static [&'static [&'static str]],
}

#[rustfmt::skip]
const REMARK_RULES: &[RemarkRule] = &[
    RemarkRule {
        cues: &["let me know", "please let me know", "just let me know"],
        needs: &[&["you'd like", "you would like", "you want", "you need", "if any", "anything"], CHANGES],
    },
    RemarkRule {
        cues: &[
            "would you like me to", "would you like any", "do you want me to", "want me to", "i can also",
            "i can adjust", "i'd be happy", "i would be happy", "i'm happy", "happy to",
        ],
        needs: &[CHANGES],
    },
    RemarkRule { cues: &["feel free to", "please feel free"], needs: &[&["prompt", " your ", "let me know"]] },
    RemarkRule {
        cues: &[
            "i hope this", "i hope that", "hope this", "hope that",
        ],
        needs: &[&["help", "prompt", "works for", "useful", "meets your"]],
    },
    RemarkRule {
        cues: &[
            "this prompt is designed", "this prompt ensures", "this prompt should", "this prompt will",
            "this prompt provides", "this prompt gives", "this prompt guides", "this prompt aims",
            "this prompt includes", "this refined", "this revised", "this improved", "this optimized",
            "dieser prompt", "ce prompt", "este prompt", "questo prompt",
        ],
        needs: &[&["prompt", "version"]],
    },
    RemarkRule {
        cues: &[
            "if you'd like", "if you would like", "if you want", "if you need", "if there's anything",
            "if there is anything", "wenn du mochtest", "wenn sie mochten", "falls du", "falls sie",
            "si vous souhaitez", "si vous voulez", "si tu veux", "si quieres", "si necesitas", "se vuoi", "se quiser",
            "если нужно", "если хотите", "如果需要", "如果您", "如果你", "如需", "必要であれば", "必要に応じて", "ご希望", "もし", "필요하시면", "원하시면",
        ],
        needs: &[OFFERS, CHANGES],
    },
    RemarkRule {
        cues: &[
            "lass mich wissen", "lassen sie mich", "sag mir", "gib mir bescheid", "geben sie mir bescheid",
            "gerne kann ich", "ich hoffe", "mochtest du, dass ich", "mochten sie, dass ich", "n'hesite", "j'espere",
            "souhaitez-vous que je", "veux-tu que je", "voulez-vous que je", "dites-moi", "dis-moi", "espero que",
            "avisame", "hazme saber", "dejame saber", "quieres que", "fammi sapere", "spero che", "vuoi che",
            "me avise", "avise-me", "gostaria que", "laat me weten", "laat het me", "hopelijk", "daj znac",
            "mam nadzieje", "даи знать", "даите знать", "надеюсь", "хотите", "希望这", "请告诉我", "需要我",
        ],
        needs: &[CHANGES],
    },
];

/// Words for changing the prompt, or for having been helpful.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "adjust", "tweak", "refin", "revis", "modif", "chang", "customi", "tailor", "another version",
    "different version", "variation", "anything else", "further assist", "further help", "shorter", "longer",
    "prompt", "help", "anpass", "ander", "uberarbeit", "verfein", "hilf", "ajust", "affin", "aide", "ayud", "cambi",
    "adatt", "ajuda", "aanpas", "промпт", "измен", "доработ", "коррек", "помо", "调整", "修改", "提示词", "优化", "帮助", "調整",
    "修正", "変更", "プロンプト", "수정", "조정", "변경", "프롬프트", "도움",
];

/// Words by which the model offers something.
#[rustfmt::skip]
const OFFERS: &[&str] = &[
    "i can", "i could", "i'll", "i will", "i'd be", "i am happy", "i'm happy", "let me know", "just ask", "tell me",
    "kann ich", "lass mich", "sag ", "bescheid", "je peux", "dites", "dis-moi", "puedo", "avisa", "posso", "fammi",
    "avise", "я могу", "могу", "даи", "даите", "告诉我", "告訴我", "我可以", "随时", "お知らせ", "ください", "말씀", "알려",
];

/// How a commentary after a fenced prompt begins.
#[rustfmt::skip]
const COMMENTARY_CUES: &[&str] = &[
    "why this", "explanation", "notes", "note:", "key improvements", "key changes", "key features", "changes made",
    "what changed", "what i changed", "improvements", "rationale", "how to use", "usage", "tips", "this prompt",
    "this version", "warum", "erklarung", "hinweis", "anderungen", "explication", "pourquoi", "explicacion",
    "por que", "spiegazione", "说明", "説明", "解説", "пояснение",
];

/// Folds the text and strips the marks that decorate its ends.
fn bare(text: &str) -> String {
    visit(text.len());
    let folded = fold(text);
    let is_end_mark = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '"' | '`' | '\'');
    folded.trim_start_matches(is_folded_mark).trim_end_matches(is_end_mark).to_owned()
}

/// True for a text of more characters than `most`.
fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().nth(most).is_some()
}

/// True for decoration at the beginning of a line, in folded text.
fn is_folded_mark(c: char) -> bool {
    c.is_whitespace() || (!c.is_alphanumeric() && !matches!(c, '<' | '{' | '[' | '(' | '/' | '@' | '$'))
}

/// True for decoration at the beginning of a line.
pub(super) fn is_leading_mark(c: char) -> bool {
    if c.is_ascii() { is_folded_mark(c) } else { fold(c.encode_utf8(&mut [0; 4])).chars().all(is_folded_mark) }
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// True if `text` begins with one of `cues`, or is a prefix of one.
fn could_begin_with(text: &str, cues: &[&str]) -> bool {
    cues.iter().any(|cue| cue.starts_with(text) || text.starts_with(cue))
}

/// True for a line that announces or labels the prompt, or only assents.
pub(super) fn is_preamble(line: &str) -> bool {
    if is_longer(line, LONGEST_PREAMBLE) {
        return false;
    }
    let line = bare(line);
    let (assents, rest) = strip_openers(&line);
    if rest.is_empty() {
        return assents;
    }
    is_label(rest) || is_introduction(rest, assents)
}

/// True while a line with this prefix can still be a preamble.
pub(super) fn could_be_preamble(prefix: &str) -> bool {
    if is_longer(prefix, LONGEST_PREAMBLE) {
        return false;
    }
    let prefix = bare(prefix);
    let (_, rest) = strip_openers(&prefix);
    let could_be_opener = |text: &str| OPENERS.iter().any(|opener| opener.starts_with(text));
    could_be_opener(&prefix) || could_be_opener(rest) || could_begin_with(rest, INTRODUCERS) || could_be_label(rest)
}

/// True if the text up to the first colon announces the prompt that follows on the line.
pub(super) fn is_inline_preamble(up_to_colon: &str) -> bool {
    let bare = bare(up_to_colon);
    is_preamble(up_to_colon) && (bare.contains(' ') || !bare.is_ascii())
}

/// Strips leading words of assent; returns whether there were any.
fn strip_openers(line: &str) -> (bool, &str) {
    let mut rest = line;
    let mut found = false;
    'openers: loop {
        for opener in OPENERS {
            if let Some(after) = rest.strip_prefix(opener) {
                let ends_word = !opener.is_ascii() || !after.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
                if ends_word {
                    rest = after.trim_start_matches(|c: char| !c.is_alphanumeric());
                    found = true;
                    continue 'openers;
                }
            }
        }
        return (found, rest);
    }
}

/// True for a line that announces a finished prompt. Loose names need words of assent before them.
fn is_introduction(line: &str, assents: bool) -> bool {
    if !INTRODUCERS.iter().any(|introducer| line.starts_with(introducer)) || speaks_of_material(line) {
        return false;
    }
    let names_prompt = has_any(line, PROMPT_NOUNS);
    let is_finished = assents || has_any(line, FINISHED);
    if line.ends_with(':') {
        let points_at_it = has_any(line, DEFINITE) || !line.is_ascii();
        return names_prompt && (is_finished || points_at_it) || assents && has_any(line, LOOSE_NOUNS);
    }
    let is_one_sentence = line.ends_with(['.', '!', '。']) && !line.contains(". ");
    is_one_sentence && names_prompt && is_finished
}

/// True if the prompt is the material of a task: "Here is the prompt to improve:".
fn speaks_of_material(line: &str) -> bool {
    const AFTER: &[&str] = &["prompt to ", "prompts to ", "prompt from ", "prompt by "];
    const ANYWHERE: &[&str] = &[" wrote", " written by", " used by", " we use", " i use", " was ", " were "];
    (has_any(line, AFTER) && !has_any(line, FINISHED)) || (has_any(line, ANYWHERE) && !line.contains("i wrote"))
}

/// True for a line such as "Final prompt:", consisting of label words.
fn is_label(line: &str) -> bool {
    let has_colon = line.ends_with(':');
    let words: Vec<&str> = line.trim_end_matches([':', ' ']).split_whitespace().collect();
    let names_it = words.contains(&"prompt") || (words.len() > 1 && words.last() == Some(&"version"));
    names_it && (words.len() > 1 || has_colon) && words.iter().all(|word| LABEL_WORDS.contains(word))
}

fn could_be_label(prefix: &str) -> bool {
    let mut words = prefix.trim_end_matches(':').split_whitespace().peekable();
    while let Some(word) = words.next() {
        let is_known = if words.peek().is_some() || prefix.ends_with(' ') {
            LABEL_WORDS.contains(&word)
        } else {
            LABEL_WORDS.iter().any(|known| known.starts_with(word))
        };
        if !is_known {
            return false;
        }
    }
    true
}

/// True for a paragraph in which the model offers changes or praises its work.
pub(super) fn is_remark(paragraph: &str) -> bool {
    if is_longer(paragraph, LONGEST_REMARK) {
        return false;
    }
    let text = bare(paragraph);
    let fits = |rule: &RemarkRule| {
        rule.cues.iter().any(|cue| text.starts_with(cue)) && rule.needs.iter().all(|group| has_any(&text, group))
    };
    REMARK_RULES.iter().any(fits)
}

/// True for a line that begins like a remark.
pub(super) fn begins_remark(line: &str) -> bool {
    let line = bare(line);
    REMARK_RULES.iter().flat_map(|rule| rule.cues).any(|cue| line.starts_with(cue))
}

/// True while a line with this prefix can still begin a remark.
pub(super) fn could_begin_remark(prefix: &str) -> bool {
    let prefix = bare(prefix);
    REMARK_RULES.iter().any(|rule| could_begin_with(&prefix, rule.cues))
}

/// True for a line that begins a commentary on the prompt before it.
pub(super) fn is_commentary(line: &str) -> bool {
    let line = bare(line);
    COMMENTARY_CUES.iter().any(|cue| line.starts_with(cue))
}

/// True while a line with this prefix can still begin a commentary.
pub(super) fn could_begin_commentary(prefix: &str) -> bool {
    could_begin_with(&bare(prefix), COMMENTARY_CUES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_folded() {
        let lists = [OPENERS, INTRODUCERS, PROMPT_NOUNS, LOOSE_NOUNS, FINISHED, LABEL_WORDS, COMMENTARY_CUES];
        let remarks = REMARK_RULES.iter().flat_map(|rule| rule.needs.iter().copied().chain([rule.cues]));
        for entry in lists.into_iter().chain(remarks).flatten() {
            assert_eq!(fold(entry), *entry);
        }
    }

    #[test]
    fn announcements_of_the_prompt_are_preambles() {
        for line in [
            "Sure!",
            "Certainly. Here is your prompt:",
            "Here is the refined prompt:",
            "Here's a polished prompt you can use:",
            "**Here is your optimized prompt:**",
            "Sure! Here are the instructions:",
            "Here is your finished prompt.",
            "### Final Prompt",
            "**Prompt:**",
            "Hier ist dein Prompt:",
            "Gerne! Hier ist der fertige Prompt:",
            "Bien sûr ! Voici votre prompt :",
            "¡Claro! Aquí tienes el prompt:",
            "Ecco il prompt ottimizzato:",
            "Конечно! Вот ваш промпт:",
            "好的，以下是优化后的提示词：",
            "もちろんです。以下が最終的なプロンプトです：",
        ] {
            assert!(is_preamble(line), "{line}");
            for (end, _) in line.char_indices() {
                assert!(could_be_preamble(&line[..end]), "{} of {line}", &line[..end]);
            }
        }
    }

    #[test]
    fn beginnings_of_real_prompts_are_not() {
        for line in [
            "Here is the context you need:",
            "Here is the prompt to improve:",
            "Below is a prompt that a user wrote:",
            "Here is the prompt your colleague wrote:",
            "Here is the complete text:",
            "Here is the final draft:",
            "Here are three reviews:",
            "This is a prompt injection test.",
            "You are an expert in Rust.",
            "Write a prompt for a painter:",
            "Prompt engineering is the subject of this course.",
            "# Prompt",
            "The final version of the report is due on Friday.",
            "Sure-footed goats: write a poem about them.",
            "Great prompts need great goals.",
            "I have a list of numbers:",
            "Okay Corral, the film: summarise its plot.",
        ] {
            assert!(!is_preamble(line), "{line}");
        }
    }

    #[test]
    fn offers_to_change_the_prompt_are_remarks() {
        for text in [
            "Let me know if you'd like me to adjust the tone!",
            "*Feel free to modify this prompt as you like.*",
            "Feel free to adjust it to your needs.",
            "I hope this helps!",
            "Would you like me to make it shorter?",
            "If you want a different version, I can write one.",
            "This prompt is designed to be clear and specific.",
            "Lass mich wissen, ob ich etwas anpassen soll.",
            "N'hésitez pas à me demander de modifier le prompt.",
            "Avísame si quieres que lo ajuste.",
            "Дайте знать, если нужно что-то изменить.",
            "如果需要调整，请告诉我。",
        ] {
            assert!(is_remark(text), "{text}");
        }
    }

    #[test]
    fn last_paragraphs_of_real_prompts_are_not() {
        for text in [
            "Let me know if anything is unclear before you begin.",
            "If you need more facts, ask for them first.",
            "Answer in French.",
            "Do not change the API.",
            "Help the reader decide.",
            "I hope to publish it in May.",
            "If you want to change the font, use a larger one.",
            "Let me know what you would change.",
            "Feel free to change the order of the steps.",
            "Should I change jobs?",
            "This version should compile on Rust 1.70.",
        ] {
            assert!(!is_remark(text), "{text}");
        }
    }
}
