"""Which programs, checks, engines and data models; findings, how they are kept, reduced and looked at again."""

import collections
import json
import pathlib
import shlex
import subprocess
import sys
import threading

from . import control, library, memory, openness, surroundings, values
from .oracle import FLAGS, MACHINES, Refused
from .program import NAMED, Check, Program, lines_of_checks, with_names_of_checks, with_report
from .verifier import ROTATION

GENERATORS = {
    function.__name__: function
    for function in [
        memory.pointers, control.jumps, memory.bit_fields, memory.structures, values.conversions, control.loops, memory.arrays,
        control.recursion, control.function_pointers, library.library, values.floats, control.order, control.inputs,
        memory.heap, memory.initialisers, memory.layout, control.scopes, library.printing, openness.undetermined, openness.environment, openness.addresses, openness.conflicts,
        surroundings.late, surroundings.volatiles, surroundings.elsewhere, surroundings.sections, surroundings.symbols, surroundings.opaque, surroundings.streams,
    ]
}
# What the compiled program does is one possibility among others there: the generator itself says which checks hold.
OPEN = {"undetermined", "environment", "addresses", "conflicts", "late", "volatiles", "elsewhere"}
# The compiler, the linker and the library define what these programs do.
BY_SYSTEM = {"sections", "symbols", "opaque", "streams"}
# The interpreter has no values for what models approximate.
NOT_INTERPRETED = OPEN | BY_SYSTEM | {"printing"}
MAXIMUM_OF_RUNS = 1024
INTERPRETED_RUNS = 3
VALUES_OF_FREE_INPUTS = ["0", "1", "2", "3", "-1", "-2", "7", "8", "100", "127", "128", "255", "256", "-128", "32767", "65535", "2147483647",
                         "-2147483648", "4294967295", "12345678", "9223372036854775807", "-9223372036854775808"]


class Finding(dict):
    """What is needed to see it again: kind, text, model, portfolio, inputs, domains, and for the reader expected and got."""


def observed_checks(program, runs, complete):
    """Checks that a run violates, that no run can violate, and of which nothing is known."""
    # The last observation stands before the end, which a return before it does not reach.
    reached = [run for run in runs if run.ending == "ended" and run.observed and run.observed[-1][0] == program.observations - 1]
    finals = [run.last(program.observations) for run in reached]
    at = collections.defaultdict(collections.Counter)
    for run in runs:
        for number, value in run.observed:
            at[number][value] += 1
    checks = []

    def constant(value):
        return f"{value:#x}ull"

    def rare(counter):
        # What few runs observe is harder to find.
        few = sorted(counter.items(), key=lambda item: (item[1], item[0]))[:4]
        return program.pick(few)[0]

    def absent(counter):
        """Values like those observed that are none of them."""
        value = program.pick(sorted(counter))
        near = [value + 1, value - 1, value ^ 1 << program.number(0, 63), value ^ 1 << program.number(0, 7), ~value, 0, max(counter) + 1]
        return [v & (1 << 64) - 1 for v in near if v & (1 << 64) - 1 not in counter]

    if at:
        number = program.pick(sorted(at))
        checks.append(Check(f"it == {constant(rare(at[number]))}", "reached", number))
        number = program.pick(sorted(at))
        candidates = absent(at[number])
        if candidates:
            checks.append(Check(f"it == {constant(program.pick(candidates))}", "unreachable" if complete else "either", number))
        if complete:
            number = program.pick(sorted(at))
            seen = sorted(at[number])
            ways = [f"it > {constant(seen[-1])}"] if seen[-1] < (1 << 64) - 1 else []
            ways += [f"it < {constant(seen[0])}"] if seen[0] > 0 else []
            ways += [" && ".join(f"it != {constant(value)}" for value in seen)] * 2 if len(seen) <= 6 else []
            for mask in (1, 3, 7, 0xff, 0x80000000):
                missing = {v & mask for v in (0, 1, 2, 3, 5, 0x80, 0x80000000)} - {value & mask for value in seen}
                ways += [f"(it & {mask}) == {constant(program.pick(sorted(missing)))}"] if missing else []
            if ways:
                checks.append(Check(program.pick(ways), "unreachable", number))
    if finals and program.observations > 1:
        first, second = program.sample(range(program.observations), 2)
        pairs = collections.Counter((final[first], final[second]) for final in finals)
        one, other = rare(pairs)
        checks.append(Check(f"o{first} == {constant(one)} && o{second} == {constant(other)}", "reached"))
        one, other = program.pick(sorted(pairs))[0], program.pick(sorted(pairs))[1]
        if (one, other) not in pairs:
            checks.append(Check(f"o{first} == {constant(one)} && o{second} == {constant(other)}", "unreachable" if complete else "either"))
        if complete and len(pairs) <= 6:
            condition = " || ".join(f"(o{first} == {constant(a)} && o{second} == {constant(b)})" for a, b in sorted(pairs))
            checks.append(Check(f"!({condition})", "unreachable"))
    return checks


