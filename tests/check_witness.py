#!/usr/bin/env python3
"""Checks witnesses against the formats' tables of fields, and against the text of their programs.

    check_witness.py PROGRAM.c WITNESS.yml...

It knows nothing of Regatta, and shares no code with it: what it accepts, another reader should accept. Needs PyYAML.
Prints what is wrong, one line each, and exits with 1 if something is.
"""

import datetime
import hashlib
import os
import re
import sys
import uuid

import yaml

VERSIONS = ["2.0", "2.1", "2.2"]

ENTRY = {"entry_type": str, "metadata": dict, "content": (list, dict)}
METADATA = {"format_version": str, "uuid": str, "creation_time": (str, datetime.datetime), "producer": dict, "task": dict}
PRODUCER = {"name": str, "version": str}
PRODUCER_OPTIONAL = {"configuration": str, "command_line": str, "description": str}
TASK = {"input_files": list, "input_file_hashes": dict, "specification": str, "data_model": str, "language": str}
LOCATION = {"file_name": str, "line": int}
LOCATION_OPTIONAL = {"column": int, "function": str}
WAYPOINT = {"type": str, "action": str, "location": dict}
WAYPOINT_OPTIONAL = {"constraint": dict, "thread_id": int}
INVARIANT = {"type": str, "location": dict, "value": str, "format": str}
INVARIANT_OPTIONAL = {"labels": list}
CONTRACT = {"type": str, "location": dict, "format": str}
CONTRACT_OPTIONAL = {"requires": str, "ensures": str, "labels": list}

# The formats of a constraint by the waypoint's type, oldest version first; a branching has none.
CONSTRAINTS = {
    "assumption": [("2.0", "c_expression"), ("2.1", "ext_c_expression")],
    "function_return": [("2.0", "acsl_expression"), ("2.1", "ext_c_expression")],
    "branching": None,
}
INVARIANTS = {
    "loop_invariant": "2.0",
    "location_invariant": "2.0",
    "loop_transition_invariant": "2.1",
    "location_transition_invariant": "2.1",
}


