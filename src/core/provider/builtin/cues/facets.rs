//! Cue words inside a sentence: limits, tones, readers, formats, tools, times.

/// What stands before a number that is a limit.
pub(in crate::provider::builtin) static LIMIT_CUES: &str = "\
    no more than | not more than | no less than | no fewer than | no longer than | at most | at least | up to | \
    less than | fewer than | more than | under | below | over | above | within | exactly | maximum of | \
    minimum of | max | maximum | min | minimum | about | around | roughly | approximately | between | from | in | \
    höchstens | mindestens | maximal | etwa | rund | unter | über | zwischen | au maximum | au plus | au moins | \
    moins de | plus de | environ | maximum | como máximo | al menos | menos de | más de | unos | entre | не более | \
    не менее | до | около | максимум";

/// Units of length of a text.
pub(in crate::provider::builtin) static LENGTH_UNITS: &str = "\
    words | word | characters | character | chars | sentences | sentence | paragraphs | paragraph | lines | line | \
    pages | page | bullets | bullet | bullet points | items | slides | verses | stanzas | tokens | wörter | wörtern | \
    zeichen | sätze | sätzen | seiten | seite | mots | caractères | phrases | pages | palabras | caracteres | \
    frases | páginas | слов | символов | предложений | 文字 | 字 | كلمة";

/// Units of time.
pub(in crate::provider::builtin) static TIME_UNITS: &str = "\
    minutes | minute | min | hours | hour | minuten | stunden | stunde | heures | heure | minutos | horas | минут | \
    часа | 分 | 時間 | دقيقة";

/// Words before the name of a form in which something is wanted.
pub(in crate::provider::builtin) static BEFORE_FORMATS: &str = "\
    as | in | into | return | output | format | use | using | respond | answer | reply | provide | give | produce | \
    present | with | to | als | ausgabe | en | sous | como | в | виде | formatted | write | create | make | add";

/// Words of form too weak to tell what the whole answer should be.
pub(in crate::provider::builtin) static WEAK_FORMATS: &str =
    "list | sections | paragraph | paragraphs | headings | array | 表 | liste | columns | fields | one sentence";

/// Plurals that end like people and are none.
pub(in crate::provider::builtin) static NOT_PEOPLE: &str = "\
    numbers | letters | papers | computers | servers | containers | errors | colors | orders | newsletters | \
    routers | parameters | characters | factors | trees | fees | degrees | plants | restaurants | powers | towers | \
    flowers | answers | chapters | posters | folders | headers | pointers | integers | filters | sensors | \
    editors | vectors | mirrors | floors | doors | winters | summers | dinners | others | offers | matters | \
    quarters | meters | covers | corners | layers | buffers | drivers | browsers | triggers | counters | hours | \
    tours | colours | coffees | employees' fees | variants | constants | elements | trackers";

/// Words after a number that are no unit of it.
pub(in crate::provider::builtin) static NOT_UNITS: &str = "\
    and | or | the | a | an | of | in | to | for | with | is | are | was | were | has | have | had | that | which | by | on | \
    at | from | as | but | not | into | und | oder | von | der | die | das | des | dem | mit | am | im | hat | hatte | ist | \
    war | nach | bis | et | ou | de | du | le | la | les | est | avec | y | o | del | el | los | las | es | con | и | или | \
    на | в | с | до | от";

/// Words for length without a number.
pub(in crate::provider::builtin) static LENGTH_WORDS: &str = "\
    short | brief | concise | one paragraph | a paragraph | one page | one sentence | a sentence | long | \
    detailed | in depth | in-depth | kurz | kurze | kurzen | kurzer | ausführlich | court | courte | bref | corto | \
    corta | breve | короткий | короткое | кратко | 短い | 短く | 简短 | قصير | قصيرة";

/// Words for tone.
pub(in crate::provider::builtin) static TONES: &str = "\
    friendly | formal | informal | casual | professional | polite | playful | humorous | funny | witty | serious | \
    warm | empathetic | enthusiastic | confident | neutral | objective | persuasive | inspiring | sarcastic | \
    ironic | romantic | dark | melancholic | cheerful | upbeat | urgent | calm | firm | respectful | academic | \
    technical | conversational | whimsical | poetic | dramatic | sachlich | freundlich | höflich | formell | \
    förmlich | bestimmt | locker | witzig | seriös | professionell | amical | poli | formel | professionnel | \
    chaleureux | drôle | amistoso | amable | profesional | divertido | cálido | дружелюбный | дружелюбным | \
    официальный | вежливо | вежливый | деловой | смешной | 丁寧 | 礼貌 | 丁寧に | フレンドリー | 正式 | 友好 | رسمية | رسمي | ودية | مهذبة";

/// Readers a text can be for. The phrase after "for" counts when it holds one of them.
pub(in crate::provider::builtin) static READERS: &str = "\
    beginners | beginner | experts | expert | children | child | kids | kid | students | student | pupils | \
    teenagers | teens | adults | seniors | parents | teachers | developers | developer | programmers | engineers | \
    engineer | managers | manager | executives | board | ceo | cto | cfo | investors | customers | customer | \
    clients | client | users | employees | colleagues | team | boss | patients | doctors | nurses | lawyers | \
    scientists | researchers | readers | audience | general public | laypeople | layperson | non-technical | \
    newcomers | founders | designers | marketers | recruiters | recruiter | hiring manager | class | grade | \
    graders | year-olds | year olds | year-old | toddlers | freshmen | stakeholders | volunteers | people | \
    someone | friend | friends | family | mother | father | grandmother | grandma | analysts | accountants | \
    nontechnical | learners | players | tenant | tenants | lovers | fans | owners | buyers | citizens | residents | \
    guests | members | daughter | son | wife | husband | partner | landlord | nurse | teenager | adult | couples | \
    neighbours | neighbors | public | anfänger | kinder | schüler | studenten | kunden | kollegen | eltern | \
    débutants | enfants | élèves | étudiants | clients | principiantes | niños | estudiantes | clientes | детей | \
    студентов | начинающих | клиентов | 初心者 | 子供 | 学生 | 初学者 | 孩子 | 客户 | للمبتدئين | الأطفال | للأطفال";

