//! The craft of explaining, planning, finding ideas, answering, and of requests that name no task.

use super::{Craft, Domain, Slot};

pub(super) static EXPLAIN: Craft = Craft {
    name: "explain",
    called: "explaining",
    domain: Domain::General,
    role: "patient teacher who explains things clearly",
    requirements: &[
        "Start from what the reader is likely to know and build up from there.",
        "Explain the idea before its name, and define each term when it first appears.",
        "Use a concrete example for every abstract point, and say where a comparison breaks down.",
        "Be accurate: where you simplify, say so; where experts disagree or you are unsure, say that too.",
    ],
    steps: &[
        "give the core idea in a sentence or so",
        "explain how it works and why, one thought at a time",
        "show it in a concrete example",
        "clear up the misunderstandings people usually have",
        "close with what to remember",
    ],
    output: &["Answer in short paragraphs, with headings only if it is long.", "End with a brief recap."],
    checks: &[
        "Someone new to the subject could follow every sentence.",
        "No term is used before it is explained.",
        "The example shows the very point it is meant to show.",
    ],
    questions: &[
        (Slot::Audience, "what the reader already knows"),
        (Slot::Length, "depth and length"),
        (Slot::Detail, "what the reader wants to do with it"),
    ],
    example: "Begin with a concrete example built on {item}, and draw the explanation out of it",
    item: "the core idea",
};

pub(super) static LESSON: Craft = Craft {
    name: "lesson",
    called: "preparing a lesson or exercise",
    domain: Domain::General,
    role: "experienced teacher",
    requirements: &[
        "State what the learners will be able to do afterwards, in terms that can be observed.",
        "Fit language, examples and pace to the learners named.",
        "Alternate between explaining, doing and talking about it.",
        "Plan how to notice who has not understood, and what to do then.",
    ],
    steps: &[
        "set the learning goals",
        "decide what the learners must already know",
        "lay out the course of the lesson with activities, timing and materials",
        "add a check of understanding and a variant for faster and slower learners",
    ],
    output: &[
        "Give the plan under the headings goals, materials, course of the lesson, check of understanding, and variants.",
        "For each activity state its purpose and its duration.",
    ],
    checks: &[
        "Every activity serves a stated goal.",
        "The durations add up to the time available.",
        "Everything suits the learners' age and level.",
    ],
    questions: &[
        (
            Slot::Words(
                "aged | age | grade | year-old | year-olds | level | beginners | pupils | students | kids | children",
            ),
            "age, level and number of the learners",
        ),
        (Slot::Length, "the time available"),
        (Slot::Words("have | whiteboard | paper | projector | computers | materials"), "materials and room at hand"),
    ],
    example: "Write out one activity about {item} in full first, and give the others in the same detail",
    item: "the subject",
};

pub(super) static PLAN: Craft = Craft {
    name: "plan",
    called: "planning",
    domain: Domain::General,
    role: "practical planner",
    requirements: &[
        "Work from the goal backwards, and keep to every limit of time, money and people that is given.",
        "Make each item something that can be done and be seen to be done.",
        "Show what depends on what, and what can wait.",
        "Name the main risks and what to do if they come true.",
    ],
    steps: &[
        "state the goal and how one will know that it is reached",
        "list what has to happen and order it by dependency",
        "assign times within the limits given",
        "look for the weakest point of the plan and add a way around it",
    ],
    output: &[
        "Give the plan in order of time, each entry with what to do, the result, and what it depends on.",
        "End with risks and open decisions.",
    ],
    checks: &[
        "The plan keeps to every limit given.",
        "Nothing is needed before it is available.",
        "Each entry is concrete enough to begin with.",
    ],
    questions: &[
        (Slot::Words("goal | so that | in order to"), "the goal and how success is measured"),
        (
            Slot::Words(
                "by | until | before | in | within | days | day | week | weeks | month | months | hours | deadline",
            ),
            "when it has to be done",
        ),
        (Slot::Words("budget | team | people | equipment | alone | money"), "people, money and means at hand"),
    ],
    example: "Work out the entry for {item} in full first, and give all others in the same form",
    item: "the first task",
};

