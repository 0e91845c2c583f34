//! Word lists of the measures.
//!
//! English first, then common words of German, French, Spanish, Italian and Portuguese. They are
//! converted to terms, so one form of a word stands for all with its stem.

/// Words that make no demand.
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

/// Names of formats and kinds of output.
#[rustfmt::skip]
pub(super) const FORMAT: &[&str] = &[
    "json", "jsonl", "yaml", "yml", "toml", "csv", "tsv", "xml", "html", "markdown", "md", "latex", "sql", "regex", "svg",
    "pdf", "table", "list", "bullet", "bullets", "haiku", "sonnet", "limerick", "email", "letter", "essay", "outline",
    "diagram", "mermaid", "diff", "patch", "tabelle", "liste", "tableau", "tabla", "lista", "tabella", "tabela",
];

/// Vague words.
#[rustfmt::skip]
pub(super) const VAGUE: &[&str] = &[
    "some", "several", "various", "things", "thing", "stuff", "something", "somehow", "somewhat", "maybe", "perhaps",
    "appropriate", "appropriately", "suitable", "good", "nice", "great", "better", "best", "proper", "properly",
    "adequate", "relevant", "reasonable", "fairly", "quite", "rather", "kind", "sort", "many", "few", "possibly", "etc",
    "irgendwie", "einige", "diverse", "passend", "quelque", "divers", "algo", "cosas", "qualcosa", "coisas",
];

/// Phrases that refer to something outside the text.
#[rustfmt::skip]
pub(super) const UNRESOLVED: &[&str] = &[
    "as discussed", "as mentioned", "as before", "as above", "see above", "mentioned above", "mentioned earlier",
    "aforementioned", "previous conversation", "last time", "todo", "tbd", "lorem ipsum", "and so on", "insert here",
    "your name here", "wie besprochen", "siehe oben", "comme convenu", "como antes",
];

/// Empty phrases.
#[rustfmt::skip]
pub(super) const FILLER: &[&str] = &[
    "please note that", "it is important to", "it is important that", "it is worth noting", "keep in mind that", "in order to",
    "make sure to", "be sure to", "feel free to", "as much as possible", "as well as", "at the end of the day",
    "when it comes to", "in terms of", "due to the fact that", "the fact that", "needless to say", "very", "really",
    "basically", "actually", "simply", "just", "literally", "highly", "extremely", "truly", "cutting edge", "state of the art",
    "world class", "best possible", "to the best of your ability", "thank you", "take a deep breath", "i want you to",
    "i would like you to", "your task is to", "your goal is to",
];

/// Words and phrases that ask for missing information or state assumptions.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    "ask", "asks", "clarify", "confirm with", "assume", "assumes", "assumption", "assumptions", "placeholder", "if it is not clear",
    "frage", "fragen", "frag", "ruckfrage", "ruckfragen", "annahme", "annahmen", "nimm an", "platzhalter", "demande", "demandez",
    "demander", "hypothese", "hypotheses", "suppose", "supposez", "pregunta", "preguntas", "preguntar", "supuesto", "supuestos",
    "pergunte", "perguntas", "perguntar", "suposicao", "suposicoes", "chiedi", "chiedere", "domande", "ipotesi", "presupposto",
    "vraag", "vragen", "aanname", "aannames", "質問", "尋ね", "仮定", "提问", "询问", "假设", "اسال", "اسأل", "افترض", "افتراض",
];

/// Negating words, folded: lower case, without accents.
#[rustfmt::skip]
pub(super) const NO: &[&str] = &[
    "not", "no", "never", "without",
    "skip", "none", "nothing", "nor", "neither", "nobody", "cannot", "refrain", "except", "forbidden", "dont", "doesnt", "minus",
    "nicht", "ohne", "nie", "niemals", "weder", "weglassen", "weg", "nichts", "verzichte", "verzichten", "statt",
    "ne", "pas", "sans", "jamais", "ni", "sauf", "aucun", "aucune", "sin", "nunca", "ningun", "ninguna", "nada", "excepto",
    "nao", "sem", "nem", "nenhum", "nenhuma", "exceto", "non", "senza", "mai", "niente", "tranne",
    "niet", "geen", "zonder", "nooit", "niets", "behalve", "salvo",
];

