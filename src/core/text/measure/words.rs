//! Word lists of the measures.
//!
//! English first, then the commonest of German, French, Spanish, Italian and Portuguese. They are turned into terms
//! before use, so one form of a word stands for all that share its stem.

/// Words that carry no demand of their own.
#[rustfmt::skip]
pub(super) const STOP: &[&str] = &[
    "a", "about", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "get", "had", "has", "have", "he", "her", "hers", "him", "his", "how", "i", "if", "i'd", "i'm",
    "in", "into", "is", "it", "its", "it's", "just", "let", "like", "me", "my", "need", "of", "on", "or", "our", "please",
    "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "us", "very", "want", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "will", "with", "would", "you", "your",
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und", "oder", "ich", "mir", "mich",
    "du", "er", "sie", "es", "wir", "ihr", "ist", "sind", "fur", "mit", "von", "zu", "im", "auf", "bitte", "soll", "sollen",
    "le", "la", "les", "un", "une", "des", "du", "de", "et", "ou", "je", "tu", "il", "elle", "nous", "vous", "est", "pour",
    "avec", "dans", "sur", "que", "qui", "el", "los", "las", "una", "unos", "y", "o", "yo", "es", "para", "con", "en", "por",
    "gli", "lo", "uno", "e", "che", "per", "os", "um", "uma", "com", "no", "na",
];

/// Words and phrases that mark a clause as a constraint.
#[rustfmt::skip]
pub(super) const CONSTRAINT: &[&str] = &[
    "must", "should", "shall", "only", "exactly", "at most", "at least", "no more", "no less", "no longer", "not", "never",
    "don't", "no", "without", "avoid", "except", "unless", "maximum", "minimum", "max", "min", "limit", "under", "below",
    "above", "over", "between", "up to", "within", "before", "after", "until", "required", "forbidden", "always", "ensure",
    "keep", "format", "muss", "mussen", "soll", "nur", "genau", "hochstens", "mindestens", "maximal", "minimal", "kein",
    "keine", "nicht", "ohne", "vermeide", "doit", "seulement", "exactement", "moins", "plus", "sans", "jamais", "eviter",
    "debe", "solo", "exactamente", "sin", "nunca", "evita", "maximo", "minimo", "deve", "senza", "mai", "sem",
];

/// Names of formats and of forms of output.
#[rustfmt::skip]
pub(super) const FORMAT: &[&str] = &[
    "json", "jsonl", "yaml", "yml", "toml", "csv", "tsv", "xml", "html", "markdown", "md", "latex", "sql", "regex", "svg",
    "pdf", "table", "list", "bullet", "bullets", "haiku", "sonnet", "limerick", "email", "letter", "essay", "outline",
    "diagram", "mermaid", "diff", "patch", "tabelle", "liste", "tableau", "tabla", "lista", "tabella", "tabela",
];

/// Words with which an instruction begins.
#[rustfmt::skip]
pub(super) const IMPERATIVE: &[&str] = &[
    "act", "adapt", "add", "address", "aim", "allow", "analyse", "analyze", "answer", "apply", "arrange", "ask", "assess",
    "assume", "avoid", "base", "be", "begin", "break", "build", "calculate", "call", "check", "choose", "cite", "close",
    "combine", "compare", "complete", "compute", "confirm", "consider", "convert", "copy", "cover", "create", "define",
    "deliver", "derive", "describe", "design", "determine", "develop", "discuss", "do", "don't", "draft", "draw", "edit",
    "emphasise", "emphasize", "end", "ensure", "estimate", "evaluate", "examine", "exclude", "explain", "express", "extract",
    "fill", "find", "finish", "fix", "focus", "follow", "format", "generate", "give", "group", "handle", "highlight",
    "identify", "ignore", "illustrate", "implement", "improve", "include", "indicate", "introduce", "keep", "label", "lay",
    "lead", "leave", "limit", "list", "look", "make", "map", "mark", "match", "mention", "move", "name", "never", "note",
    "offer", "omit", "open", "order", "organise", "organize", "outline", "output", "perform", "pick", "place", "plan",
    "prefer", "prepare", "present", "preserve", "print", "produce", "propose", "prove", "provide", "put", "quote", "rank",
    "rate", "read", "recommend", "refactor", "refer", "reject", "remember", "remove", "repeat", "replace", "reply", "report",
    "resolve", "respond", "return", "review", "revise", "rewrite", "round", "run", "say", "select", "separate", "set",
    "show", "simplify", "sketch", "solve", "sort", "speak", "specify", "split", "start", "state", "stay", "stop", "structure",
    "study", "suggest", "sum", "summarise", "summarize", "support", "take", "tell", "test", "think", "trace", "translate",
    "treat", "turn", "use", "validate", "verify", "walk", "weigh", "work", "write",
    "analysiere", "antworte", "beachte", "beginne", "beschreibe", "entwickle", "erklare", "erlautere", "erstelle", "fasse",
    "formuliere", "gib", "halte", "liste", "nenne", "nutze", "plane", "prufe", "schreib", "schreibe", "stelle", "ubersetze",
    "vergleiche", "vermeide", "verwende", "zeige", "schreiben", "verwenden", "achten", "vermeiden",
    "analyse", "analysez", "compare", "comparez", "cree", "creez", "decris", "decrivez", "donne", "donnez", "ecris",
    "ecrivez", "evite", "evitez", "explique", "expliquez", "redige", "redigez", "reponds", "repondez", "utilise", "utilisez",
    "analiza", "compara", "crea", "da", "describe", "disena", "escribe", "evita", "explica", "genera", "haz", "incluye",
    "responde", "resume", "traduce", "usa", "utiliza", "analizza", "confronta", "descrivi", "evita", "fai", "genera",
    "rispondi", "scrivi", "spiega", "usa", "analise", "crie", "descreva", "escreva", "evite", "explique", "gere",
    "responda", "use",
];