pub(super) static QUIZ: Craft = Craft {
    name: "quiz",
    called: "writing questions or exercises",
    domain: Domain::General,
    role: "experienced teacher who writes fair and precise questions",
    requirements: &[
        "Ask about what matters in the subject, not about trifles.",
        "Word every question so that it has one right answer and can be understood in one reading.",
        "Make wrong options plausible by building them on mistakes that learners really make.",
        "Let the difficulty rise from the first question to the last, and fit it to the learners named.",
    ],
    steps: &[
        "list what the learners should know or be able to do",
        "write the questions, each for a different point",
        "answer every question yourself and check that nothing else could be right",
        "remove hints that give an answer away",
    ],
    output: &["Give the questions first, then all answers together with a sentence of explanation each."],
    checks: &[
        "Every question has exactly one right answer, and the answer given is right.",
        "No question gives away the answer to another.",
        "Language and difficulty fit the learners.",
    ],
    questions: &[
        (
            Slot::Words("grade | age | aged | level | class | beginners | students | year | klasse | 年生"),
            "age and level of the learners",
        ),
        (
            Slot::Words("multiple choice | open | true or false | gaps | short answer | flashcards"),
            "the kind of question",
        ),
        (Slot::Words("easy | hard | difficult | difficulty | medium"), "how difficult they should be"),
    ],
    example: "Write one complete question on {item} first, with its answer, and give the others in the same form",
    item: "the most important point",
};

pub(super) static TRIP: Craft = Craft {
    name: "trip",
    called: "planning a trip",
    domain: Domain::General,
    role: "well-travelled and practical trip planner",
    requirements: &[
        "Keep to the days, the budget and the people named, and leave room to breathe.",
        "Group what lies close together, so that little time is lost on the way.",
        "Say what has to be booked ahead and what can be decided on the spot.",
        "Name opening times, prices and connections only where you are sure of them; otherwise say what to check.",
    ],
    steps: &[
        "note who travels, for how long, and what they like and avoid",
        "choose what is worth the time and drop the rest",
        "spread it over the days with realistic ways between",
        "add an alternative for bad weather or tired travellers",
    ],
    output: &[
        "Give the plan day by day, split into morning, afternoon and evening, with the way between the places.",
        "End with what to book ahead and what to check.",
    ],
    checks: &[
        "Every day can really be done in the time it has.",
        "Every wish and limit of the travellers is met.",
        "Nothing is stated as certain that may have changed.",
    ],
    questions: &[
        (Slot::Words("budget | cheap | expensive | € | $"), "the budget"),
        (
            Slot::Words("in | from | january | february | march | april | may | june | july | august"),
            "when the trip takes place",
        ),
        (Slot::Words("kids | children | with | we | family | couple | alone | solo"), "who travels"),
        (Slot::Detail, "what the travellers like and what they want to avoid"),
    ],
    example: "Work out one part of a day around {item} in full first, and plan everything else in the same detail",
    item: "the place most worth seeing",
};

pub(super) static RECIPE: Craft = Craft {
    name: "recipe",
    called: "writing a recipe",
    domain: Domain::General,
    role: "experienced cook who writes reliable recipes",
    requirements: &[
        "Keep strictly to every diet, allergy and ingredient that is named.",
        "Give amounts that fit each other and the number of people.",
        "Name the sign by which each stage is done, not the time alone.",
        "Offer a substitute for anything hard to find.",
    ],
    steps: &[
        "settle the dish from what is wanted and what is at hand",
        "list the ingredients in the order in which they are used",
        "write the preparation stage by stage",
        "check that every ingredient is used and every diet kept",
    ],
    output: &["Give the servings and the time needed, then the ingredients, then the preparation in order."],
    checks: &[
        "Every ingredient listed is used, and every ingredient used is listed.",
        "No named diet or allergy is violated.",
        "Someone with little practice could cook it from the text alone.",
    ],
    questions: &[
        (Slot::Words("people | servings | persons | for"), "the number of people"),
        (
            Slot::Words("vegan | vegetarian | allergy | allergic | gluten | without | no"),
            "diets and allergies to respect",
        ),
        (Slot::Words("minutes | hour | quick | easy | time"), "the time and equipment available"),
    ],
    example: "Describe the stage that involves {item} in full first, and write the others in the same way",
    item: "the main ingredient",
};

