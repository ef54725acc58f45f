//! The faults that `scripts/planted-faults.py` plants: their patches can be applied to the sources, and a line shows each.

use std::path::Path;
use std::process::Command;

#[test]
fn every_fault_can_be_planted_and_has_a_line_that_shows_it() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/planted-faults.py");
    let output = Command::new(&script).arg("check").output();
    let output = output.expect("the script runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
}