/// Words that may stand before the verb of an instruction.
pub(super) const BEFORE_IMPERATIVE: &[&str] =
    &["please", "then", "first", "second", "third", "next", "finally", "also", "always", "now", "and", "bitte"];

/// Phrases that make an instruction of a sentence wherever they stand.
#[rustfmt::skip]
pub(super) const INSTRUCTING: &[&str] = &[
    "you are", "your task", "your job", "your goal", "you will", "you must", "you should", "must", "do not", "don't",
    "never", "du bist", "deine aufgabe", "sie sind", "ihre aufgabe", "muss", "tu es", "vous etes", "votre tache", "eres",
    "tu tarea", "debe", "sei", "il tuo compito",
];

/// Words that leave open what they mean.
#[rustfmt::skip]
pub(super) const VAGUE: &[&str] = &[
    "some", "several", "various", "things", "thing", "stuff", "something", "somehow", "somewhat", "maybe", "perhaps",
    "appropriate", "appropriately", "suitable", "good", "nice", "great", "better", "best", "proper", "properly",
    "adequate", "relevant", "reasonable", "fairly", "quite", "rather", "kind", "sort", "many", "few", "possibly", "etc",
    "irgendwie", "einige", "diverse", "passend", "quelque", "divers", "algo", "cosas", "qualcosa", "coisas",
];

/// Phrases that point at something outside the text.
#[rustfmt::skip]
pub(super) const UNRESOLVED: &[&str] = &[
    "as discussed", "as mentioned", "as before", "as above", "see above", "mentioned above", "mentioned earlier",
    "aforementioned", "previous conversation", "last time", "todo", "tbd", "lorem ipsum", "and so on", "insert here",
    "your name here", "wie besprochen", "siehe oben", "comme convenu", "como antes",
];

/// Phrases that say nothing.
#[rustfmt::skip]
pub(super) const FILLER: &[&str] = &[
    "please note that", "it is important to", "it is important that", "it is worth noting", "keep in mind that", "in order to",
    "make sure to", "be sure to", "feel free to", "as much as possible", "as well as", "at the end of the day",
    "when it comes to", "in terms of", "due to the fact that", "the fact that", "needless to say", "very", "really",
    "basically", "actually", "simply", "just", "literally", "highly", "extremely", "truly", "cutting edge", "state of the art",
    "world class", "best possible", "to the best of your ability", "thank you", "take a deep breath", "i want you to",
    "i would like you to", "your task is to", "your goal is to",
];

/// Words that name the output, in headings and at the beginning of sentences.
#[rustfmt::skip]
pub(super) const OUTPUT: &[&str] = &[
    "output", "output format", "format", "answer", "answer with", "respond", "response", "reply", "return", "deliver",
    "deliverable", "deliverables", "result", "print", "present", "output_format", "ausgabe", "ausgabeformat", "ergebnis", "antworte", "antwort",
    "liefere", "sortie", "format de sortie", "reponds", "repondez", "resultat", "livrable", "salida", "formato", "responde",
    "resultado", "entrega", "rispondi", "risultato", "saida", "responda", "выход", "ответ", "формат", "输出", "格式", "出力", "形式",
];

/// Words that name the task, in headings.
#[rustfmt::skip]
pub(super) const TASK: &[&str] = &[
    "task", "goal", "objective", "request", "instructions", "question", "questions", "aufgabe", "ziel", "tache", "objectif",
    "tarea", "objetivo", "compito", "obiettivo", "tarefa", "задача", "任务", "課題", "タスク",
];
