"""What the competition and BenchExec take from this project, without a run: the tool-info module, the benchmark
definitions, the fm-tools entry, the rules of an archive and of a result file. Needs BenchExec; test.sh has it."""

import copy
import re
import stat
import sys
import unittest
from xml.etree import ElementTree
from pathlib import Path

import yaml
from benchexec import model, util
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "competition")]

import check
import result_rules
from regtool.regatta import Tool

NO_LIMITS = BaseTool2.ResourceLimits()
C_TASK = {"language": "C", "data_model": "ILP32"}


def command_line(options=(), files=("a.c",), prp=None, task=None, limits=NO_LIMITS):
    return model.cmdline_for_run(Tool(), "bin/regatta", list(options), list(files), None, prp, task, limits)


def result_of(lines, code=0, signal=None, reason=None, command="verify"):
    exit_code = util.ProcessExitCode.create(signal=signal) if signal else util.ProcessExitCode.create(value=code)
    output = BaseTool2.RunOutput([line + "\n" for line in lines])
    return Tool().determine_result(BaseTool2.Run(["regatta", command], exit_code, output, reason))


class CommandLines(unittest.TestCase):
    def test_a_task_of_the_competition(self):
        limits = BaseTool2.ResourceLimits(900, 960, None, 15 * 10**9, 4)
        options = ["--portfolio", "svcomp", "--witness", "witness.yml"]
        self.assertEqual(
            command_line(options, prp="p.prp", task=C_TASK, limits=limits),
            ["bin/regatta", "verify", *options, "--property", "p.prp", "--data-model", "ILP32"]
            + ["--cpu-limit", "891", "--memory-limit", "13589", "--threads", "4", "a.c"],
        )

    def test_options_win(self):
        limits = BaseTool2.ResourceLimits(900, 960, 1000, None, 4)
        given = ["--cpu-limit", "5", "--threads", "1", "--time-limit", "7", "--data-model", "LP64"]
        self.assertEqual(command_line(given, task=C_TASK, limits=limits), ["bin/regatta", "verify", *given, "a.c"])

    def test_witnesses_are_validated(self):
        task = {**C_TASK, "witness_input_file": "w.yml"}
        line = command_line(files=["dir/a.c", "dir/w.yml"], task=task)
        self.assertEqual(
            line, ["bin/regatta", "validate", "--witness", "dir/w.yml", "--data-model", "ILP32", "dir/a.c"]
        )
        line = command_line(["validate", "--witness", "x.yml"])
        self.assertEqual(line, ["bin/regatta", "validate", "--witness", "x.yml", "a.c"])

    def test_what_is_not_supported(self):
        with self.assertRaises(UnsupportedFeatureException):
            command_line(files=["a.c", "b.c"])
        with self.assertRaises(UnsupportedFeatureException):
            command_line(task={"language": "C", "data_model": "LLP64"})


