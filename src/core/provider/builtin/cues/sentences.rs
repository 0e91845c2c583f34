//! Cue words that tell what a sentence of a request is for.

/// Courtesies before the request proper; they are taken off. In the order in which they are tried.
pub(in crate::provider::builtin) static POLITE_BEGINNINGS: &str = "\
    hello, | hello! | hello. | hi, | hi! | hi there, | hi there! | hey, | hey! | dear ai, | ok, | okay, | so, | \
    well, | good morning, | good morning! | please can you | please could you | could you please | can you please | \
    would you please | would you kindly | could you kindly | would you mind | can you | could you | would you | \
    will you | please | kindly | i want you to | i need you to | i would like you to | i'd like you to | \
    your task is to | your job is to | help me to | help me | i want to | i'd like to | i would like to | \
    i need to | we need to | we want to | let's | bitte | hallo, | hallo! | guten tag, | s'il te plaît, | \
    s'il vous plaît, | peux-tu | pouvez-vous | pourrais-tu | bonjour, | por favor, | por favor | puedes | podrías | \
    hola, | пожалуйста, | пожалуйста | من فضلك | 请 | 請";

/// Sentences that are nothing but courtesy, without their closing mark; they are left out.
pub(in crate::provider::builtin) static COURTESIES: &str = "\
    thanks | thank you | thank you very much | many thanks | thanks in advance | thank you in advance | \
    thanks a lot | thx | ty | cheers | hi | hello | hey | hi there | hello there | good morning | good evening | \
    please | please help | help | i hope you can help | best regards | kind regards | regards | danke | \
    vielen dank | danke im voraus | hallo | guten tag | merci | merci beaucoup | merci d'avance | bonjour | \
    gracias | muchas gracias | hola | спасибо | привет | здравствуйте | ありがとうございます | よろしくお願いします | 谢谢 | شكرا | \
    شكراً | 감사합니다";

/// Verbs that open a request for a piece of work.
pub(in crate::provider::builtin) static REQUEST_VERBS: &str = "\
    write | create | make | generate | build | draft | compose | produce | prepare | develop | design | implement | \
    code | program | plan | outline | summarize | summarise | condense | sum up | translate | explain | describe | \
    teach | define | analyze | analyse | compare | contrast | evaluate | assess | review | critique | rewrite | \
    rephrase | paraphrase | proofread | edit | polish | shorten | simplify | correct | fix | debug | refactor | \
    optimize | optimise | improve | find | list | suggest | propose | recommend | brainstorm | come up with | \
    think of | invent | imagine | extract | classify | categorize | categorise | label | identify | convert | \
    transform | calculate | compute | solve | prove | derive | show | tell | give | help | research | investigate | \
    schedule | organize | organise | draw | paint | illustrate | act as | pretend | play | simulate | answer | \
    respond | check | test | estimate | forecast | visualize | visualise | plot | rank | rate | score | sort | \
    group | clean | merge | split | migrate | deploy | set up | configure | document | turn | determine | decide | \
    choose | reply | predict | discuss | schreibe | schreib | erstelle | erstell | verfasse | erkläre | erklär | \
    übersetze | fasse | fass | vergleiche | analysiere | plane | entwickle | mach | mache | gib | formuliere | \
    überarbeite | prüfe | écris | écrivez | rédige | rédigez | crée | explique | traduis | résume | compare | \
    analyse | propose | donne | génère | corrige | escribe | redacta | crea | explica | traduce | resume | \
    compara | analiza | propón | genera | haz | dame | corrige | напиши | напишите | создай | объясни | переведи | \
    сравни | составь | сделай | придумай | проанализируй | опиши | اكتب | أنشئ | اشرح | ترجم | لخص | قارن | 写 | \
    写一 | 帮我写 | 翻译 | 解释 | 生成 | 创建";

/// Ways to ask for a thing rather than for an action: "I need a letter".
pub(in crate::provider::builtin) static WANT_BEGINNINGS: &str = "\
    i need | i want | i'd like | i would like | we need | we want | i'm looking for | i am looking for | \
    looking for | need | want";

/// Verbs and phrases that open an instruction about how, not what.
pub(in crate::provider::builtin) static MANNER_BEGINNINGS: &str = "\
    ne | cover | use | using | include | keep | make sure | ensure | be sure | be | limit | stick to | stay | focus | mention | \
    do not | don't | dont | never | avoid | no | not | without | only | always | must | should | add | follow | \
    assume | consider | start | begin | end | finish | remember | note that | leave out | skip | omit | exclude | \
    prefer | try to | address | cite | mark | ignore | treat | highlight | refer | sign | verwende | benutze | \
    achte | vermeide | keine | kein | nicht | nur | halte | erwähne | utilise | évite | n'utilise | pas de | sans | \
    usa | evita | no uses | sin | solo | используй | не | без | только | избегай | 不要 | 请勿 | 只 | 必须 | لا | بدون | \
    استخدم";

