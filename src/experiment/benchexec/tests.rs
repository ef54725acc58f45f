use super::document::{Document, bytes, seconds};
use super::{status_of, verdict_of};
use crate::results::record::{CRASH, Key, MEMORY, Measured, REJECTED, Record, TIMEOUT, UNKNOWN};

fn record(verdict: &str, reason: &str, exit: i32) -> Record {
    Record {
        key: Key {
            configuration: "a".to_owned(),
            task: "t".to_owned(),
            repetition: 0,
        },
        category: String::new(),
        expected: None,
        verdict: verdict.to_owned(),
        score: 0,
        reason: reason.to_owned(),
        winner: None,
        wall: 0.0,
        cpu: 0.0,
        memory: 0,
        measured: Measured::default(),
        exit,
        begun: 0.0,
        cores: Vec::new(),
        overhead: 0.0,
        features: Default::default(),
        analyses: Vec::new(),
        log: String::new(),
    }
}

#[test]
fn verdicts_come_back() {
    for (verdict, reason, exit, status) in [
        ("true", "", 0, "true"),
        ("false(unreach-call)", "", 1, "false(unreach-call)"),
        ("false", "", 1, "false"),
        (UNKNOWN, "no luck", 2, "unknown"),
        (UNKNOWN, "time limit", 2, "TIMEOUT"),
        (UNKNOWN, "memory limit", 2, "OUT OF MEMORY"),
        (TIMEOUT, "killed at the limit", -9, "TIMEOUT"),
        (MEMORY, "killed at the limit", -9, "OUT OF MEMORY"),
        (REJECTED, "bad input", 3, "ERROR (input refused)"),
        (CRASH, "", -11, "KILLED BY SIGNAL 11"),
        (CRASH, "", 7, "ERROR"),
    ] {
        let (found, termination) = status_of(&record(verdict, reason, exit));
        assert_eq!(found, status);
        assert_eq!(verdict_of(&found, termination.is_some()).0, verdict);
    }
}

#[test]
fn verdicts_of_others_are_known() {
    for (status, is_ended, verdict) in [
        ("TIMEOUT (true)", true, TIMEOUT),
        ("OUT OF MEMORY (false(unreach-call))", true, MEMORY),
        ("true(unreach-call)", false, "true"),
        ("false(valid-deref)", false, "false(valid-deref)"),
        ("ERROR (recursion)", false, CRASH),
        ("EXCEPTION", false, CRASH),
        ("done", false, UNKNOWN),
        // None of these is an answer.
        ("trueish", false, CRASH),
        ("false positive", false, CRASH),
        ("false(", false, CRASH),
    ] {
        assert_eq!(verdict_of(status, is_ended).0, verdict, "{status}");
    }
}

#[test]
fn quantities_have_units() {
    for (text, expected) in [
        ("0.35s", Some(0.35)),
        ("900 s", Some(900.0)),
        ("15 min", Some(900.0)),
        ("1e-05s", Some(1e-5)),
        ("2E+1s", Some(20.0)),
        ("7", Some(7.0)),
        ("-7s", None),
        ("inf", None),
        ("NaN", None),
        ("1e999s", None),
        ("7 eons", None),
        ("", None),
        ("ü", None),
    ] {
        assert_eq!(seconds(text), expected, "{text}");
    }
    assert_eq!(bytes("7 GB"), Some(7_000_000_000));
    assert_eq!(bytes("8589934592B"), Some(8 << 30));
    assert_eq!(bytes("7s"), None);
}

#[test]
fn invalid_result_files_are_reported_with_their_places() {
    for (text, expected) in [
        ("", "f:1:1: experiment: there is no `result` in it"),
        ("<a/>", "f:1:1: experiment: the root is `a`"),
        (
            "<result>\n<run name='x'>\n",
            "f:3:1: experiment: the file ends within `run`",
        ),
        ("<result>\n <run></result>", "f:2:"),
        ("<result/><result/>", "f:1:10: experiment: the root is"),
        ("<result a='&bomb;'/>", "f:1:1: experiment: "),
        ("<result a='1' a='2'/>", "f:1:1: experiment: "),
        (
            "<result><run><column value='1'/></run></result>",
            "a column has no title",
        ),
        ("\u{0}", "f:1:1: experiment: "),
    ] {
        let error = Document::parse("f", text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_document_is_read_without_environment_variables() {
    let text = "\u{feff}<?xml version='1.0'?><!DOCTYPE result [<!ENTITY a 'b'>]>\n<result tool=\"a &lt; b&#10;c\">\
        <description> x &amp; y </description><columns><column title='status'/></columns>\
        <systeminfo><os name='O'/><cpu model='C' cores='2'/><ram size='2097152B'/>\
        <environment><var name='SECRET'>s</var></environment></systeminfo>\
        <run name='n'><column title='status' value='true'/><column title='empty'/></run>\
        <column title='cputime' value='1s'/></result>";
    let document = Document::parse("f", text).expect("a document");
    assert_eq!(document.attribute("tool"), Some("a < b\nc"));
    assert_eq!(document.description, "x & y");
    assert_eq!((document.runs.len(), document.sums), (1, 1));
    assert_eq!(document.runs[0].columns["status"], "true");
    let machine = document.environment.as_ref().expect("a machine");
    assert_eq!((machine.cores, machine.memory), (2, 2));
    assert!(!format!("{document:?}").contains("SECRET"));
}
