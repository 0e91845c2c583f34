//! Typical replies and their cleaned text; each also split at every position and cleaned twice.
//!
//! Properties that hold for all texts are at the end.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn cleans_to(reply: &str, expected: &str) {
    assert_eq!(clean(reply), expected, "of {reply:?}");
    assert_eq!(clean(expected), expected, "cleaning twice {reply:?}");
    for at in reply.char_indices().map(|(at, _)| at) {
        let (head, tail) = reply.split_at(at);
        let mut cleaner = Cleaner::new();
        let mut text = cleaner.push(head);
        text.push_str(&cleaner.push(tail));
        text.push_str(&cleaner.finish());
        assert_eq!(text, expected, "split at {at} of {reply:?}");
    }
}

#[test]
fn a_plain_prompt_is_trimmed_and_kept() {
    cleans_to("\n\n  You are an editor.\n\n- one\n  - two\n\n  \n", "You are an editor.\n\n- one\n  - two");
}

#[test]
fn preambles_are_taken_away() {
    cleans_to("Sure! Here is your prompt:\n\nWrite a poem.", "Write a poem.");
    cleans_to("Certainly!\n\nHere's the refined prompt:\n\n---\n\nWrite a poem.\n\n---\n", "Write a poem.");
    cleans_to("Gerne! Hier ist dein Prompt:\nSchreibe ein Gedicht.", "Schreibe ein Gedicht.");
    cleans_to("**Final prompt:**\n\n# Role\nYou are a poet.", "# Role\nYou are a poet.");
    cleans_to("Here is your prompt: Write a poem.", "Write a poem.");
    cleans_to("好的，以下是优化后的提示词：\n写一首诗。", "写一首诗。");
}

#[test]
fn a_beginning_that_only_looks_like_a_preamble_stays() {
    for text in [
        "Here is the context you need:\n\nA shop sells shoes.\n\nWrite an advertisement.",
        "Here is the prompt to improve:\n\nWrite something.",
        "Sure-footed goats: write a poem about them.",
        "Here are three reviews: sum them up.",
        "---\ntitle: x\n---\nWrite it.",
        "# Prompt\nWrite it.",
        "Prompt: a\nCompletion: b",
    ] {
        cleans_to(text, text);
    }
}

#[test]
fn an_outer_fence_is_taken_away() {
    cleans_to("```\nWrite a poem.\n```", "Write a poem.");
    cleans_to("```markdown\n# Role\nYou are a poet.\n```\n", "# Role\nYou are a poet.");
    cleans_to("~~~text\nWrite a poem.\n~~~", "Write a poem.");
    cleans_to("Here is your prompt:\n\n```json\n{\"task\": \"write\"}\n```", "{\"task\": \"write\"}");
    cleans_to("```\nHere is your prompt:\nWrite a poem.\n```", "Write a poem.");
    cleans_to("```markdown\nWrite a poem, and this was cut", "Write a poem, and this was cut");
}

#[test]
fn fences_inside_stay() {
    let prompt = "# Task\nFix this:\n```python\nprint(1)\n```\nAnswer with a diff.";
    cleans_to(prompt, prompt);
    cleans_to(&format!("```markdown\n{prompt}\n```"), prompt);
    cleans_to(&format!("Here is your prompt:\n````md\n{prompt}\n````\n"), prompt);
    let bare = "# Task\n```\na\n```\nmore\n```\nb\n```";
    cleans_to(bare, bare);
    cleans_to(&format!("Sure! Here is the final prompt:\n```\n{bare}\n```\nLet me know if you want changes."), bare);
}

#[test]
fn a_code_block_that_opens_the_prompt_stays() {
    for text in [
        "```\nfn main() {}\n```\nExplain this program.",
        "```text\n{input}\n```\n\nSum up the text above.",
        "```python\nprint(1)\n```",
        "```python\nprint(1)\n```\nExplain.",
    ] {
        cleans_to(text, text);
    }
}

#[test]
fn a_long_outer_fence_streams_after_the_limit() {
    let long = "You are a poet. ".repeat(200);
    let mut cleaner = Cleaner::new();
    assert!(cleaner.push(&format!("```\n{long}")).len() > UNSURE_LIMIT);
    cleans_to(&format!("```\n{}\n```", long.trim()), long.trim());
}

#[test]
fn remarks_and_commentary_are_taken_away() {
    cleans_to("Write a poem.\n\nLet me know if you'd like me to adjust it!", "Write a poem.");
    cleans_to("Write a poem.\n\n---\n\n*Feel free to modify this prompt.*\n\nI hope this helps!", "Write a poem.");
    cleans_to("```\nWrite a poem.\n```\n\n**Why this works:**\n- It is short.\n\nIt is good.", "Write a poem.");
    cleans_to("Here is your prompt:\n```\nWrite a poem.\n```\nIt asks for a poem.\n\nAnd so on.", "Write a poem.");
    cleans_to("```\nWrite a poem.\n\nLet me know if you want any changes.\n```", "Write a poem.");
}