/// Words that make a sentence a constraint.
pub(in crate::provider::builtin) static CONSTRAINT_CUES: &str = "\
    must | should | shall | has to | have to | needs to | need to be | needs | is required | are required | \
    required | mandatory | only | at most | at least | no more than | no less than | no longer than | \
    no fewer than | up to | maximum | minimum | max | within | exactly | under | without | cannot | can't | \
    must not | mustn't | should not | shouldn't | may not | not allowed | never | always | do not | don't | avoid | \
    limit | limited to | is important | important | ideally | preferably | deadline | budget | constraint | \
    constraints | restricted | muss | müssen | soll | sollen | sollte | darf | dürfen | höchstens | mindestens | \
    maximal | nur | ohne | nicht | keine | kein | wichtig | bis zum | innerhalb | doit | doivent | faut | \
    au maximum | au plus | au moins | sans | seulement | uniquement | ne pas | debe | deben | tiene que | \
    como máximo | máximo | al menos | solo | sólo | sin | должен | должна | должно | должны | нельзя | только | \
    без | не более | не менее | максимум | 必须 | 不要 | 不得 | 至少 | 最多 | 以内 | ないでください | ください | 必要 | 以下 | 以上 | يجب | بدون | \
    فقط | لا تزيد | على الأكثر | على الأقل";

/// Those of them that leave no doubt.
pub(in crate::provider::builtin) static STRONG_CUES: &str = "\
    must | should | shall | has to | have to | needs to | need to be | at most | at least | no more than | \
    no less than | no longer than | maximum | minimum | max | exactly | required | mandatory | must not | \
    should not | may not | not allowed | cannot be | muss | müssen | soll | sollen | sollte | darf | dürfen | \
    höchstens | mindestens | doit | doivent | faut | au maximum | au moins | debe | deben | como máximo | \
    al menos | должен | должна | должно | должны | нельзя | не более | 必须 | 不得 | ください | يجب";

/// Beginnings of sentences that tell rather than demand.
pub(in crate::provider::builtin) static TOLD_BEGINNINGS: &str = "\
    i | i'm | i've | my | we | we're | our | there | it happens | it only happens | it works | it fails | \
    it crashes | they | he | she | ich | mein | meine | wir | unser | unsere | je | j'ai | mon | ma | nous | notre | \
    mi | yo | nuestro | nuestra | tengo | я | мой | моя | мы | наш | 私 | 我 | 我们 | أنا | نحن";

/// Beginnings of orders about the answer itself.
pub(in crate::provider::builtin) static ANSWER_BEGINNINGS: &str = "\
    return | respond | reply with | answer | output | format | present | give | provide | deliver | structure | \
    show | list | antworte | gib | réponds | donne | responde | devuelve | ответь | 出力 | 回答";

/// Verbs that prohibit.
pub(in crate::provider::builtin) static PROHIBITING_VERBS: &str = "\
    must not | mustn't | should not | shouldn't | may not | nobody may | not allowed | do not | don't | never | \
    darf nicht | dürfen nicht | ne doit pas | no debe | нельзя | 不要 | 不得 | ないでください";

/// Words that make a constraint a prohibition.
pub(in crate::provider::builtin) static PROHIBITION_CUES: &str = "\
    ne | do not | don't | dont | never | avoid | no | without | must not | mustn't | should not | shouldn't | cannot | \
    can't | may not | not allowed | leave out | skip | omit | exclude | refrain | instead of inventing | nicht | \
    keine | kein | keinen | ohne | vermeide | niemals | ne pas | n'utilise | pas de | sans | évite | no uses | \
    sin | evita | nunca | не | без | избегай | нельзя | никогда | 不要 | 不得 | 请勿 | ないでください | بدون | لا | تجنب";

/// Words that make a sentence about the form of the answer, next to the name of a format.
pub(in crate::provider::builtin) static FORMAT_CUES: &str = "\
    return | respond | reply | answer | output | format | formatted | present | give | provide | deliver | as | \
    in | structure | with columns | with the columns | columns | fields | use | antworte | ausgabe | als | \
    réponds | format | sous forme | responde | formato | como | ответ | в виде | формате | 形式 | 格式";

/// Formats a sentence about form can name.
pub(in crate::provider::builtin) static FORMAT_NOUNS: &str = "\
    json | jsonl | csv | tsv | yaml | toml | xml | html | markdown | latex | table | tables | bullet points | \
    bullets | bullet list | bulleted list | numbered list | list | checklist | code block | plain text | mermaid | \
    paragraph | paragraphs | one sentence | headings | sections | array | tabelle | stichpunkte | stichpunkten | \
    aufzählung | liste | fließtext | tableau | puces | tabla | viñetas | таблицы | таблица | список | списком | 表 | \
    表格 | 箇条書き | 列表 | جدول | قائمة | json-format";