class Results(unittest.TestCase):
    def test_result_lines(self):
        for line, expected in [
            ("RESULT: TRUE", "true"),
            ("RESULT: FALSE(unreach-call)", "false(unreach-call)"),
            ("RESULT: FALSE(valid-deref)", "false(valid-deref)"),
            ("RESULT: UNKNOWN(CPU time limit)", "TIMEOUT"),
            ("RESULT: UNKNOWN(time limit)", "TIMEOUT"),
            ("RESULT: UNKNOWN(memory limit)", "OUT OF MEMORY"),
            ("RESULT: UNKNOWN(RESULT: TRUE)", "unknown"),
            ("RESULT: UNKNOWN()", "unknown"),
            ("RESULT: TRUE but", "ERROR"),
            ("no RESULT: TRUE", "ERROR"),
            ("RESULT: FALSE()", "ERROR"),
            ("", "ERROR"),
        ]:
            self.assertEqual(result_of(["noise", line]), expected, line)

    def test_a_refuted_witness_is_the_contrary_of_what_it_claims(self):
        for reason, expected in [
            ("the witness is refuted: the invariant `x < 7` at a.c:9:3 does not hold", "false"),
            ("the witness is refuted: no run along its path violates the property", "true"),
            ("the witness is refuted: no run along its path goes on for ever", "true"),
            ("no run along the first path violates the property", "unknown"),
            ("the witness cannot be confirmed: the invariant `1 / x` at a.c:9:3 has no defined value there", "unknown"),
        ]:
            line = f"RESULT: UNKNOWN({reason})"
            self.assertEqual(result_of([line], 2, command="validate"), expected, reason)
            self.assertEqual(result_of([line], 2), "unknown", reason)

    def test_the_last_line_counts(self):
        self.assertEqual(result_of(["RESULT: TRUE", "RESULT: UNKNOWN(x)"]), "unknown")
        self.assertEqual(result_of([]), "ERROR")

    def test_runs_without_an_answer(self):
        refused = ["p.prp:1:26: property file: property not supported: no-data-race"]
        self.assertEqual(result_of(refused, 3), "ERROR (property not supported)")
        self.assertEqual(result_of(["a.c:1:1: error"], 3), "ERROR (input refused)")
        self.assertEqual(result_of([], signal=9, reason="cputime"), "ERROR")

    def test_values(self):
        output = BaseTool2.RunOutput(["answered by bmc\n", "[ 0.1 s] answered by k-induction; error\n"])
        value = Tool().get_value_from_output
        self.assertEqual(value(output, "answered by ([a-z0-9-]+)"), "k-induction")
        self.assertEqual(value(output, "0.1 s"), "] answered by k-induction; error")
        self.assertIsNone(value(output, "refuted"))


class Definitions(unittest.TestCase):
    def test_definitions_name_what_there_is(self):
        source = (REPOSITORY / "src/run/config/mod.rs").read_text()
        shipped = set(re.findall(r'portfolios/([a-z0-9-]+)\.toml"', source))
        root = ElementTree.parse(HERE / "portfolios.xml").getroot()
        self.assertEqual({run.get("name") for run in root.iter("rundefinition")}, shipped)
        for name in ("portfolios.xml", "svcomp.xml", "validation.xml"):
            root = ElementTree.parse(HERE / name).getroot()
            self.assertEqual(root.get("tool"), "regtool.regatta", name)
            for option in root.iter("option"):
                if option.get("name") == "--portfolio":
                    self.assertIn(option.text, shipped, name)

    def test_papers_have_a_definition_for_each_configuration(self):
        names = re.findall(r'^    "([a-z0-9-]+)",$', (REPOSITORY / "src/run/config/papers.rs").read_text(), re.MULTILINE)
        root = ElementTree.parse(HERE / "papers.xml").getroot()
        runs = {run.get("name"): run.findtext("option") for run in root.iter("rundefinition")}
        self.assertEqual(runs, {name: f"papers/{name}" for name in names})
        self.assertEqual(root.get("tool"), "regtool.regatta")

    def test_no_category_is_there_twice(self):
        for name in ("svcomp.xml", "validation.xml"):
            tasks = [tasks.get("name") for tasks in ElementTree.parse(HERE / name).getroot().iter("tasks")]
            self.assertEqual(len(tasks), len(set(tasks)), name)
            self.assertGreater(len(tasks), 15, name)

    def test_tasks_exist(self):
        files = sorted((HERE / "tasks").glob("*.yml"))
        self.assertEqual(len(files), 10)
        for file in files:
            task = yaml.safe_load(file.read_text())
            named = [task["input_files"], *(prop["property_file"] for prop in task["properties"])]
            for path in named:
                self.assertTrue((file.parent / path).is_file(), f"{file}: {path}")

    def test_the_entry_of_fm_tools(self):
        entry = yaml.safe_load((HERE.parent / "competition/regatta.yml").read_text())
        schema = yaml.safe_load(check.installed_schema().read_text())
        self.assertEqual(list(check.complaints_about_entry(entry, schema)), [])
        for breaking, complaint in [
            (lambda e: e["techniques"].reverse(), "techniques is not sorted"),
            (lambda e: e.pop("id"), "id is missing"),
            (lambda e: e.pop("literature"), "literature is missing"),
            (lambda e: e.pop("literature"), "$: 'literature' is a required property"),
            (lambda e: e["versions"][0].update(doi="10.5281/x"), "$.versions[0].doi: '10.5281/x' does not match"),
            (lambda e: e["frameworks_solvers"].append("ZZ"), "$.frameworks_solvers[3]: 'ZZ' is not valid"),
            (lambda e: e["competition_participations"][1].update(track="Validation"), "$.competition_participations[1].track"),
            (lambda e: e.update(extra=1), "unknown keys: ['extra']"),
            (lambda e: e["competition_participations"][0].update(tool_version="x"), "there is no version x"),
            (lambda e: e["versions"][1].update(version="svcomp28"), "two versions have the same name"),
        ]:
            broken = copy.deepcopy(entry)
            breaking(broken)
            complaints = list(check.complaints_about_entry(broken, schema))
            self.assertTrue(any(found.startswith(complaint) for found in complaints), f"{complaint}: {complaints}")


