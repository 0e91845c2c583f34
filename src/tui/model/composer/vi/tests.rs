//! Modal editing as its user sees it: keys in, text and cursor out; and properties for any keys.
//!
//! A text is written with `|` at the cursor, before the letter it is on.

use proptest::prelude::*;
use proptest::sample::select;
use unicode_segmentation::UnicodeSegmentation;

use super::*;

/// A modal text area in normal mode with this text, and the cursor at `|`.
fn written(text: &str) -> Composer {
    let (before, after) = text.split_once('|').unwrap_or((text, ""));
    let mut composer = Composer::default();
    composer.paste(&format!("{before}{after}"));
    composer.set_modal(true);
    composer.end_typing();
    let row = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    composer.go((row, column));
    composer.settle();
    composer
}

/// Presses keys by their letters; `␛` is Esc, `␍` Enter, `␒` Ctrl+R, `␈` Backspace.
fn press(composer: &mut Composer, keys: &str) {
    for letter in keys.chars() {
        let (chord, action) = match letter {
            '␛' => (Chord::plain(KeyCode::Esc), Some(Action::Back)),
            '␍' => (Chord::plain(KeyCode::Enter), Some(Action::NewLine)),
            '␈' => (Chord::plain(KeyCode::Backspace), Some(Action::DeleteCharBefore)),
            '␒' => (Chord::control('r'), Some(Action::InputHistory)),
            letter => (Chord::letter(letter), None),
        };
        if composer.modal_key(chord, action) == KeyResult::No && composer.mode() == Some(INSERT) {
            match (chord.typed(), action) {
                (Some(letter), _) => composer.insert(letter),
                (None, Some(action)) => _ = composer.act(action),
                (None, None) => {}
            }
        }
    }
}

/// The text with `|` before the letter at the cursor.
fn shown(composer: &Composer) -> String {
    let (row, column) = composer.place();
    let mut lines: Vec<String> = composer.area.lines().to_vec();
    let line: String = lines[row].chars().take(column).chain(['|']).chain(lines[row].chars().skip(column)).collect();
    lines[row] = line;
    lines.join("\n")
}

#[track_caller]
fn check(before: &str, keys: &str, after: &str) {
    let mut composer = written(before);
    press(&mut composer, keys);
    assert_eq!(shown(&composer), after, "{before:?} and {keys}");
}

#[test]
fn motions_go_where_vi_goes() {
    for (before, keys, after) in [
        ("|one two", "l", "o|ne two"),
        ("|one two", "9l", "one tw|o"),
        ("one tw|o", "3h", "one| two"),
        ("|one two.three", "w", "one |two.three"),
        ("|one two.three", "2w", "one two|.three"),
        ("|one\n\n  two", "w", "one\n|\n  two"),
        ("|one\n\n  two", "2w", "one\n\n  |two"),
        ("one\n\n  |two", "b", "one\n|\n  two"),
        ("one two.thre|e", "2b", "one two|.three"),
        ("|one two", "e", "on|e two"),
        ("on|e two\nthree", "2e", "one two\nthre|e"),
        ("  one t|wo", "0", "|  one two"),
        ("  one t|wo", "^", "  |one two"),
        ("|one two", "$", "one tw|o"),
        ("a\n b\n|c", "gg", "|a\n b\nc"),
        ("|a\n b\nc", "2G", "a\n |b\nc"),
        ("|a\nb\n  c", "G", "a\nb\n  |c"),
        ("|a,b,c", "f,", "a|,b,c"),
        ("|a,b,c", "2f,", "a,b|,c"),
        ("|a,b,c", "2t,", "a,|b,c"),
        ("|a,bb,c", "t,;", "a,b|b,c"),
        ("a,b,|c", "F,;", "a|,b,c"),
        ("|a,b,c", "f,;,", "a|,b,c"),
        ("|a,b", "fx", "|a,b"),
        ("long|er\na\nlonger", "jj", "longer\na\nlong|er"),
        ("|a\n  b", "␍", "a\n  |b"),
        ("ab|c", "␈", "a|bc"),
        ("|one", "j", "|one"),
    ] {
        check(before, keys, after);
    }
}