class Checker:
    def __init__(self, program, name):
        with open(program, "rb") as file:
            self.bytes = file.read()
        self.program = os.path.basename(program)
        self.lines = self.bytes.decode("utf-8", "replace").split("\n")
        self.name = name
        self.complaints = []
        self.version = "2.0"

    def complain(self, where, what):
        self.complaints.append(f"{self.name}: {where}: {what}")

    def fields(self, where, value, required, optional=None):
        """Whether the value is a mapping with these fields and no others."""
        if not isinstance(value, dict):
            self.complain(where, "is no mapping")
            return False
        known = dict(required, **(optional or {}))
        right = True
        for field in required:
            if field not in value:
                self.complain(where, f"lacks {field}")
                right = False
        for field, content in value.items():
            if field not in known:
                self.complain(where, f"has the unknown field {field}")
                right = False
            elif not isinstance(content, known[field]) or isinstance(content, bool):
                self.complain(where, f"{field} is of a wrong type: {content!r}")
                right = False
        return right

    def since(self, where, version, what):
        if VERSIONS.index(self.version) < VERSIONS.index(version):
            self.complain(where, f"{what} came with format {version}")

    def witness(self, text):
        try:
            entries = yaml.safe_load(text)
        except yaml.YAMLError as error:
            self.complain("file", f"is no YAML: {error}")
            return
        if not isinstance(entries, list) or not entries:
            self.complain("file", "is no list of entries")
            return
        for number, entry in enumerate(entries):
            self.entry(f"entry {number}", entry)

    def entry(self, where, entry):
        if not self.fields(where, entry, ENTRY):
            return
        self.metadata(f"{where}: metadata", entry["metadata"])
        content = entry["content"]
        if entry["entry_type"] == "violation_sequence" and isinstance(content, list):
            self.violation(f"{where}: content", content)
        elif entry["entry_type"] == "invariant_set" and isinstance(content, list):
            for number, element in enumerate(content):
                self.invariant(f"{where}: invariant {number}", element)
        elif entry["entry_type"] == "ghost_instrumentation" and isinstance(content, dict):
            self.since(where, "2.1", "ghost_instrumentation")
        else:
            self.complain(where, f"is of an unknown type: {entry['entry_type']}")

    def metadata(self, where, metadata):
        if not self.fields(where, metadata, METADATA):
            return
        if metadata["format_version"] in VERSIONS:
            self.version = metadata["format_version"]
        else:
            self.complain(where, f"the format version {metadata['format_version']} is not known")
        try:
            if uuid.UUID(metadata["uuid"]).version != 4:
                self.complain(where, "the uuid is not of version 4")
        except ValueError:
            self.complain(where, "the uuid is none")
        time = metadata["creation_time"]
        try:
            if isinstance(time, str):
                time = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
                if time.tzinfo is None:
                    self.complain(where, "the creation time has no zone")
        except ValueError:
            self.complain(where, "the creation time is none")
        self.fields(f"{where}: producer", metadata["producer"], PRODUCER, PRODUCER_OPTIONAL)
        self.task(f"{where}: task", metadata["task"])

    def task(self, where, task):
        if not self.fields(where, task, TASK):
            return
        if task["data_model"] not in ("ILP32", "LP64"):
            self.complain(where, f"the data model {task['data_model']} is not known")
        if task["language"] != "C":
            self.complain(where, f"the language {task['language']} is not known")
        names = [os.path.basename(str(file)) for file in task["input_files"]]
        if self.program not in names:
            self.complain(where, f"{self.program} is not among the input files")
        if set(task["input_file_hashes"]) != set(task["input_files"]):
            self.complain(where, "the hashes are not those of the input files")
        expected = hashlib.sha256(self.bytes).hexdigest()
        for file, digest in task["input_file_hashes"].items():
            if os.path.basename(str(file)) == self.program and digest != expected:
                self.complain(where, f"the hash of {file} is wrong")
        formula = r"G ! (call\(\w+\(\)\)|label\(\w+\)|overflow)|G (valid-\w+|! data-race)|F end"
        whole = rf"(\s*CHECK\( init\(main\(\)\), LTL\(({formula})\) \)\s*)+"
        if not re.fullmatch(f"{whole}|{formula}", task["specification"]):
            self.complain(where, f"the specification is none: {task['specification']}")

    def location(self, where, location):
        """The text from the place on, if there is one."""
        if not self.fields(where, location, LOCATION, LOCATION_OPTIONAL):
            return None
        if os.path.basename(location["file_name"]) != self.program:
            self.complain(where, f"{location['file_name']} is not the program")
            return None
        line, column = location["line"], location.get("column", 1)
        if not 1 <= line <= len(self.lines):
            self.complain(where, f"there is no line {line}")
            return None
        text = self.lines[line - 1]
        if not 1 <= column <= max(len(text), 1):
            self.complain(where, f"line {line} has no column {column}")
            return None
        if "function" in location and not re.search(rf"\b{re.escape(location['function'])}\b", self.bytes.decode("utf-8", "replace")):
            self.complain(where, f"there is no function {location['function']}")
        return text[column - 1 :]

    def begins(self, where, location, pattern, what):
        text = self.location(where, location)
        if text is None:
            return
        found = re.match(pattern, text) if "column" in location else re.search(pattern, text)
        if not found:
            self.complain(where, f"expected {what}, found {text[:20]!r}")

    def violation(self, where, segments):
        if not segments:
            self.complain(where, "has no segment")
        cyclic = False
        for number, element in enumerate(segments):
            here = f"{where}: segment {number}"
            if not self.fields(here, element, {"segment": list}):
                continue
            waypoints = [one.get("waypoint") for one in element["segment"] if self.fields(here, one, {"waypoint": dict})]
            for index, waypoint in enumerate(waypoints):
                self.waypoint(f"{here}: waypoint {index}", waypoint)
            actions = [waypoint.get("action") for waypoint in waypoints]
            cyclic |= "cycle" in actions
            if not actions or actions[-1] == "avoid" or any(action != "avoid" for action in actions[:-1]):
                self.complain(here, "one waypoint is to be followed, and it comes last")
            if waypoints and (waypoints[-1].get("type") == "target") != (number + 1 == len(segments)) and not cyclic:
                self.complain(here, "the target comes last, and nowhere else")

    def waypoint(self, where, waypoint):
        if not self.fields(where, waypoint, WAYPOINT, WAYPOINT_OPTIONAL):
            return
        kind = waypoint["type"]
        if waypoint["action"] == "cycle":
            self.since(where, "2.1", "cycle")
        elif waypoint["action"] not in ("follow", "avoid"):
            self.complain(where, f"the action {waypoint['action']} is not known")
        if "thread_id" in waypoint:
            self.since(where, "2.2", "thread_id")
        word = r"(?:[A-Za-z_]\w*|[({*+;-]|\d|!|~|&|\")"
        patterns = {
            "assumption": (word, "the beginning of a statement"),
            "target": (word, "the beginning of a statement"),
            "branching": (r"(?:if|while|for|do|switch)\b|\?", "a keyword that branches"),
            "function_enter": (r"\)", "a closing parenthesis"),
            "function_return": (r"\)", "a closing parenthesis"),
        }
        if kind not in patterns:
            self.complain(where, f"the type {kind} is not known")
            return
        self.begins(where, waypoint["location"], *patterns[kind])
        constraint = waypoint.get("constraint")
        if kind in ("target", "function_enter"):
            if constraint is not None:
                self.complain(where, f"{kind} has no constraint")
            return
        if constraint is None:
            if kind != "function_return":
                self.complain(where, f"{kind} lacks its constraint")
            return
        formats = CONSTRAINTS[kind]
        if formats is None:
            if self.fields(where, constraint, {"value": (str, int)}):
                if not re.fullmatch(r"true|false|default|-?\d+", str(constraint["value"])):
                    self.complain(where, f"branching by {constraint['value']}")
            return
        if self.fields(where, constraint, {"value": str, "format": str}):
            known = {name: version for version, name in formats}
            if constraint["format"] not in known:
                self.complain(where, f"the format {constraint['format']} does not fit")
            else:
                self.since(where, known[constraint["format"]], constraint["format"])
            if kind == "function_return" and "\\result" not in constraint["value"]:
                self.complain(where, "the constraint does not speak of \\result")
            self.expression(where, constraint["value"])

    def expression(self, where, text):
        """What can be said of an expression by its characters."""
        without = re.sub(r"'(?:\\.|[^'\\])+'|\"(?:\\.|[^\"\\])*\"", "0", text)
        depth = 0
        for character in without:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
            if depth < 0:
                break
        if depth != 0:
            self.complain(where, f"unbalanced: {text}")
        if re.search(r"[;{}#]|(?<![=!<>])=(?!=)|\+\+|--", without):
            self.complain(where, f"no expression without side effects: {text}")
        if not without.strip():
            self.complain(where, "the expression is empty")

    def invariant(self, where, element):
        if isinstance(element, dict) and "contract" in element:
            self.since(where, "2.1", "contract")
            if self.fields(where, element, {"contract": dict}):
                self.fields(where, element["contract"], CONTRACT, CONTRACT_OPTIONAL)
            return
        if not self.fields(where, element, {"invariant": dict}):
            return
        invariant = element["invariant"]
        if not self.fields(where, invariant, INVARIANT, INVARIANT_OPTIONAL):
            return
        if "labels" in invariant:
            self.since(where, "2.1", "labels")
        kind = invariant["type"]
        if kind not in INVARIANTS:
            self.complain(where, f"the type {kind} is not known")
            return
        self.since(where, INVARIANTS[kind], kind)
        if kind.startswith("loop"):
            self.begins(where, invariant["location"], r"(?:for|while|do)\b", "a loop's keyword")
        else:
            self.location(where, invariant["location"])
        formats = {"c_expression": "2.0", "ext_c_expression": "2.1"}
        if invariant["format"] not in formats:
            self.complain(where, f"the format {invariant['format']} is not known")
        else:
            self.since(where, formats[invariant["format"]], invariant["format"])
        self.expression(where, invariant["value"])


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    complaints = []
    for name in arguments[1:]:
        checker = Checker(arguments[0], name)
        with open(name, encoding="utf-8") as file:
            checker.witness(file.read())
        complaints += checker.complaints
    print("\n".join(complaints) if complaints else "nothing is wrong")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
