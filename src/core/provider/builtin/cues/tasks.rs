//! Cue words of the task types.
//!
//! `verbs` count when the request opens with them, `nouns` wherever they stand in the request, the more the nearer to
//! its beginning: "write a blog post about Python functions" is an article, not a program.

/// The cues of one task type.
pub(in crate::provider::builtin) struct TaskCues {
    /// The name of the craft.
    pub task: &'static str,
    /// Verbs a request of this type opens with.
    pub verbs: &'static str,
    /// What such a request asks for.
    pub nouns: &'static str,
}

/// The cues of all task types that have any.
pub(in crate::provider::builtin) static TASKS: &[TaskCues] = &[
    TaskCues {
        task: "sql",
        verbs: "query",
        nouns: "sql | sql query | select statement | postgres query | mysql query | sql-abfrage | requête sql | \
            consulta sql | database query | postgresql | mysql | sqlite",
    },
    TaskCues {
        task: "regex",
        verbs: "",
        nouns: "regex | regexp | regular expression | regulärer ausdruck | regulären ausdruck | \
            expression régulière | expresión regular | 正则表达式 | 正規表現",
    },
    TaskCues {
        task: "debug",
        verbs: "debug | fix | troubleshoot | diagnose | behebe",
        nouns: "bug | stack trace | stacktrace | traceback | error message | exception | crashes | crash | \
            doesn't work | does not work | not working | fails with | throws | segfault | why does my code | \
            fehlermeldung | stürzt ab | エラー | 报错",
    },
    TaskCues {
        task: "code-review",
        verbs: "",
        nouns: "code review | review this code | review my code | review the code | review this pull request | \
            pull request | review this diff | review the diff | this diff | merge request | rust diff | \
            review the following code | review this function | this patch | code for bugs | code-review",
    },
    TaskCues {
        task: "tests",
        verbs: "test",
        nouns: "unit tests | unit test | integration tests | test cases | test suite | tests for | pytest | \
            property tests | write tests | unittests",
    },
    TaskCues {
        task: "refactor",
        verbs: "refactor | optimise this code | optimize this code | clean up this code",
        nouns: "refactor | refactoring",
    },
    TaskCues {
        task: "shell",
        verbs: "",
        nouns: "bash | shell script | bash script | shell command | command line to | one-liner | powershell | \
            cron job | bash command | terminal command | awk | shell",
    },
    TaskCues {
        task: "infrastructure",
        verbs: "deploy | provision",
        nouns: "dockerfile | docker compose | docker-compose | kubernetes manifest | kubernetes deployment | \
            helm chart | terraform | github actions | ci pipeline | nginx config | nginx configuration | \
            ansible | deployment manifest | ci workflow | systemd unit",
    },
    TaskCues {
        task: "design",
        verbs: "architect",
        nouns: "architecture | system design | database schema | data model | api design | design a system | \
            design an api | design a rest api | microservice | microservices | design a database",
    },
    TaskCues {
        task: "web",
        verbs: "",
        nouns: "landing page | web page | webpage | website for | homepage | portfolio site | html page | website with | webseite | \
            page web | página web | страницу сайта | ウェブページ | 网页",
    },
    TaskCues {
        task: "code",
        verbs: "implement | code | program | programmiere | implementiere | programme | implementa | programa",
        nouns: "function | script | program | class | module | library | endpoint | rest api | api | cli | \
            command line tool | command-line tool | web app | app | application | algorithm | parser | \
            crawler | scraper | bot | web scraper | component | react component | code | method | struct | \
            trait | decorator | middleware | plugin | extension | \
            snippet | game in | calculator | data structure | macro | formula | excel formula | funktion | excel-formel | formel | \
            skript | programm | klasse | fonction | programme | función | programa | функцию | функция | \
            программу | скрипт | 関数 | プログラム | スクリプト | コード | 函数 | 程序 | 脚本 | 代码 | 함수 | دالة | برنامج | كود",
    },
    TaskCues {
        task: "cover-letter",
        verbs: "",
        nouns: "cover letter | motivation letter | letter of motivation | job application | application letter | \
            anschreiben | bewerbung | bewerbungsschreiben | motivationsschreiben | lettre de motivation | \
            carta de presentación | resume | résumé | cv | lebenslauf | сопроводительное письмо | 求职信 | 志望動機",
    },
    TaskCues {
        task: "complaint",
        verbs: "complain",
        nouns: "complaint | complaint letter | letter of complaint | beschwerde | beschwerdebrief | reklamation | \
            beschwerdeschreiben | lettre de réclamation | réclamation | carta de reclamación | reclamación | \
            queja | жалобу | жалоба | претензию | 投诉信 | شكوى",
    },
    TaskCues {
        task: "letter",
        verbs: "",
        nouns: "letter | thank-you note | thank you note | invitation | brief an | einen brief | brief | \
            kündigung | lettre | carta | письмо | 手紙 | 信 | رسالة | 편지 | recommendation letter | resignation",
    },
    TaskCues {
        task: "email",
        verbs: "email | reply",
        nouns: "email | e-mail | mail | newsletter | reply to | follow-up | rundmail | courriel | correo | \
            correo electrónico | メール | 邮件 | 이메일 | электронное письмо | имейл | بريد",
    },
    TaskCues {
        task: "post",
        verbs: "advertise | promote",
        nouns: "tweet | social media post | linkedin post | instagram caption | caption | facebook post | \
            ad copy | advert | advertisement | slogan | tagline | headline | product description | \
            marketing copy | press release | landing page copy | marketing | anzeige | werbetext | \
            produktbeschreibung | publication linkedin | publicación | thread | post for | job ad | \
            job posting | push notification | ツイート | 广告 | пост | منشور",
    },
    TaskCues {
        task: "story",
        verbs: "tell",
        nouns: "story | short story | bedtime story | fairy tale | novel | chapter | scene | dialogue | \
            screenplay | fable | fan fiction | flash fiction | geschichte | kurzgeschichte | märchen | \
            gutenachtgeschichte | histoire | conte | cuento | historia | relato | рассказ | сказку | \
            историю | 物語 | 小説 | 故事 | 小说 | قصة | 이야기",
    },
    TaskCues {
        task: "poem",
        verbs: "rhyme",
        nouns: "poem | haiku | sonnet | limerick | lyrics | song | verse | rap | ballad | gedicht | poème | \
            poema | стихотворение | стих | 俳句 | 詩 | 诗 | قصيدة | 시",
    },
    TaskCues {
        task: "talk",
        verbs: "present",
        nouns: "speech | toast | presentation | slides | slide deck | pitch | keynote | eulogy | rede | vortrag | \
            präsentation | discours | présentation | discurso | presentación | речь | презентацию | スピーチ | \
            演讲 | pitch deck | podcast script | video script",
    },
    TaskCues {
        task: "article",
        verbs: "blog",
        nouns: "blog post | blog article | article | essay | op-ed | white paper | whitepaper | column | \
            wikipedia | documentation | readme | user guide | manual | tutorial | blogbeitrag | artikel | \
            aufsatz | dissertation | billet | artículo | ensayo | статью | статья | эссе | 記事 | 文章 | مقال | \
            مقالة | release notes | faq | how-to | guide",
    },
    TaskCues {
        task: "translate",
        verbs: "translate | übersetze | übersetz | traduis | traduire | traduce | traducir | переведи | \
            переведите | 翻訳して | 翻译 | ترجم | localize | localise",
        nouns: "translation | übersetzung | traduction | traducción | перевод | 翻訳 | ترجمة | 번역",
    },
    TaskCues {
        task: "summary",
        verbs: "summarize | summarise | condense | sum up | recap | fasse | fass | résume | résumer | \
            resume este | resume el | resume la | resumir | суммируй | кратко перескажи | tldr | 要約して | 总结 | \
            لخص",
        nouns: "summary | tl;dr | abstract | executive summary | zusammenfassung | zusammen | synthèse | \
            resumen | резюме | краткое содержание | 要約 | 摘要 | ملخص | 요약 | minutes | meeting minutes | \
            key points | action items",
    },
    TaskCues {
        task: "rewrite",
        verbs: "rewrite | rephrase | paraphrase | proofread | edit | polish | shorten | simplify | correct | \
            reword | copyedit | korrigiere | überarbeite | verbessere den text | corrige | reformule | \
            reescribe | исправь | перепиши | 校正して | 润色",
        nouns: "make this letter | make this text | make this email | make this paragraph | make it shorter | make this shorter | \
            sound more | sound better | more concise | less formal | more formal | proofreading | rewording | grammar of | korrektur | relecture",
    },
    TaskCues {
        task: "critique",
        verbs: "review | critique | evaluate | assess | rate | judge | bewerte | beurteile | évalue | evalúa | \
            оцени",
        nouns: "feedback on | critique | feedback | review of my | rückmeldung | peer review",
    },
    TaskCues {
        task: "extract",
        verbs: "extract | classify | categorize | categorise | label | tag | identify | find all | pull out | \
            extrahiere | klassifiziere | extrais | extrae | clasifica | извлеки | 抽出して | 提取 | استخرج",
        nouns: "extraction | classification | named entities | entities from | sentiment | categories",
    },
    TaskCues {
        task: "compare",
        verbs: "compare | contrast | decide | choose | recommend | vergleiche | compara | comparez | сравни | \
            сравните | 比較して | 比较 | قارن",
        nouns: "should i use | should we use | should i choose | should i buy | should we choose | comparison | pros and cons | versus | vs | difference between | differences between | \
            which is better | which one should | trade-offs | vergleich | vor- und nachteile | comparaison | \
            comparación | сравнение | which should i",
    },
    TaskCues {
        task: "data",
        verbs: "analyze | analyse | analysiere | analiza | forecast | visualize | visualise | проанализируй | \
            分析して | 分析 | حلل | plot",
        nouns: "csv | dataset | data set | spreadsheet | sales data | survey results | survey data | \
            time series | kpi | kpis | metrics | statistics | trend | trends | correlation | regression | \
            dashboard | data analysis | conversion rate | churn | pivot table | datensatz | daten | données | \
            datos | данные | データ | 数据 | بيانات | a/b test",
    },
    TaskCues {
        task: "report",
        verbs: "research | investigate | recherchiere",
        nouns: "report | market research | literature review | state of the art | case study | swot | bericht | \
            rapport | informe | отчёт | отчет | レポート | 报告 | تقرير | market analysis | competitor analysis",
    },
    TaskCues {
        task: "math",
        verbs: "solve | calculate | compute | prove | derive | berechne | löse | calcule | calcula | resuelve | \
            реши | вычисли | 計算して | 计算 | احسب",
        nouns: "equation | integral | derivative | proof | probability of | theorem | gleichung | équation | \
            ecuación | уравнение | math problem",
    },
    TaskCues {
        task: "quiz",
        verbs: "quiz",
        nouns: "quiz | worksheet | exercises | flashcards | exam questions | test questions | multiple choice questions | \
            multiple-choice questions | arbeitsblatt | übungsaufgaben | exercices | ejercicios | упражнения | 練習問題 | 练习题",
    },
    TaskCues {
        task: "lesson",
        verbs: "",
        nouns: "lesson plan | lesson | curriculum | syllabus | \
            course outline | workshop | unterrichtsplan | unterrichtsstunde | \
            plan de cours | plan de clase | план урока | урок | 授業計画 | 教案 | \
            خطة درس | course on",
    },
    TaskCues {
        task: "explain",
        verbs: "explain | teach | describe | clarify | define | help me understand | walk me through | erkläre | \
            erklär | beschreibe | explique | expliquer | explica | объясни | объясните | расскажи | 説明して | \
            解释 | 说明 | اشرح",
        nouns: "explanation | explainer | what is | what are | how does | how do | eli5 | was ist | \
            wie funktioniert | qu'est-ce | qué es | что такое | とは何 | 什么是 | introduction to | 説明",
    },
    TaskCues {
        task: "trip",
        verbs: "",
        nouns: "trip | itinerary | travel plan | city break | vacation | holiday in | road trip | weekend in | days in | honeymoon | \
            reiseplan | reise | städtereise | itinéraire | voyage | itinerario | viaje | путешествие | поездку | 旅行 | 行程 | رحلة",
    },
    TaskCues {
        task: "recipe",
        verbs: "cook | bake",
        nouns: "recipe | dish | meal | rezept | recette | receta | рецепт | レシピ | 食谱 | وصفة",
    },
    TaskCues {
        task: "plan",
        verbs: "plan | migrate | roll out | schedule | organize | organise | plane | planifie | planifica | спланируй | составь план | \
            計画して | خطط",
        nouns: "roadmap | schedule | project plan | business plan | meal plan | workout plan | \
            training plan | study plan | checklist | to-do list | strategy | agenda | \
            timeline | plan | trainingsplan | \
            план | 計画 | 计划 | خطة | 계획 | migration plan | launch plan",
    },
    TaskCues {
        task: "brainstorm",
        verbs: "brainstorm | suggest | propose | come up with | think of | invent | schlage | propose-moi | \
            sugiere | предложи | придумай | 提案して",
        nouns: "ideas | brainstorm | names for | suggestions | name for | ideen | vorschläge | idées | \
            ideas para | идеи | アイデア | 创意 | أفكار | titles for | gift ideas | topics",
    },
    TaskCues {
        task: "image",
        verbs: "draw | paint | illustrate | zeichne | male | dessine | dibuja | нарисуй | 描いて | 画 | ارسم",
        nouns: "image prompt | image | midjourney | stable diffusion | dall-e | logo | illustration | photo of | \
            picture of | poster | icon | wallpaper | bild | dessin | imagen | картинку | 画像 | 图片 | صورة",
    },
    TaskCues {
        task: "role-play",
        verbs: "act as | ask me | pretend | role-play | roleplay | imagine you are | play the role | you are | simulate | \
            spiele | agis comme | actúa como | представь, что ты | веди себя как",
        nouns: "role play | role-play | roleplay | in character | act as | pretend to be | dungeon master | \
            mock interview | interviewer",
    },
    TaskCues {
        task: "improve",
        verbs: "improve | make | optimize | optimise | enhance | fix up | verbessere | mach | mache | améliore | \
            mejora | улучши | сделай | 改善して | 改进 | حسّن | help",
        nouns: "better | faster | more efficient | improvement | improvements | besser | schneller | mieux | \
            mejor | лучше | 改善",
    },
    TaskCues {
        task: "question",
        verbs: "what | why | when | where | who | which | how | is | are | does | do | can | should | could | \
            would | will | was | wie | warum | wann | wo | wer | welche | ist | kann | pourquoi | comment | \
            quand | quel | quelle | qué | por qué | cómo | cuándo | почему | как | когда | кто | что | なぜ | \
            为什么 | لماذا | كيف | ما هو",
        nouns: "",
    },
];