/// Beginnings of negating words.
pub(super) const NO_STEMS: &[&str] = &[
    "kein",
    "vermeid",
    "evit",
    "nessun",
    "vermijd",
    "vermeden",
    "omett",
    "omet",
    "omit",
    "n'",
    "exclu",
    "esclu",
    "weggelassen",
    "avoid",
    "forbid",
    "forbad",
];

/// Negating phrases.
pub(super) const NO_PHRASES: &[&str] = &[
    "leave out",
    "leave off",
    "left out",
    "leaves out",
    "leaving out",
    "stay away",
    "keep out",
    "steer clear",
    "free of",
    "instead of",
    "rather than",
    "nothing but",
    "lass weg",
    "laat weg",
    "dejar fuera",
    "deja fuera",
    "laisse de cote",
];

/// Negations in unspaced scripts, and in Arabic.
#[rustfmt::skip]
pub(super) const NO_UNSPACED: &[&str] = &[
    "不", "没", "無", "无", "勿", "别", "避免", "禁止", "ない", "ません", "なし", "ずに", "避け", "しな", "控え", "لا ", "بدون", "دون",
    "ليس", "لم ", "لن ", "تجنب", "من غير", "عدم",
];

/// Phrases before a number that make it an upper bound.
#[rustfmt::skip]
pub(super) const MOST_BEFORE: &[&str] = &[
    "at most", "up to", "max", "maximum", "maximum of", "maximum:", "max.", "max:", "within", "limit of", "limit:", "capped at", "hochstens",
    "maximal", "bis zu", "au plus", "au maximum", "jusqu'a", "maximo", "como maximo", "hasta", "no maximo", "ate", "massimo", "al massimo",
    "fino a", "hoogstens", "maximaal", "最多", "最大", "最長", "بحد اقصى", "بحد أقصى",
];

/// The same after the number.
#[rustfmt::skip]
pub(super) const MOST_AFTER: &[&str] = &[
    "or fewer", "or less", "at most", "maximum", "at the most", "max", "tops", "or under", "oder weniger", "hochstens", "ou moins",
    "au plus", "au maximum", "o menos", "como maximo", "ou menos", "no maximo", "o meno", "al massimo", "of minder", "以内", "以下", "まで",
    "كحد اقصى", "كحد أقصى", "على الاكثر", "على الأكثر",
];

/// Phrases before a number that make it a lower bound.
#[rustfmt::skip]
pub(super) const LEAST_BEFORE: &[&str] = &[
    "at least", "minimum", "minimum of", "min", "min.", "mindestens", "wenigstens", "au moins", "al menos", "como minimo",
    "por lo menos", "pelo menos", "no minimo", "almeno", "minimo", "minstens", "ten minste", "至少", "少なくとも", "على الاقل", "على الأقل",
];

/// The same after the number.
#[rustfmt::skip]
pub(super) const LEAST_AFTER: &[&str] = &[
    "or more", "at least", "minimum", "at minimum", "or longer", "oder mehr", "mindestens", "ou plus", "au moins", "o mas",
    "como minimo", "ou mais", "no minimo", "o piu", "almeno", "of meer", "以上", "على الاقل", "على الأقل",
];

/// Words near numbers that are not what is counted.
#[rustfmt::skip]
pub(super) const AROUND_NUMBERS: &[&str] = &[
    "at", "most", "least", "more", "less", "fewer", "than", "under", "over", "above", "below", "max", "min", "maximum", "minimum",
    "up", "about", "around", "roughly", "exactly", "only", "between", "within", "every", "each", "limit", "or", "and", "not",
    "hochstens", "mindestens", "maximal", "etwa", "rund", "genau", "bis", "zu", "nur", "oder", "mehr", "als", "weniger", "unter",
    "uber", "au", "plus", "moins", "environ", "exactement", "maximo", "minimo", "mas", "menos", "hasta", "unos", "exactamente",
    "mais", "ate", "cerca", "piu", "meno", "circa", "esattamente", "fino", "maximaal", "minstens", "ongeveer", "precies", "meer",
    "minder", "dan", "of",
];

