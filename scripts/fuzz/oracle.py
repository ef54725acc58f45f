"""What a program does when it is compiled: runs on all of its inputs, or on given ones."""

import pathlib
import subprocess
import threading

# The meaning that the verifier gives C: wrapping overflow, no fused operations, nothing that uses undefined behaviour.
FLAGS = ["-O0", "-fwrapv", "-ffp-contract=off", "-w"]
MACHINES = {"LP64": ["-m64"], "ILP32": ["-m32", "-msse2", "-mfpmath=sse"]}
# What is undefined also with those flags ends the run.
SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero",
              "-fno-sanitize=shift-base,float-divide-by-zero,null", "-fno-sanitize-recover=all"]


class Refused(Exception):
    """The compiler does not take the program."""


class Run:
    """How a run ended ("ended", "error", "abort", "lost", or a signal's number), its inputs, and what it observed."""

    def __init__(self, line):
        start, observed = line.split(" |")
        self.ending, *self.inputs = start.split(" ")
        self.observed = [(int(number), int(value, 16)) for number, value in (pair.split(":") for pair in observed.split())]

    def is_defined(self):
        return self.ending in ("ended", "error", "abort")

    def last(self, count):
        """The values at the end: the last of each observation, zero where there was none."""
        values = [0] * count
        for number, value in self.observed:
            values[number] = value
        return values


class Oracle:
    def __init__(self, work, compiler="cc"):
        self.work, self.compiler, self.harnesses = pathlib.Path(work), compiler, {}
        # Harnesses are made once, whoever asks first.
        self.making = threading.Lock()

    def works(self, model):
        """Whether programs of the data model can be made and run here."""
        try:
            return self.run(self.build("int main(void) { return 0; }", model, "probe"), []).is_defined()
        except (Refused, OSError):
            return False

    def compile(self, arguments):
        done = subprocess.run([self.compiler, *arguments], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Refused(done.stderr)

    def build(self, text, model, name, sanitize=False):
        """Compiles a program with the harness; returns the path of the binary."""
        flags = FLAGS + MACHINES[model] + (SANITIZERS if sanitize else [])
        key = (model, sanitize)
        with self.making:
            if key not in self.harnesses:
                harness = self.work / f"harness-{model}-{sanitize}.o"
                self.compile([*FLAGS, *MACHINES[model], "-c", str(pathlib.Path(__file__).parent / "harness.c"), "-o", str(harness)])
                self.harnesses[key] = harness
        source, binary = self.work / f"{name}.log.c", self.work / f"{name}.out"
        source.write_text(text)
        self.compile([*flags, "-Dmain=program_main", str(source), "-x", "none", str(self.harnesses[key]), "-o", str(binary), "-lm"])
        source.unlink()
        return binary

    def lines(self, binary, arguments):
        environment = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=77", "UBSAN_OPTIONS": "halt_on_error=1"}
        done = subprocess.run([str(binary), *arguments], capture_output=True, text=True, timeout=120, env=environment)
        return done.stdout.splitlines()

    def run(self, binary, inputs):
        return Run(self.lines(binary, ["run", *map(str, inputs)])[0])

    def all_runs(self, binary, domains, maximum):
        """The runs on all inputs of the domains, and whether these are all: there is a maximum, also of time."""
        *runs, end = self.lines(binary, ["all", str(maximum), *(f"{type}:{low}:{count}" for type, (low, count) in domains.items())])
        return [Run(line) for line in runs], end == "complete"
