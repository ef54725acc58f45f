"""The verifier's answers, and the values that its interpreter computes."""

import json
import os
import re
import signal
import subprocess
import time

ENGINES = ["simulate", "exhaustive", "boxes", "bmc", "unwind", "ki", "df", "states", "fits", "objects", "polynomials", "kipdr", "predicate-abstraction", "impact", "ctigar", "spacer", "horn", "summaries"]
# Each engine alone, the default most often, and now and then those that share.
ROTATION = ["default", *ENGINES[:6], "default", *ENGINES[6:], "ki-df", "vvt", "ki-df-kipdr", "svcomp", "spacer-variables", "predicate-abstraction-kipdr", "ufo"]


class Answer:
    """`verdict` is "TRUE", "FALSE", "UNKNOWN", or None where there was no result; `trouble` says what else is wrong."""

    def __init__(self, verdict, inputs=(), open_inputs=(), trouble=None, seconds=0.0, reason=""):
        self.verdict, self.inputs, self.trouble, self.seconds, self.reason = verdict, list(inputs), trouble, seconds, reason
        # Values of an alarm that no call of __VERIFIER_nondet_X gave.
        self.open_inputs = list(open_inputs)
        # The verdicts of the checks by their lines, with --all.
        self.checks = {}


class Verifier:
    def __init__(self, binary, limit, threads=1):
        self.binary, self.limit, self.threads = str(binary), limit, threads

    def command(self, file, model, portfolio, *others):
        chooses = any(option.startswith(("--checks", "--property")) for option in others)
        checks = [] if chooses else ["--checks", "assertions"]
        return [self.binary, "verify", "--data-model", model, "--portfolio", portfolio, "--time-limit", str(self.limit),
                "--threads", str(self.threads), *checks, *others, str(file)]

    def verify(self, file, model, portfolio, *others):
        command = self.command(file, model, portfolio, *others)
        start = time.monotonic()
        process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            output, errors = process.communicate(timeout=self.limit + 20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Answer(None, trouble=f"does not end within {self.limit} + 20 s", seconds=self.limit + 20)
        seconds = time.monotonic() - start
        lines = output.splitlines()
        result = lines[-1] if lines else ""
        verdict = result.removeprefix("RESULT: ").split("(")[0] if result.startswith("RESULT: ") else None
        events = [json.loads(line) for line in lines if line.startswith("{")]
        trouble = None
        if verdict is None:
            trouble = f"exit code {process.returncode}: {errors.strip()[:400]}"
        for event in events:
            if event["event"] in ("panicked", "refuted", "crashed"):
                trouble = f"{event['event']}: {event}"
        if "internal error" in errors or "panicked" in errors:
            trouble = trouble or errors.strip()[:400]
        if process.returncode != {"TRUE": 0, "FALSE": 1, "UNKNOWN": 2, None: process.returncode}[verdict]:
            trouble = f"{result} with exit code {process.returncode}"
        if seconds > self.limit + 1:
            trouble = trouble or f"outlasts its limit: {seconds:.1f} s of {self.limit} s"
        given, open_inputs = [], []
        for event in events:
            for value in event.get("inputs", []) if event["event"] == "concluded" else []:
                # Models of the library have unknown values, too.
                is_given = value["source"].startswith("__VERIFIER_nondet_") and value["place"] != "<built-in>"
                (given if is_given else open_inputs).append(value["value"])
        answer = Answer(verdict, given, open_inputs, trouble, seconds, result)
        for event in events:
            if event["event"] == "checks":
                answer.checks = {int(row["place"].rsplit(":", 2)[1]): row["verdict"] for row in event["checks"]}
        return answer

    def interpret(self, file, model, inputs, observations):
        """The values of o0, o1, … at the end, and None; or None and what is wrong."""
        return self.interpret_used(file, model, inputs, list(range(observations)))

    def interpret_used(self, file, model, inputs, used):
        command = [self.binary, "interpret", str(file), "--data-model", model, "--checks", "assertions"]
        if inputs:
            command += ["--inputs", ",".join(inputs)]
        for number in used:
            command += ["--print-global", f"o{number}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None, "the interpreter does not end within 60 s"
        errors = done.stderr.strip()
        unused = re.search(r"there is no global variable `o(\d+)`", errors)
        if unused and int(unused[1]) in used:
            # Nothing that can be reached writes it: it is zero.
            place = used.index(int(unused[1]))
            values, wrong = self.interpret_used(file, model, inputs, used[:place] + used[place + 1:])
            return (None, wrong) if wrong else (values[:place] + [0] + values[place:], None)
        # A run that an assumption ends has exit code 2, too.
        if done.returncode not in (0, 2) or (errors and "an assumption does not hold" not in errors):
            return None, f"exit code {done.returncode}: {errors[:400]}"
        values = [int(line, 16) for line in done.stdout.split()]
        if len(values) != len(used):
            return None, f"{len(values)} values of {len(used)}"
        return values, None