/// What can stand between the words of a phrase about a reader and end it.
pub(in crate::provider::builtin) static CLAUSE_ENDS: &str = "\
    and then | but | so that | because | which | that | in order to | using | with | without | in a | in an | \
    as a | as an | as json | on | about | from | by | to | at | mit | ohne | und | avec | sans | con | sin | \
    under | including | explaining | describing | where | while | into";

/// Times by which something has to be done.
pub(in crate::provider::builtin) static DEADLINE_CUES: &str = "\
    by | until | before | due | no later than | deadline | bis | bis zum | spätestens | avant le | d'ici | \
    antes del | hasta el | до | к";

/// Words a date or time has.
pub(in crate::provider::builtin) static TIME_WORDS: &str = "\
    monday | tuesday | wednesday | thursday | friday | saturday | sunday | january | february | march | april | \
    may | june | july | august | september | october | november | december | today | tomorrow | tonight | \
    next week | next month | end of | noon | midnight | morning | evening | montag | dienstag | mittwoch | \
    donnerstag | freitag | samstag | sonntag | januar | februar | märz | mai | juni | juli | oktober | dezember | \
    lundi | mardi | mercredi | jeudi | vendredi | janvier | février | mars | avril | juin | juillet | août | \
    septembre | octobre | novembre | décembre | lunes | martes | miércoles | jueves | viernes | enero | febrero | \
    marzo | abril | mayo | junio | julio | agosto | septiembre | octubre | noviembre | diciembre";

/// What opens the words for a purpose.
pub(in crate::provider::builtin) static GOAL_CUES: &str = "\
    so that | in order to | the goal is | my goal is | the aim is | because | damit | um zu | afin de | pour que | \
    para que | чтобы | من أجل | ために";

/// What opens the words for a subject.
pub(in crate::provider::builtin) static SUBJECT_CUES: &str = "\
    about | on the topic of | on the subject of | regarding | concerning | über | zum thema | au sujet de | \
    à propos de | sur | sobre | acerca de | о | об | про | عن | حول";

/// What can follow a format: what it must satisfy to be usable.
pub(in crate::provider::builtin) static FORMAT_CONTRACTS: &[(&str, &str)] = &[
    ("json | jsonl", "Return valid JSON and nothing around it, so that it can be parsed as it is."),
    (
        "csv | tsv",
        "Give the rows with a header line and nothing around them, and quote values that contain the separator.",
    ),
    ("yaml | toml | xml", "Return a valid document and nothing around it, so that it can be parsed as it is."),
    ("html", "Return complete, valid markup."),
    (
        "table | tables | tabelle | tableau | tabla | таблицы | таблица | 表 | 表格 | جدول",
        "Keep each cell of the table short, and use the same kind of statement down a column.",
    ),
    (
        "bullet points | bullets | bullet list | bulleted list | stichpunkte | stichpunkten | viñetas",
        "Make every bullet a complete thought, and put the most important first.",
    ),
];

/// Parts of an answer that a sentence of our own must not ask for when the request speaks of them itself. Each entry
/// lists the forms of one part.
pub(in crate::provider::builtin) static TOUCHY: &[&str] = &[
    "comment | comments | commentary",
    "explanation | explanations | explain | explaining | explains | explained",
    "example | examples",
    "test | tests",
    "note | notes",
    "heading | headings | subheadings | headers",
    "bullet | bullets | bulleted | list",
    "table | tables",
    "title | titles",
    "rhyme | rhymes | rhyming",
    "subject line | betreff",
    "standard library | libraries | library | dependencies",
    "summary | recap",
    "recommendation | recommend",
    "risks | risk",
    "assumptions | assumption",
    "questions | question",
    "block | fenced",
    "plain text",
    "severity",
    "salutation | greeting",
];

/// What a request can settle, and the words by which a sentence of ours speaks of the same: it is then left out.
pub(in crate::provider::builtin) static SETTLED: &[(&str, &str)] = &[
    ("whole string | whole text | entire string | entire text | full match | anchored", "anchored"),
    ("javascript | python | pcre | java | rust | go | golang | perl | ruby | php | .net", "regex flavour"),
    (
        "standard library | third-party | third party | dependencies | external libraries | libraries | pandas | numpy",
        "standard library",
    ),
    ("postgresql | postgres | mysql | mariadb | sqlite | oracle | sql server | bigquery | snowflake", "dialect"),
    ("recommendation | recommend", "clear recommendation"),
    ("style nits | no style | matters of taste | nitpicks", "matters of taste"),
    ("only report | real problems", "real defects first"),
    ("null | duplicates | ties", "duplicates and ties"),
    ("legal advice | no advice | no opinion", "no outside knowledge"),
    ("plain english | plain language | simple words", "plain words"),
];