class Driver:
    def __init__(self, oracle, verifier, work, options):
        self.oracle, self.verifier, self.work, self.options = oracle, verifier, pathlib.Path(work), options
        self.findings = []
        self.programs = collections.Counter()  # by generator and what became of them
        self.answers = collections.Counter()  # by generator, portfolio and verdict

    def examine(self, generator, seed, model):
        """One program under one data model: what the interpreter computes, what the verifier says."""
        name = f"{generator}-{seed}-{model}"
        program = Program(seed, generator, model)
        GENERATORS[generator](program)
        self.programs[generator, "programs"] += 1
        if generator in OPEN:
            runs, complete = [], False
        else:
            try:
                runs, complete = self.runs(program, name)
            except (Refused, subprocess.TimeoutExpired) as error:
                self.programs[generator, "not compiled"] += 1
                print(f"{name} is not compiled: {error}"[:600], file=sys.stderr)
                return
            if any(not run.is_defined() and run.ending != "14" for run in runs):
                self.programs[generator, "undefined"] += 1
                self.remark(name, "is not defined: " + next(run.ending for run in runs if not run.is_defined()))
                return
            complete = complete and all(run.is_defined() for run in runs)
            runs = [run for run in runs if run.is_defined()]
            if not runs:
                self.programs[generator, "slow"] += 1
                return
        if self.options.all:
            if generator not in OPEN:
                self.ask_about_all(program, runs, complete, name, generator, seed)
            return
        if self.options.mode != "verdicts" and generator not in NOT_INTERPRETED:
            self.compare_with_interpreter(program, runs, name, generator, seed)
        if self.options.mode == "verdicts" or (self.options.mode == "both" and (seed % 4 == 0 or generator in NOT_INTERPRETED)):
            self.ask_verifier(program, runs, complete, name, generator, seed)

    def remark(self, name, text):
        if self.options.verbose:
            print(f"{name} {text}", file=sys.stderr)

    def runs(self, program, name):
        binary = self.oracle.build(program.text("log"), program.model, name)
        try:
            if not program.free:
                return self.oracle.all_runs(binary, program.domains, MAXIMUM_OF_RUNS)
            few = [[program.pick(VALUES_OF_FREE_INPUTS[:8]) for _ in range(40)] for _ in range(4)]
            any = [[program.pick(VALUES_OF_FREE_INPUTS) for _ in range(40)] for _ in range(8)]
            return [self.oracle.run(binary, inputs) for inputs in few + any], False
        finally:
            binary.unlink()

    def file(self, name, text):
        path = self.work / f"{name}.c"
        path.write_text(text)
        return path

    def compare_with_interpreter(self, program, runs, name, generator, seed):
        text = program.text("store")
        path = self.file(name, text)
        # Where a run is aborted the interpreter may stop some assignments before.
        for run in program.sample([run for run in runs if run.ending == "ended"], INTERPRETED_RUNS):
            expected = run.last(program.observations)
            got, trouble = self.verifier.interpret(path, program.model, run.inputs, program.observations)
            if trouble and ("step limit" in trouble):
                self.programs[generator, "step limit"] += 1
                continue
            self.programs[generator, "runs compared"] += 1
            if got == expected:
                continue
            differing = [n for n in range(program.observations) if got and got[n] != expected[n]]
            finding = Finding(kind="interpreted", model=program.model, inputs=run.inputs, observations=program.observations, text=text, seed=seed, generator=generator,
                              expected=", ".join(f"o{n} = {expected[n]:#x}" for n in differing) or "the values of the compiled program",
                              got=trouble or ", ".join(f"o{n} = {got[n]:#x}" for n in differing),
                              command=f"{self.verifier.binary} interpret program.c --data-model {program.model} --inputs={','.join(run.inputs)} "
                                      + " ".join(f"--print-global o{n}" for n in differing))
            self.keep(finding, name)
            break
        path.unlink()

    def ask_verifier(self, program, runs, complete, name, generator, seed):
        checks = program.checks if generator in OPEN else observed_checks(program, runs, complete)
        portfolios = self.options.portfolio or ROTATION
        for turn, check in enumerate(program.sample(checks, self.options.checks)):
            portfolio = program.pick(portfolios)
            text = program.text("store", check)
            path = self.file(f"{name}-{turn}", text)
            answer = self.verifier.verify(path, program.model, portfolio)
            path.unlink()
            self.answers[generator, portfolio, answer.verdict] += 1
            self.programs[generator, "checks"] += 1
            finding = Finding(kind="verdict", model=program.model, portfolio=portfolio, text=text, expected=check.expected, domains=program.domains, free=program.free,
                              command=shlex.join(self.verifier.command("program.c", program.model, portfolio)), seed=seed, generator=generator, inputs=[], open=generator in OPEN)
            got = self.judge(finding, answer, name)
            if got:
                finding["got"] = got
                if check.expected == "reached":
                    finding["inputs"] = next((run.inputs for run in runs if self.violates(finding, run.inputs)), [])
                self.keep(finding, f"{name}-{portfolio}")

    def ask_about_all(self, program, runs, complete, name, generator, seed):
        """Several checks in one program, each of which the verifier decides by itself."""
        checks = program.sample(observed_checks(program, runs, complete), max(self.options.checks, 3))
        if len(checks) < 2:
            return
        portfolio = program.pick(self.options.portfolio or ["default"])
        finding = Finding(kind="checks", model=program.model, portfolio=portfolio, text=program.text("store", *checks), expected="the verdicts of the runs",
                          domains=program.domains, free=program.free, complete=complete, runs=[run.inputs for run in runs] if program.free else [],
                          inputs=[], seed=seed, generator=generator,
                          command=shlex.join(self.verifier.command("program.c", program.model, portfolio, "--all")))
        self.programs[generator, "checks"] += len(checks)
        got = self.judge_checks(finding)
        if got:
            finding["got"] = got
            self.keep(finding, f"{name}-all")

    def name_of_checks(self, finding):
        """A name for the files of a program with several checks; other programs may be examined beside it."""
        return f"checks-{finding['generator']}-{finding['seed']}-{finding['model']}"

    def violated_checks(self, finding):
        """The checks that the compiled program violates in some run."""
        binary = self.oracle.build(with_names_of_checks(finding["text"]), finding["model"], self.name_of_checks(finding))
        try:
            if finding["free"]:
                runs = [self.oracle.run(binary, inputs) for inputs in finding["runs"]]
            else:
                runs = self.oracle.all_runs(binary, finding["domains"], MAXIMUM_OF_RUNS)[0]
            return {run.observed[-1][0] - NAMED for run in runs if run.ending == "error"}
        finally:
            binary.unlink()

    def judge_checks(self, finding):
        """What is wrong with the verdicts of a program's checks, or None."""
        path = self.file(self.name_of_checks(finding), finding["text"])
        answer = self.verifier.verify(path, finding["model"], finding["portfolio"], "--all")
        path.unlink()
        if answer.trouble:
            return answer.trouble
        violated, wrong = self.violated_checks(finding), []
        for line, check in lines_of_checks(finding["text"]).items():
            # What is no check of the program as lowered is not reachable.
            verdict = answer.checks.get(line, "excluded")
            self.answers[finding["generator"], f"{finding['portfolio']} --all", {"excluded": "TRUE", "violated": "FALSE"}.get(verdict, "UNKNOWN")] += 1
            if verdict == "excluded" and check in violated:
                wrong.append(f"check {check} excluded, which a run violates")
            if verdict == "violated" and finding["complete"] and check not in violated:
                wrong.append(f"check {check} violated, which no run violates")
        verdicts = set(answer.checks.values())
        result = "FALSE" if "violated" in verdicts else "TRUE" if verdicts == {"excluded"} else "UNKNOWN"
        if verdicts and answer.verdict != result:
            wrong.append(f"{answer.reason}, but the checks give {result}")
        return "; ".join(wrong) or None

    def violates(self, finding, inputs, sanitize=False):
        """Whether the compiled program calls reach_error on the inputs."""
        # Programs are looked at side by side.
        name = f"replay-{threading.get_ident()}"
        binary = self.oracle.build(finding["text"], finding["model"], name, sanitize)
        try:
            return self.oracle.run(binary, inputs).ending == "error"
        finally:
            binary.unlink()

    def judge(self, finding, answer, name):
        """What is wrong with an answer, or None."""
        expected = finding["expected"]
        if answer.trouble:
            finding["kind"] = "trouble"
            finding["trouble"] = answer.trouble[:30]
            return answer.trouble
        if answer.verdict == "TRUE" and expected in ("reached", "possible"):
            return "TRUE"
        if answer.verdict == "FALSE" and expected == "unreachable":
            return f"FALSE with inputs {answer.inputs}"
        if answer.verdict == "FALSE" and expected != "possible":
            finding["kind"] = "replay"
            if not self.violates(finding, answer.inputs):
                return f"FALSE with inputs {answer.inputs}, on which the compiled program does not reach the error"
        return None

    def is_defined(self, finding):
        """Whether the sanitizers find nothing in the program of a finding, on any inputs that are tried."""
        if finding.get("open"):
            return True
        text = finding["text"]
        if finding["kind"] == "interpreted":
            text = with_report(text, finding["observations"])
        binary = self.oracle.build(text, finding["model"], "sanitized", sanitize=True)
        try:
            if finding.get("domains") and not finding.get("free"):
                runs = self.oracle.all_runs(binary, finding["domains"], 200)[0]
            else:
                runs = []
            runs.append(self.oracle.run(binary, finding["inputs"]))
            return all(run.is_defined() for run in runs)
        finally:
            binary.unlink()

    def keep(self, finding, name):
        try:
            if not self.is_defined(finding):
                self.programs[finding["generator"], "undefined"] += 1
                self.remark(name, "is not defined: a sanitizer stops it")
                return
        except Refused as error:
            self.remark(name, f"cannot be compiled with sanitizers: {error}"[:300])
        folder = self.work / name
        folder.mkdir(exist_ok=True)
        (folder / "program.c").write_text(finding["text"])
        about = {key: value for key, value in finding.items() if key != "text"}
        (folder / "finding.json").write_text(json.dumps(about, indent=1) + "\n")
        script = pathlib.Path(__file__).parent.parent.resolve() / "fuzz-verdicts.py"
        interesting = folder / "interesting.sh"
        interesting.write_text(f"#!/bin/sh\n# Whether program.c is still wrong in that way; for creduce.\nexec {shlex.quote(sys.executable)} {shlex.quote(str(script))} "
                               f"--regatta {shlex.quote(self.verifier.binary)} --limit {self.verifier.limit} --still {shlex.quote(str(folder.resolve() / 'finding.json'))} program.c\n")
        interesting.chmod(0o755)
        self.findings.append((name, finding))
        print(f"FOUND {name}: expected {finding['expected']}, got {finding['got']}", flush=True)
        if self.options.reduce:
            reduce(folder, self.options.reduce)

    def still(self, finding):
        """Whether a program, perhaps a reduced one, is still wrong in the way of the finding, and defined."""
        strict = ["-O1", "-Wall", "-Werror=uninitialized", "-Werror=maybe-uninitialized", "-Werror=sequence-point", "-Werror=return-type",
                  "-Werror=implicit-function-declaration", "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=array-bounds", "-fwrapv", *MACHINES[finding["model"]]]
        if not finding.get("open"):
            source = self.file("strict", finding["text"])
            self.oracle.compile([*strict, "-c", "-o", "/dev/null", str(source)])
        if not self.is_defined(finding):
            return False
        if finding["kind"] == "checks":
            return self.judge_checks(finding) is not None
        path = self.file("program", finding["text"])
        if finding["kind"] == "interpreted":
            binary = self.oracle.build(with_report(finding["text"], finding["observations"]), finding["model"], "report")
            run = self.oracle.run(binary, finding["inputs"])
            got, trouble = self.verifier.interpret(path, finding["model"], run.inputs, finding["observations"])
            if finding["got"].startswith("exit code"):
                return trouble is not None and trouble[:40] == finding["got"][:40]
            return run.ending in ("ended", "abort") and got is not None and got != run.last(finding["observations"])
        answer = self.verifier.verify(path, finding["model"], finding["portfolio"])
        if finding["kind"] == "trouble":
            return bool(answer.trouble) and answer.trouble[:30] == finding["trouble"]
        if answer.trouble:
            return False
        if finding["got"].startswith("TRUE"):
            return answer.verdict == "TRUE" and (finding.get("open") or self.violates(finding, finding["inputs"]))
        if finding.get("open"):
            return answer.verdict == "FALSE"
        return answer.verdict == "FALSE" and not answer.open_inputs and not self.violates(finding, answer.inputs)


def reduce(folder, seconds):
    """Lets creduce make program.c smaller; the original stays as program.c.orig."""
    try:
        subprocess.run(["timeout", str(seconds), "creduce", "--n", "1", "--timeout", "60", "./interesting.sh", "program.c"],
                       cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        print("creduce is missing: apt-get install creduce", file=sys.stderr)