#[test]
fn what_looks_like_a_remark_but_is_followed_by_more_stays() {
    for text in [
        "Let me know if you'd like me to adjust it!\n\nThen write the poem.",
        "Rules:\n\nLet me know if anything is unclear before you begin.",
        "Write a letter that ends:\n```\nLet me know if you want any changes.\n```",
        "One\n\n---\n\nTwo\n\n---",
        "Write it.\nFeel free to change the order of the steps.",
    ] {
        cleans_to(text, text);
    }
}

#[test]
fn reasoning_is_taken_away_even_when_it_is_all_there_is() {
    cleans_to("<think>\nThe user wants a poem.\n</think>\n\nSure!\nWrite a poem.", "Write a poem.");
    cleans_to("<think>a</think><think>b</think>Write.", "Write.");
    cleans_to("<thinking about goats>", "<thinking about goats>");
    cleans_to("<think>cut in the mid", "");
    cleans_to("<think>all</think>", "");
    cleans_to("<thi", "<thi");
}

#[test]
fn a_reply_of_which_nothing_would_remain_is_kept() {
    cleans_to("Sure! Here is your prompt:", "Sure! Here is your prompt:");
    cleans_to("\nLet me know if you want any changes.\n", "Let me know if you want any changes.");
    cleans_to("```\n```", "```\n```");
    cleans_to("", "");
    cleans_to(" \n ", "");
}

#[test]
fn what_the_user_wrote_is_content_wherever_it_stands() {
    let cleaned = |request: &str, reply: &str| {
        let mut cleaner = Cleaner::keeping([request, "background"]);
        let mut text = cleaner.push(reply);
        text.push_str(&cleaner.finish());
        text
    };
    let sign_off = "Let me know if you want any changes!";
    let reply = format!("Sure!\n\nTranslate:\n\n{sign_off}");
    assert_eq!(cleaned(&format!("translate \"{sign_off}\""), &reply), format!("Translate:\n\n{sign_off}"));
    assert_eq!(cleaned("translate this", &reply), "Translate:");
    let opening = "Here is your prompt: write 2 haiku";
    assert_eq!(cleaned(opening, opening), opening);
    assert_eq!(cleaned("x", opening), "write 2 haiku");
}

#[test]
fn terminal_sequences_are_taken_out() {
    cleans_to("\u{1b}[31mWrite\u{1b}[0m a\u{7} poem.\r\nNow.", "Write a poem.\nNow.");
}

#[test]
fn ordinary_text_is_shown_at_once() {
    let mut cleaner = Cleaner::new();
    assert_eq!(cleaner.push("You are"), "You are");
    assert_eq!(cleaner.push(" an editor.\n"), " an editor.");
    assert_eq!(cleaner.push("- Z"), "\n- Z");
    assert_eq!(cleaner.finish(), "");
}

/// Pieces of replies, including the significant ones.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Sure! ",
        "Here is your prompt:",
        "\n",
        "\n\n",
        "```",
        "```markdown\n",
        "```python\n",
        "\n```\n",
        "---",
        "\n---\n",
        "You are a poet.",
        "Write ",
        "- item\n",
        "Let me know if you want any changes.",
        "I hope this helps!",
        " ",
        "  ",
        "<think>",
        "</think>",
        "é",
        "提示词",
        "\u{1b}[1m",
        "\r\n",
        "~~~",
        "`",
        "Final prompt:",
        "*",
        ":",
        "Why this works",
        "x",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_split_changes_nothing(reply in pieces(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let whole = clean(&reply);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(reply.len() + 1)).collect();
        places.sort_unstable();
        let mut cleaner = Cleaner::new();
        let (mut text, mut from) = (String::new(), 0);
        for to in places.into_iter().filter(|at| reply.is_char_boundary(*at)).chain([reply.len()]) {
            text.push_str(&cleaner.push(&reply[from..to]));
            from = to;
        }
        text.push_str(&cleaner.finish());
        prop_assert_eq!(text, whole);
    }

    #[test]
    fn words_come_in_order_and_none_is_made_up(reply in pieces()) {
        let filtered: String = reply.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = filtered.chars();
        for c in clean(&reply).chars().filter(|c| !c.is_whitespace()) {
            prop_assert!(rest.any(|from| from == c), "{:?} of {:?}", c, reply);
        }
    }

    #[test]
    fn text_without_any_of_it_is_only_trimmed(lines in prop::collection::vec("[A-Z][a-z]{2,8} [a-z ]{0,30}[a-z]", 1..8)) {
        prop_assume!(!phrases::is_preamble(&lines[0]) && lines.iter().all(|line| !phrases::could_begin_remark(line)));
        let text = lines.join("\n\n");
        prop_assert_eq!(clean(&format!("\n {text}\n\n")), text);
    }

    #[test]
    fn the_result_is_trimmed_and_free_of_controls(reply in "\\PC{0,5}[\\x00-\\x9f]{0,40}\\PC{0,5}") {
        let text = clean(&reply);
        prop_assert_eq!(text.trim(), text.as_str());
        prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    }
}