/// Programming languages and what goes for one: how it is written, and how people write it. Names that are common
/// words (`go`, `c`, `r`) are given with the words that make them plain.
pub(in crate::provider::builtin) static LANGUAGES: &[(&str, &str)] = &[
    ("TypeScript", "typescript | ts file | tsx"),
    ("JavaScript", "javascript | node.js | nodejs | node js | js"),
    ("Python", "python | python3 | pandas | django | flask | numpy | pytest | fastapi"),
    ("Rust", "rust | tokio | cargo"),
    ("Go", "golang | in go | go program | go function | go service | go code | goroutine"),
    ("Java", "java | spring boot"),
    ("Kotlin", "kotlin"),
    ("Swift", "swift | swiftui"),
    ("C++", "c++ | cpp"),
    ("C#", "c# | csharp | .net"),
    ("C", "in c | c program | c function | c code"),
    ("Ruby", "ruby | rails | ruby on rails"),
    ("PHP", "php | laravel"),
    ("Scala", "scala"),
    ("Haskell", "haskell"),
    ("Elixir", "elixir"),
    ("Julia", "julia"),
    ("Lua", "lua"),
    ("Perl", "perl"),
    ("R", "in r | r script | ggplot | tidyverse"),
    ("MATLAB", "matlab"),
    ("Dart", "dart | flutter"),
    ("Bash", "bash"),
    ("PowerShell", "powershell"),
    ("React", "react"),
    ("SQL", "sql"),
    ("HTML", "html"),
];
