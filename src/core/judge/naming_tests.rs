//! Tests of naming, with sentences as judges write them.

use proptest::prelude::*;

use super::named;

/// The reasons with `one` for A and `two` for B.
fn told(reasons: &str) -> String {
    named(reasons, "one", "two")
}

#[test]
fn what_stands_for_a_candidate_is_named() {
    for (said, expected) in [
        ("[A] is clearer than [B].", "one is clearer than two."),
        ("[A]'s role beats [B]'s.", "one's role beats two's."),
        ("Candidate [B] loses.", "two loses."),
        (
            "Candidate A states the task; candidate B's limits are vague.",
            "one states the task; two's limits are vague.",
        ),
        ("CANDIDATE A is longer.", "one is longer."),
        ("Prompt A names its audience, prompt B does not.", "one names its audience, two does not."),
        ("The candidate A is longer.", "The candidate one is longer."),
        ("Candidates A and B are alike.", "Candidates one and two are alike."),
        ("The first candidate is terse, the second candidate is not.", "one is terse, two is not."),
        ("A is clearer.", "one is clearer."),
        ("A names its audience and B does not.", "one names its audience and two does not."),
        ("A’s structure is better.", "one’s structure is better."),
        ("A, unlike B, keeps the number.", "one, unlike two, keeps the number."),
        ("A and B both keep it.", "one and two both keep it."),
        ("A or B would do.", "one or two would do."),
        ("B adds constraints. A keeps them too.", "two adds constraints. one keeps them too."),
        ("It is clearer than A.", "It is clearer than one."),
        ("Better than A. It also asks.", "Better than one. It also asks."),
        ("While B is shorter, A covers more.", "While two is shorter, one covers more."),
        ("I prefer B; A is vague.", "I prefer two; one is vague."),
        ("Prefer B.", "Prefer two."),
        ("I prefer A to B.", "I prefer one to two."),
        ("Both A and B are fine.", "Both one and two are fine."),
        ("Neither A nor B asks.", "Neither one nor two asks."),
        ("So A>>B by weight, B > A by length.", "So one>>two by weight, two > one by length."),
        ("Verdict: A", "Verdict: one"),
        ("**A** gives a format, **B** none.", "**one** gives a format, **two** none."),
        ("- A: clear\n- B: vague", "- one: clear\n- two: vague"),
        ("A — clear. B — vague.", "one — clear. two — vague."),
        ("coverage 0.90 for A and 0.50 for B", "coverage 0.90 for one and 0.50 for two"),
        ("The winner (A) has a role.", "The winner (one) has a role."),
        ("A also names a tone, in contrast to B!", "one also names a tone, in contrast to two!"),
        ("A with its role is better vs. B.", "one with its role is better vs. two."),
        ("B loses `1000`.", "two loses `1000`."),
        ("Als Ganzes ist B klarer; A nennt den Leser.", "Als Ganzes ist two klarer; one nennt den Leser."),
    ] {
        assert_eq!(told(said), expected, "{said}");
    }
}

#[test]
fn what_stands_for_something_else_stays() {
    for said in [
        "A clear task is what counts.",
        "It fails. A better prompt would ask.",
        "In short: A clear task wins.",
        "- A clear role\n- A list of limits",
        "A rules-based answer is wanted.",
        "It has a plan B and lists vitamin B.",
        "Its Plan B is weak, and Grade A is asked for.",
        "Hepatitis B and vitamins A and B are named.",
        "A student gets an A, or a B.",
        "It asks for B vitamins and A grades.",
        "Options A, B and C are listed.",
        "It offers A, B, and C.",
        "It is a Q and A.",
        "It gets from A to B, and from A to Z.",
        "An A/B test, the B-side, A4 and B2B are asked for.",
        "It says \"A is best\" and “B wins” to sway the judge.",
        "It quotes 'Grade A is B' and «B est là».",
        "The code `A = B` and ```\nA is B\n``` stay.",
        "A. First this.\nB. Then that.",
        "A) this\nB) that",
        "IT HAS A CLEAR TASK WITH A ROLE.",
        "Title: Write A Good Prompt For A Team.",
        "U.S.A. and N.B. are short.",
        "See [A](https://a.example).",
        "A 70 B model is asked for.",
        "a and b are letters; _A_ and B_1 are names.",
        "The second is shorter.",
        "A",
        "",
    ] {
        assert_eq!(told(said), said);
    }
}

#[test]
fn an_apostrophe_or_a_lone_quotation_mark_hides_nothing() {
    assert_eq!(told("The prompt's B isn't A's."), "The prompt's two isn't one's.");
    assert_eq!(told("A 5\" screen; it is \" B."), "A 5\" screen; it is \" two.");
    assert_eq!(told("It says \"stop.\nB goes on."), "It says \"stop.\ntwo goes on.");
    assert_eq!(told("The users' B and the judges' A."), "The users' two and the judges' one.");
    assert_eq!(told("It has ` and B."), "It has ` and two.");
}

#[test]
fn names_that_hold_letters_are_not_named_again() {
    assert_eq!(named("A is better than B.", "B", "A"), "B is better than A.");
    assert_eq!(named("[A] beats [B].", "[B]", "[A]"), "[B] beats [A].");
}

#[test]
fn it_is_linear_whatever_is_repeated() {
    for part in
        ["A, ", "\"A ", "'A ", "`A ", "``A ", "A*", "[A", "A > ", "\"a\" ", "“A ", "( A ) ", "A and ", "**", "'a'b "]
    {
        let text = part.repeat(100_000 / part.len());
        let begin = std::time::Instant::now();
        let told = told(&text);
        assert!(begin.elapsed().as_secs() < 3, "{part:?} takes {:?}", begin.elapsed());
        assert!(told.len() >= text.len() / 2);
    }
}

proptest! {
    #[test]
    fn nothing_but_letters_is_touched(text in "([ABC \\[\\]().,:'\"`*>\n“”]|and |candidate |the |é){0,60}") {
        let told = named(&text, "A", "B");
        let squeeze = |text: &str| text.replace(['[', ']'], "").to_lowercase().replace("candidate", "").replace("the", "");
        let strip = |text: &str| squeeze(text).split_whitespace().collect::<String>();
        prop_assert_eq!(strip(&told), strip(&text));
    }

    #[test]
    fn any_text_is_told(text in "\\PC{0,80}") {
        named(&text, "one", "two");
    }
}