#[test]
fn operators_take_what_motions_go_over() {
    for (before, keys, after) in [
        ("|one two", "dw", "|two"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|one two three", "d2w", "|three"),
        ("|one two three", "2dw", "|three"),
        ("|one two", "de", "| two"),
        ("|one two", "cwnew␛", "ne|w two"),
        ("|one two three", "c2wnew␛", "ne|w three"),
        ("one t|wo three", "diw", "one | three"),
        ("one t|wo three", "ciwnew␛", "one ne|w three"),
        ("a(b|,c)", "dt)", "a(b|)"),
        ("a(|b,c)", "df)", "a|("),
        ("one| two", "d0", "| two"),
        ("one| two", "D", "on|e"),
        ("one| two", "Cnew␛", "onene|w"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\nb\n|c", "dd", "a\n|b"),
        ("|a", "dd", "|"),
        ("|a\nb\nc\nd", "2dd", "|c\nd"),
        ("|a\nb\nc", "dj", "|c"),
        ("a\nb\n|c", "dk", "|a"),
        ("a\nb|b\nc", "ccnew␛", "a\nne|w\nc"),
        ("a\n|b\nc", "dG", "|a"),
        ("ab|c", "x", "a|b"),
        ("a|bc", "X", "|bc"),
        ("|abc", "2x", "|c"),
        ("|one two", "ywP", "one| one two"),
        ("|a\nb", "yyjp", "a\nb\n|a"),
        ("|a\nb", "yyP", "|a\na\nb"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|ab", "xp", "b|a"),
        ("|ab", "x3p", "baa|a"),
    ] {
        check(before, keys, after);
    }
}

#[test]
fn typing_begins_where_its_key_says_and_ends_on_what_was_typed() {
    for (before, keys, after) in [
        ("o|ne", "ix␛", "o|xne"),
        ("o|ne", "ax␛", "on|xe"),
        ("  on|e", "Ix␛", "  |xone"),
        ("o|ne", "Ax␛", "one|x"),
        ("|a\nb", "ox␛", "a\n|x\nb"),
        ("a\n|b", "Ox␛", "a\n|x\nb"),
        ("|", "ix␍y␛", "x\n|y"),
    ] {
        check(before, keys, after);
    }
}

#[test]
fn lines_are_joined_and_letters_changed() {
    for (before, keys, after) in [
        ("|a\n  b", "J", "a| b"),
        ("|a\nb\nc", "3J", "a b| c"),
        ("|a\n\nb", "J", "|a\nb"),
        ("f(|a\n)", "J", "f(a|)"),
        ("|aBß1", "9~", "Abß|1"),
        ("|abc", "rx", "|xbc"),
        ("|abc", "2rx", "x|xc"),
        ("|abc", "4rx", "|abc"),
        ("|abc", "r ", "| bc"),
    ] {
        check(before, keys, after);
    }
}

#[test]
fn what_is_selected_is_taken_with_the_letter_under_the_cursor() {
    for (before, keys, after) in [
        ("|one two", "ved", "| two"),
        ("one tw|o", "vbd", "one| "),
        ("o|ne two", "viwcnew␛", "ne|w two"),
        ("|one two", "vly$p", "one twoo|n"),
        ("|one", "v$~", "|ONE"),
        ("|a\nb", "vjx", "|"),
        ("|one", "vl␛x", "o|e"),
        ("|one", "vlvx", "o|e"),
    ] {
        check(before, keys, after);
    }
    let mut composer = written("one |two three");
    press(&mut composer, "ve");
    assert_eq!((composer.selected().as_deref(), composer.mode()), (Some("two"), Some("visual")));
    press(&mut composer, "bb");
    assert_eq!(composer.selected().as_deref(), Some("one t"), "backwards the letter it began on is taken too");
    composer.act(Action::CutSelection);
    assert_eq!((shown(&composer).as_str(), composer.mode()), ("|wo three", Some("normal")));
}

#[test]
fn a_command_is_undone_at_once_and_so_is_all_that_was_typed() {
    let mut composer = written("|one two three");
    press(&mut composer, "cwmany letters␛w2x");
    assert_eq!(composer.text(), "many letters o three");
    press(&mut composer, "u");
    assert_eq!(composer.text(), "many letters two three");
    press(&mut composer, "u");
    assert_eq!(composer.text(), "one two three");
    press(&mut composer, "2␒");
    assert_eq!(composer.text(), "many letters o three");
    press(&mut composer, "9u");
    assert_eq!(composer.text(), "", "what was written before there were modes is undone too");
}

#[test]
fn what_other_keys_changed_is_undone_step_by_step() {
    let mut composer = written("one |two");
    press(&mut composer, "x");
    composer.act(Action::DeleteWord);
    assert_eq!(composer.text(), "wo");
    press(&mut composer, "u");
    assert_eq!(composer.text(), "one wo");
    press(&mut composer, "u");
    assert_eq!(composer.text(), "one two");
}

#[test]
fn escape_ends_typing_then_a_part_of_a_command_and_then_is_for_others() {
    let escape = |composer: &mut Composer| composer.modal_key(Chord::plain(KeyCode::Esc), Some(Action::Back));
    let mut composer = written("|one");
    press(&mut composer, "i");
    assert_eq!(
        (composer.mode(), escape(&mut composer), composer.mode()),
        (Some("insert"), KeyResult::Yes, Some("normal"))
    );
    press(&mut composer, "2d");
    assert_eq!((composer.typed_so_far().as_str(), escape(&mut composer)), ("2d", KeyResult::Yes));
    assert_eq!((composer.typed_so_far().as_str(), escape(&mut composer)), ("", KeyResult::No));
    press(&mut composer, "dzx");
    assert_eq!(composer.text(), "ne", "a wrong key ends a command");
    let palette = composer.modal_key(Chord::letter(':'), None);
    assert_eq!(palette, KeyResult::Means(Action::Palette));
}

#[test]
fn a_paste_takes_the_place_of_what_is_selected() {
    let mut composer = written("one |two three");
    press(&mut composer, "ve");
    composer.paste("2");
    assert_eq!(composer.text(), "one 2 three");
}

#[test]
fn without_modes_no_key_is_taken() {
    let mut composer = Composer::default();
    assert_eq!(composer.modal_key(Chord::letter('d'), None), KeyResult::No);
    assert_eq!((composer.mode(), composer.is_commanded()), (None, false));
}

#[test]
fn a_line_beyond_small_numbers_is_walked_to_its_end() {
    let mut composer = written("|");
    composer.paste(&format!("{}\n{}", "a".repeat(70_000), "b\n".repeat(10)));
    press(&mut composer, "gg$x");
    assert_eq!(composer.area.lines()[0].len(), 69_999);
    assert_eq!(composer.place(), (0, 69_998));
}

/// Texts with letters of many code points, signs, blanks and empty lines.
fn texts() -> impl Strategy<Value = String> {
    "([a-zA-Z_,.() \\n]|👩\u{200d}👧|👍🏽|🇯🇵|e\u{301}|世|ß|\\t){0,40}"
}

/// Keys that are commands, parts of one, or neither.
fn keys() -> impl Strategy<Value = String> {
    let mut all: Vec<char> = MODAL_KEYS.iter().flat_map(ModalKey::letters).filter(|key| !key.is_control()).collect();
    all.extend("␛␛␍␈␒123zq世👍".chars());
    proptest::collection::vec(select(all), 0..40).prop_map(String::from_iter)
}

/// The cursor is before a whole letter, or at the end of its line; in normal mode, on a letter.
fn assert_on_a_letter(composer: &Composer) {
    let (row, column) = composer.place();
    let line = &composer.area.lines()[row];
    let mut starts = vec![0];
    for letter in line.graphemes(true) {
        starts.push(starts[starts.len() - 1] + letter.chars().count());
    }
    assert!(starts.contains(&column), "{column} of {line:?}");
    if composer.is_commanded() {
        assert!(line.is_empty() || column < line.chars().count(), "behind {line:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_pressed_the_cursor_stands_on_a_whole_letter(text in texts(), keys in keys()) {
        let mut composer = Composer::default();
        composer.paste(&text);
        composer.set_modal(true);
        press(&mut composer, "␛");
        for key in keys.chars() {
            press(&mut composer, &key.to_string());
            assert_on_a_letter(&composer);
            prop_assert_eq!(composer.mode() == Some("visual"), composer.is_selecting());
        }
        press(&mut composer, "␛␛");
        prop_assert_eq!(composer.mode(), Some("normal"), "two Esc lead out of everything");
    }

    #[test]
    fn motions_change_nothing(text in texts(), motions in proptest::collection::vec(select(
        "hjklwbe0^$G23␍␈".chars().collect::<Vec<_>>()), 0..30)) {
        let mut composer = written("|");
        composer.paste(&text);
        let before = composer.text();
        press(&mut composer, &String::from_iter(motions));
        press(&mut composer, "␛fa;,Tbggv3ley");
        prop_assert_eq!(composer.text(), before);
    }

    #[test]
    fn what_is_done_can_be_undone_and_done_again(text in texts(), keys in keys()) {
        let mut composer = Composer::default();
        composer.paste(&text);
        composer.set_modal(true);
        press(&mut composer, "␛");
        let before = composer.text();
        press(&mut composer, &keys.replace(['u', '␒'], ""));
        press(&mut composer, "␛␛");
        let after = composer.text();
        let steps = composer.vi.as_ref().map_or(0, |vi| vi.done.len());
        (0..steps).for_each(|_| press(&mut composer, "u"));
        prop_assert_eq!(composer.text(), before);
        (0..steps).for_each(|_| press(&mut composer, "␒"));
        prop_assert_eq!(composer.text(), after);
    }
}