class Archives(unittest.TestCase):
    GOOD = [("r/LICENSE", 0o644), ("r/README.md", 0o644), ("r/smoketest.sh", 0o755), ("r/bin/regatta", 0o755)]

    def complaints(self, entries, kind=stat.S_IFREG):
        return list(check.complaints_about_archive([(name, kind | mode) for name, mode in entries]))

    def test_rules(self):
        self.assertEqual(self.complaints(self.GOOD), [])
        for number in range(len(self.GOOD)):
            self.assertEqual(len(self.complaints(self.GOOD[:number] + self.GOOD[number + 1 :])), 1)
        for extra in [("s/x", 0o644), ("x", 0o644), ("r/.git/config", 0o644), ("r/src/a.rs", 0o644)] + [
            ("r/../x", 0o644), ("r/secret", 0o600), ("r/__MACOSX/x", 0o644), ("r/a/tests/x", 0o644)
        ]:  # fmt: skip
            self.assertEqual(len(self.complaints([*self.GOOD, extra])), 1, extra)
        self.assertEqual(len(self.complaints([*self.GOOD[:3], ("r/bin/regatta", 0o644)])), 1)
        self.assertEqual(len(self.complaints(self.GOOD, stat.S_IFLNK)), 4)


class ResultFiles(unittest.TestCase):
    def result(self, **changes):
        run = {"status": "false(unreach-call)", "category": "correct", "cputime": "0.5s", "walltime": "0.3s", **changes}
        columns = "".join(
            f'<column title="{title}" value="{value}"/>' for title, value in run.items() if value is not None
        )
        return (
            '<result benchmarkname="b" tool="Regatta" version="0.1.0" date="2026-11-22 15:27:52 UTC"'
            ' starttime="2026-11-22T15:27:52+00:00" generator="g" timelimit="900s" memlimit="1000B" cpuCores="1">'
            '<columns><column title="status"/><column title="cputime"/><column title="walltime"/></columns>'
            '<run name="a.yml" files="[a.c]" properties="unreach-call" propertyFile="u.prp" expectedVerdict="false">'
            f"{columns}</run></result>"
        )

    def test_rules(self):
        rules = result_rules.complaints
        self.assertEqual(list(rules(self.result())), [])
        self.assertEqual(list(rules(self.result(status="TIMEOUT", category="error"))), [])
        self.assertEqual(list(rules(self.result(status="unknown", category="unknown"))), [])
        for wrong in [
            {"status": None}, {"category": None}, {"category": "right"}, {"cputime": "fast"}, {"cputime": "-1s"},
            {"category": "wrong"}, {"status": "true"}, {"status": "true", "category": "correct"},
            {"status": "false(no-overflow)"}, {"status": "unknown"}, {"memory": "5"}, {"walltime": None},
        ]:  # fmt: skip
            self.assertNotEqual(list(rules(self.result(**wrong))), [], wrong)
        self.assertNotEqual(list(rules("<result>")), [])
        self.assertNotEqual(list(rules(self.result().replace('tool="Regatta"', ""))), [])
        environment = self.result().replace("<columns>", "<systeminfo><environment><var name=\"HOME\">/root</var></environment></systeminfo><columns>")
        self.assertNotEqual(list(rules(environment)), [])


if __name__ == "__main__":
    unittest.main()