/// Number words; one is left out, as it is an article in most languages.
#[rustfmt::skip]
pub(super) const NUMBERS: &[(u32, &[&str])] = &[
    (2, &["two", "zwei", "deux", "dos", "dois", "duas", "twee"]),
    (3, &["three", "drei", "trois", "tres", "tre", "drie"]),
    (4, &["four", "vier", "quatre", "cuatro", "quatro", "quattro"]),
    (5, &["five", "funf", "cinq", "cinco", "cinque", "vijf"]),
    (6, &["six", "sechs", "seis", "sei", "zes"]),
    (7, &["seven", "sieben", "sept", "siete", "sete", "sette", "zeven"]),
    (8, &["eight", "acht", "huit", "ocho", "oito"]),
    (9, &["nine", "neun", "neuf", "nueve", "nove", "negen"]),
    (10, &["ten", "zehn", "dix", "diez", "dez", "dieci", "tien"]),
    (11, &["eleven", "onze", "undici"]),
    (12, &["twelve", "dozen", "zwolf", "douze", "doce", "doze", "dodici", "twaalf"]),
    (13, &["thirteen", "dreizehn", "treize", "trece", "treze", "tredici", "dertien"]),
    (14, &["fourteen", "vierzehn", "quatorze", "catorce", "quattordici", "veertien"]),
    (15, &["fifteen", "funfzehn", "quinze", "quindici", "vijftien"]),
    (16, &["sixteen", "sechzehn", "dieciseis", "dezesseis", "sedici", "zestien"]),
    (17, &["seventeen", "siebzehn", "diecisiete", "diciassette", "zeventien"]),
    (18, &["eighteen", "achtzehn", "dieciocho", "dezoito", "diciotto", "achttien"]),
    (19, &["nineteen", "neunzehn", "diecinueve", "diciannove", "negentien"]),
    (20, &["twenty", "zwanzig", "vingt", "veinte", "vinte", "venti", "twintig"]),
    (30, &["thirty", "dreissig", "trente", "treinta", "trinta", "trenta", "dertig"]),
    (40, &["forty", "vierzig", "quarante", "cuarenta", "quarenta", "quaranta", "veertig"]),
    (50, &["fifty", "funfzig", "cinquante", "cincuenta", "cinquenta", "cinquanta", "vijftig"]),
    (60, &["sixty", "sechzig", "soixante", "sesenta", "sessenta", "sessanta", "zestig"]),
    (70, &["seventy", "siebzig", "setenta", "settanta", "zeventig"]),
    (80, &["eighty", "achtzig", "ochenta", "oitenta", "ottanta", "tachtig"]),
    (90, &["ninety", "neunzig", "noventa", "novanta", "negentig"]),
    (100, &["hundred", "hundert", "einhundert", "cent", "cien", "cem", "cento", "honderd"]),
    (200, &["zweihundert", "doscientos", "doscientas", "duzentos", "duzentas", "duecento", "tweehonderd"]),
    (300, &["dreihundert", "trescientos", "trescientas", "trezentos", "trezentas", "trecento", "driehonderd"]),
    (1000, &["thousand", "tausend", "mille", "mil", "duizend"]),
];

/// Phrases for per cent.
pub(super) const PERCENT: &[&str] = &["per cent", "pour cent", "por ciento", "por cento", "per cento"];

/// The digits and scales of Chinese and Japanese numbers.
pub(super) const HAN_DIGITS: &str = "〇一二三四五六七八九";

/// Counted units.
pub(super) const HAN_COUNTED: &str = "时時字分秒日天月年元円人名個个か条點点位岁歳歲周週页頁枚段句行本曲只つ章步次回度";