pub(super) static BRAINSTORM: Craft = Craft {
    name: "brainstorm",
    called: "finding ideas",
    domain: Domain::General,
    role: "inventive thinker with a sense of what works",
    requirements: &[
        "Make the ideas differ in kind, not in wording.",
        "Be specific: each idea should say what it is and why it fits this case.",
        "Include some that are safe and some that are bold.",
        "Leave out what everyone would think of first, unless it really is the best.",
    ],
    steps: &[
        "restate what the ideas must achieve and avoid",
        "collect ideas from clearly different directions",
        "drop the weak and the similar ones",
        "order the rest, the most promising first, with the reason",
    ],
    output: &[
        "Give the ideas as a list, each with a name and a sentence on why it fits.",
        "Close with your favourite and the reason for it.",
    ],
    checks: &[
        "No idea is a variation of another.",
        "Every idea keeps to the limits given.",
        "Each could be acted on as it is described.",
    ],
    questions: &[
        (Slot::Audience, "the people the ideas are for"),
        (Slot::Detail, "what has been tried or ruled out"),
        (Slot::Detail, "limits such as cost, time or taste"),
    ],
    example: "Develop one idea around {item} in full first, and describe the others with the same concreteness",
    item: "the aim",
};

pub(super) static IMAGE: Craft = Craft {
    name: "image",
    called: "describing an image to be made",
    domain: Domain::General,
    role: "art director who writes precise image descriptions",
    requirements: &[
        "Describe subject, setting, composition, light, colours, style and mood, each concretely.",
        "Put the most important element at the beginning.",
        "Keep every detail that is given, and choose only what is left open.",
        "Avoid contradictions and details that cannot be seen.",
    ],
    steps: &[
        "picture the finished image and name its focus",
        "choose viewpoint, framing and light",
        "choose style and colours",
        "write the description and remove what contradicts itself",
    ],
    output: &["Give one description in flowing text, ready to paste into an image generator, and nothing else."],
    checks: &[
        "Every given detail is in it.",
        "Everything in it can be seen.",
        "Nothing in it contradicts anything else.",
    ],
    questions: &[
        (
            Slot::Words(
                "aspect | ratio | square | portrait | landscape | poster | logo | icon | banner | wallpaper | 16:9 | 4:3 | 1:1 | 9:16",
            ),
            "the format and where the image will be used",
        ),
        (
            Slot::Words(
                "watercolor | watercolour | oil painting | photo | photorealistic | pixel | cartoon | minimalist | style | flat | sketch | anime | realistic",
            ),
            "style and mood",
        ),
    ],
    example: "Describe {item} as a single clear visual element first, and compose the rest around it",
    item: "the main subject",
};

pub(super) static ROLE_PLAY: Craft = Craft {
    name: "role-play",
    called: "playing a role",
    domain: Domain::General,
    role: "attentive partner in role play who stays in character",
    requirements: &[
        "Stay in the role from the first reply on, and speak only as that role would.",
        "Follow every rule of the game as stated.",
        "Keep earlier replies in mind and stay consistent with them.",
        "Leave the role only when asked to, or when something would do real harm.",
    ],
    steps: &[
        "settle what the role knows, wants and sounds like",
        "open in the role",
        "answer each turn in the role and leave room for the next",
    ],
    output: &["Reply only with what the role would say or show, without comments from outside."],
    checks: &["Every reply could come from that role.", "The rules of the game are kept in every reply."],
    questions: &[(Slot::Detail, "the situation at the beginning"), (Slot::Detail, "how the game ends")],
    example: "Give one short sample reply that involves {item} first, and keep its voice from then on",
    item: "the role",
};

pub(super) static IMPROVE: Craft = Craft {
    name: "improve",
    called: "improving something",
    domain: Domain::General,
    role: "experienced consultant who finds what matters most",
    requirements: &[
        "Work out what \"better\" should mean here before proposing anything, and say what you assume about it.",
        "Prefer a few changes with great effect to many small ones.",
        "For each proposal give the reason, the effort and how to tell whether it worked.",
        "Do not claim to have seen what was not shown to you.",
    ],
    steps: &[
        "state what you know about the present state and what you do not",
        "name the aspects that usually decide success in such a case",
        "propose changes, ordered by effect for the effort",
        "say what to measure before and after",
        "ask for what would sharpen the advice most",
    ],
    output: &[
        "Begin with your assumptions in a short list.",
        "Then give the proposals, most worthwhile first, each with reason, effort and measure of success.",
        "End with the questions whose answers would change the advice.",
    ],
    checks: &[
        "Each proposal can be acted on without further explanation.",
        "Assumptions are marked and none is presented as a fact.",
        "The order reflects effect for effort.",
    ],
    questions: &[
        (Slot::Detail, "what exactly should become better and how that would show"),
        (Slot::Material, "the present state, as a description, text or code"),
        (Slot::Audience, "the people it should become better for"),
        (Slot::Detail, "what must not change and how much effort is acceptable"),
    ],
    example: "Work through one change to {item} in full first: present state, change, expected effect; then treat the others alike",
    item: "the weakest spot",
};

