//! Words that decide whether a letter next to them is a label.

/// A noun for one candidate.
pub(super) fn is_candidate(word: &str) -> bool {
    ["candidate", "prompt"].iter().any(|noun| word.eq_ignore_ascii_case(noun))
}

/// A noun for both candidates.
pub(super) fn is_candidates(word: &str) -> bool {
    ["candidates", "prompts"].iter().any(|noun| word.eq_ignore_ascii_case(noun))
}

/// A word after which "(A)" is a label.
pub(super) fn is_one_of_two(word: &str) -> bool {
    ["first", "second", "former", "latter", "one", "other", "winner", "loser"].contains(&word)
}

/// "The candidate", "that candidate": a name cannot replace the noun.
pub(super) fn is_determiner(word: &str) -> bool {
    is_article(word) || is_in(&["this", "that", "each", "which", "every"], word)
}

/// An article, as in "a B" or "the A", which no name has.
pub(super) fn is_article(word: &str) -> bool {
    is_in(&["a", "an", "the"], word) && word != "A"
}

/// A joining word, as in "A and B" or "from A to B".
pub(super) fn joins(word: &str) -> bool {
    is_in(&["and", "or", "nor", "to", "versus", "vs", "und", "oder", "et", "ou", "y", "o", "e"], word)
}

/// A noun distinguished by letters, as in "plan B" or "B vitamins", or a number, as in "70 B".
pub(super) fn is_named_with_letters(word: &str) -> bool {
    let lower = word.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    lower.ends_with(|last: char| last.is_ascii_digit())
        || NAMED_WITH_LETTERS.contains(&lower.as_str())
        || NAMED_WITH_LETTERS.contains(&singular)
}

/// True for a capitalised word that begins a clause and is not a name: "While B", "Prefer B".
pub(super) fn begins_a_clause(word: &str) -> bool {
    BEGINS_A_CLAUSE.contains(&word.to_lowercase().as_str())
}

/// True for a word that cannot follow the article "A": verbs, prepositions, conjunctions.
pub(super) fn follows_no_article(word: &str) -> bool {
    FOLLOWS_NO_ARTICLE.contains(&word)
}

fn is_in(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[rustfmt::skip]
const NAMED_WITH_LETTERS: [&str; 89] = [
    "annex", "answer", "appendices", "appendix", "area", "article", "block", "board", "brand", "building", "case",
    "category", "cell", "choice", "city", "class", "classes", "clause", "column", "company", "condition", "country",
    "customer", "document", "drug", "entity", "event", "example", "exhibit", "factor", "figure", "file", "flat",
    "form", "gate", "grade", "group", "hepatitis", "house", "hypothesis", "influenza", "item", "label", "league",
    "letter", "level", "line", "list", "major", "method", "minor", "model", "module", "movie", "node", "option",
    "paragraph", "part", "party", "patient", "person", "phase", "plan", "player", "point", "product", "question",
    "region", "response", "roll", "room", "route", "row", "sample", "scenario", "schedule", "section", "series",
    "server", "side", "stage", "step", "table", "team", "test", "type", "unit", "vitamin", "zone",
];

#[rustfmt::skip]
const BEGINS_A_CLAUSE: [&str; 64] = [
    "additionally", "again", "also", "although", "and", "as", "because", "both", "but", "by", "choose", "chose",
    "clearly", "compared", "conversely", "either", "favor", "favour", "finally", "for", "from", "furthermore",
    "given", "hence", "here", "however", "if", "in", "instead", "likewise", "meanwhile", "moreover", "neither",
    "nevertheless", "nor", "of", "on", "only", "or", "otherwise", "overall", "pick", "prefer", "since", "so", "still",
    "than", "that", "then", "therefore", "though", "thus", "to", "unless", "unlike", "versus", "vs", "when", "where",
    "whereas", "whether", "while", "with", "yet",
];

#[rustfmt::skip]
const FOLLOWS_NO_ARTICLE: [&str; 206] = [
    "above", "achieves", "addresses", "adds", "aims", "allows", "also", "although", "always", "and", "anticipates",
    "appears", "are", "as", "asks", "assigns", "assumes", "at", "avoids", "beats", "because", "begins", "being",
    "breaks", "brings", "but", "by", "calls", "can", "cannot", "captures", "carries", "clarifies", "clearly",
    "combines", "comes", "communicates", "compared", "contains", "contradicts", "could", "covers", "creates", "cuts",
    "defines", "delivers", "demands", "describes", "did", "distinguishes", "divides", "does", "doesn", "drops",
    "earns", "edges", "emphasises", "emphasizes", "enforces", "ensures", "es", "establishes", "est", "exceeds",
    "excels", "expects", "explains", "explicitly", "fails", "falls", "feels", "fits", "fixes", "focuses", "follows",
    "for", "forbids", "forces", "forgets", "frames", "from", "gains", "gets", "gibt", "gives", "goes", "guides",
    "had", "handles", "has", "hasn", "hat", "helps", "holds", "ignores", "imposes", "in", "includes", "instructs",
    "introduces", "invites", "is", "isn", "ist", "just", "keeps", "knows", "lacks", "lays", "leads", "leaves", "lets",
    "limits", "loses", "maintains", "makes", "may", "meets", "mentions", "merely", "might", "misses", "must", "names",
    "needs", "nennt", "neither", "never", "nor", "offers", "omits", "on", "or", "organises", "organizes", "outlines",
    "outperforms", "over", "pays", "performs", "prescribes", "presents", "preserves", "produces", "prohibits",
    "prompts", "provides", "pushes", "puts", "ranks", "reads", "receives", "refers", "reflects", "relies", "removes",
    "repeats", "requests", "requires", "respects", "risks", "says", "scores", "seems", "separates", "serves", "sets",
    "should", "shows", "since", "specifies", "spells", "splits", "stands", "starts", "stays", "sticks", "stresses",
    "structures", "suffers", "suggests", "supplies", "surpasses", "takes", "tells", "that", "though", "ties", "tries",
    "turns", "uses", "versus", "vs", "wants", "was", "wasn", "wastes", "which", "whose", "will", "wins", "with",
    "without", "works", "would", "writes",
];