/// Spellings of what is counted.
#[rustfmt::skip]
pub(super) const UNITS: &[(&str, &[&str])] = &[
    ("km", &["km", "kilometre", "kilometres", "kilometer", "kilometers", "kilometern", "公里", "キロ", "千米", "kilometro", "kilometros", "quilometro", "quilometros", "chilometro", "chilometri"]),
    ("m", &["m", "metre", "metres", "meter", "meters", "metern", "metro", "metros", "metri"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters", "zentimeter"]),
    ("mm", &["mm", "millimetre", "millimetres", "millimeter"]),
    ("kg", &["kg", "公斤", "千克", "كغ", "كيلو", "kilo", "kilos", "kilogram", "kilograms", "kilogramm", "kilogramme", "kilogrammes"]),
    ("g", &["g", "gram", "grams", "gramm", "gramme", "grammes", "gramos", "gramas", "grammi"]),
    ("l", &["l", "litre", "litres", "liter", "liters", "litern", "litro", "litros", "litri"]),
    ("ml", &["ml", "毫升", "ミリリットル", "مل", "مليلتر", "millilitre", "millilitres", "milliliter"]),
    ("min", &["min", "mins", "min.", "minute", "minutes", "minuten", "minuto", "minutos", "minuti", "minuut", "分", "分钟", "分間"]),
    ("h", &["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heure", "heures", "hora", "horas", "ora", "ore", "uur", "小时", "時間"]),
    ("s", &["s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "seconde", "secondes", "segundo", "segundos", "secondo", "secondi", "秒"]),
    ("ms", &["ms", "millisecond", "milliseconds"]),
    ("%", &["%", "percent", "percentage", "prozent", "procent", "％"]),
    ("$", &["$", "usd", "美元", "ドル", "dollar", "dollars"]),
    ("€", &["€", "eur", "欧元", "ユーロ", "euro", "euros"]),
    ("£", &["£", "gbp", "pound", "pounds"]),
    ("°", &["°", "°c", "c", "degree", "degrees", "grad", "degres", "grados", "graus", "gradi", "graden"]),
    ("day", &["day", "days", "d", "tag", "tage", "tagen", "jour", "jours", "dia", "dias", "giorno", "giorni", "dag", "dagen", "日", "天"]),
    ("week", &["week", "weeks", "wk", "wks", "woche", "wochen", "sem", "semana", "semanas", "semaine", "semaines", "settimana", "settimane", "weken", "周"]),
    ("month", &["month", "months", "monat", "monate", "monaten", "mois", "mes", "meses", "mese", "mesi", "maand", "maanden", "月"]),
    ("year", &["year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "an", "ans", "annee", "annees", "ano", "anos", "anno", "anni", "jaar", "年"]),
    ("word", &["word", "words", "wort", "worter", "wortern", "mot", "mots", "palabra", "palabras", "palavra", "palavras", "parola", "parole", "woord", "woorden", "词", "語"]),
    ("px", &["px", "pixel", "pixels", "pixeln"]),
    ("dpi", &["dpi", "dots"]),
    ("page", &["page", "pages", "pp", "pg", "seite", "seiten", "pagina", "paginas", "pagine", "页", "ページ"]),
    ("mb", &["mb", "megabyte", "megabytes"]),
    ("gb", &["gb", "gigabyte", "gigabytes"]),
    ("kb", &["kb", "kilobyte", "kilobytes"]),
];

/// "More than" before a number; negated, it is an upper bound.
#[rustfmt::skip]
pub(super) const MORE: &[&str] = &[
    "more than", "longer than", "over", "above", "exceed", "exceeding", "later than", "mehr als", "langer als", "uber", "plus de", "mas de",
    "pasar de", "superar", "mais de", "mais que", "piu di", "meer dan", "langer dan", "超过", "多于", "超え", "تزيد على", "تزيد عن", "يزيد على",
    "يزيد عن", "تتجاوز", "يتجاوز", "اكثر من", "أكثر من", "depasser", "ultrapassar", "superare", "uberschreiten",
];

/// "Less than" before a number; negated, it is a lower bound.
#[rustfmt::skip]
pub(super) const LESS: &[&str] = &[
    "less than", "fewer than", "under", "below", "shorter than", "weniger als", "unter", "kurzer als", "moins de", "menos de", "menos que",
    "meno di", "minder dan", "onder", "少于", "下回", "未満", "تقل عن", "يقل عن", "اقل من", "أقل من", "sous",
];