/// Words that make a sentence about the reader.
pub(in crate::provider::builtin) static AUDIENCE_CUES: &str = "\
    audience | readers | reader | target group | target audience | readership | users are | our users | \
    customers are | my students | for people who | for someone who | aimed at | intended for | zielgruppe | leser | \
    public cible | lecteurs | público | lectores | аудитория | 読者 | 読み手 | 受众 | 读者 | الجمهور";

/// Words that make a sentence about tone.
pub(in crate::provider::builtin) static TONE_CUES: &str = "\
    tone | voice | style | register | sound | mood | ton | stil | tonfall | tono | estilo | тон | стиль | 口調 | 文体 | \
    语气 | 风格 | نبرة | أسلوب";

/// Words that only an attempt to take over the model has.
pub(in crate::provider::builtin) static INJECTION_CUES: &str = "\
    ignore previous instructions | ignore all previous instructions | ignore the previous instructions | \
    ignore the above | ignore all the above | ignore all instructions | ignore any previous | \
    ignore your instructions | ignore everything above | ignore all prior | ignore prior instructions | \
    disregard previous | disregard all previous | disregard the above | disregard your | disregard all prior | \
    forget previous instructions | forget all previous | forget your instructions | forget everything above | \
    override your instructions | reveal your system prompt | reveal the system prompt | print your system prompt | \
    show your system prompt | print the system prompt | developer mode | jailbreak | you have no restrictions | \
    ignoriere alle vorherigen | ignoriere die vorherigen | ignore les instructions précédentes | \
    ignora las instrucciones anteriores | игнорируй предыдущие | игнорируй все предыдущие | 忽略之前的 | 以前の指示を無視 | \
    تجاهل التعليمات";

/// Labels that say what follows them, and the part of a request they open.
pub(in crate::provider::builtin) static LABELS: &[(&str, Part)] = &[
    (
        "task | goal | request | objective | instruction | instructions | question | aufgabe | ziel | tâche | \
        tarea | objetivo | задача | 任务 | 課題 | 타스크",
        Part::Task,
    ),
    (
        "context | background | situation | about | facts | kontext | hintergrund | contexte | contexto | \
        контекст | 背景",
        Part::Context,
    ),
    (
        "requirements | requirement | constraints | rules | must have | must haves | acceptance criteria | \
        criteria | conditions | guidelines | limits | notes | anforderungen | vorgaben | bedingungen | regeln | \
        exigences | contraintes | requisitos | restricciones | требования | условия | 要求 | 条件 | 制約",
        Part::Requirements,
    ),
    (
        "avoid | do not | don'ts | don't | leave out | out of scope | non-goals | not included | vermeiden | \
        à éviter | evitar | избегать",
        Part::Avoid,
    ),
    (
        "format | output | output format | response format | deliverable | deliverables | columns | fields | \
        ausgabe | ausgabeformat | formato | format de sortie | формат | 出力形式 | 格式",
        Part::Format,
    ),
    (
        "audience | readers | reader | tone | style | voice | length | language | deadline | budget | zielgruppe | ton | public | tono | аудитория | тон",
        Part::Requirements,
    ),
];

/// Labels and endings after which the material to work on follows.
pub(in crate::provider::builtin) static MATERIAL_LEADS: &str = "\
    text | the text | following | below | this | these | here | here is | here's | here are | input | data | \
    email | the email | message | notes | transcript | article | review | document | code | diff | error | log | \
    logs | trace | schema | source | original | content | quote | sentence | paragraph | passage | story | letter | \
    report | table | output | sample | query | function | class | config | folgenden text | folgende | folgender | \
    hier | suivant | suivante | ci-dessous | siguiente | texto | следующий | следующее | текст | ниже | 以下 | 下記 | \
    下面 | 如下 | التالي | التالية | النص";

/// Words by which a request points at a text after it.
pub(in crate::provider::builtin) static POINTS_BELOW: &str = "\
    below | following | here is | here's | here are | the text that follows | folgenden | folgende | folgender | unten | suivant | suivante | \
    ci-dessous | siguiente | abajo | следующий | следующее | следующую | ниже | 以下 | 下記 | 次の | 下面 | التالي | \
    التالية | أدناه";

/// Words by which a request points at a text before it.
pub(in crate::provider::builtin) static POINTS_ABOVE: &str = "\
    above | these notes | preceding | oben | obigen | ci-dessus | précédent | anterior | arriba | выше | 上記 | 上面 | \
    以上 | أعلاه";

/// The parts of a request a label can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::provider::builtin) enum Part {
    /// What is to be done.
    Task,
    /// What to know for it.
    Context,
    /// What must hold.
    Requirements,
    /// What must not be.
    Avoid,
    /// The form of the answer.
    Format,
}