pub(super) static QUESTION: Craft = Craft {
    name: "question",
    called: "answering a question",
    domain: Domain::General,
    role: "knowledgeable and honest expert",
    requirements: &[
        "Answer the question itself before anything else.",
        "Give the reasons that matter and leave out what does not bear on the question.",
        "Say how certain you are, and what may have changed since your information was gathered.",
        "If the answer depends on something not stated, say on what and give the answer for the likely cases.",
    ],
    steps: &[
        "make sure of what is really being asked",
        "answer it directly",
        "give the reasons and the most important exceptions",
        "say what you are unsure of",
    ],
    output: &["Begin with the direct answer, then give the reasons in a short paragraph or so."],
    checks: &[
        "The question is answered in the opening sentence or so.",
        "Nothing is stated with more certainty than it deserves.",
        "No fact or source is made up.",
    ],
    questions: &[
        (Slot::Detail, "the situation the question arises from"),
        (Slot::Audience, "how much the reader already knows"),
        (Slot::Length, "how detailed the answer should be"),
    ],
    example: "Answer it for the concrete case of {item} first, then in general",
    item: "the case described",
};

pub(super) static TOPIC: Craft = Craft {
    name: "topic",
    called: "a subject without a stated task",
    domain: Domain::General,
    role: "knowledgeable guide who gets to the point",
    requirements: &[
        "Only a subject is given, so begin by saying in one sentence which reading of it you take.",
        "Give the overview most useful to someone who meets it for the first time: what it is, why it matters, how it works, where to begin.",
        "Keep to what you are sure of, and mark what is disputed or may have changed.",
        "Offer the directions in which you could go on, so that the reader can choose.",
    ],
    steps: &[
        "say how you understand the subject, and name other possible readings",
        "explain what it is and why it matters",
        "explain its most important parts and how they fit together",
        "show it in a concrete example",
        "ask which direction to pursue",
    ],
    output: &[
        "Write a compact overview under short headings.",
        "End with a few specific questions that would help you go further.",
    ],
    checks: &[
        "The reading taken is stated at the beginning.",
        "A newcomer would understand every sentence.",
        "The closing questions are specific to the subject.",
    ],
    questions: &[
        (Slot::Detail, "the kind of result wanted, such as an explanation, a text, a plan or code"),
        (Slot::Audience, "the reader and what they already know"),
        (Slot::Length, "the length"),
    ],
    example: "Show one concrete example of {item} first, and build the overview on it",
    item: "the subject",
};

pub(in crate::provider::builtin) static OTHER: Craft = Craft {
    name: "other",
    called: "a general request",
    domain: Domain::General,
    role: "knowledgeable and careful assistant",
    requirements: &[
        "Do exactly what is asked, completely, and nothing beyond it.",
        "Use the facts that are given and invent none.",
        "Where the request leaves something open, choose the most likely reading and say so.",
        "Be concrete and brief.",
    ],
    steps: &[
        "make sure of what is asked and what a good result would be",
        "settle what is open by the most likely reading, and note it",
        "do the work",
        "compare the result with the request point by point",
    ],
    output: &[
        "Give the result first, ready to use.",
        "After it, note your assumptions in a few lines, if there are any.",
    ],
    checks: &["Every part of the request is answered.", "Nothing is made up.", "The result can be used as it stands."],
    questions: &[
        (Slot::Detail, "what the result will be used for"),
        (Slot::Audience, "the people it is for"),
        (Slot::Format, "the form the answer should take"),
        (Slot::Length, "the length"),
    ],
    example: "Work through {item} as an example first, and treat the rest alike",
    item: "one simple case",
};
