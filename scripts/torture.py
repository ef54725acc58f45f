#!/usr/bin/env python3
"""Compares verdicts with what compiled programs do, on programs that check themselves.

Each program of a folder (gcc's torture tests, for instance: `gcc.c-torture/execute` in Debian's package gcc-12-source) calls
`abort` where it finds something wrong and else ends with exit code 0. It is compiled and run; one that neither ends so nor
aborts is left out, as are programs that do not compile. The verifier is asked whether `abort` can be called: FALSE for a
program that ends, or TRUE for one that aborts, is wrong. A program that is refused (exit code 3) is not read.

The exit code is 1 if an answer is wrong or the verifier has crashed.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

PROPERTY = "CHECK( init(main()), LTL(G ! call(abort())) )\n"


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the programs are (.c files, also in folders below)")
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"), help="the binary")
    parser.add_argument("--model", choices=["LP64", "ILP32"], default="LP64", help="the data model (default LP64)")
    parser.add_argument("--limit", type=float, default=5, help="seconds for a verdict (default 5)")
    parser.add_argument("--every", type=int, default=1, help="only every N-th program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--leave-out", default=r"__float128|_Float128|f?open *\(", metavar="PATTERN",
                        help="programs with this in their text are left out (default: 128-bit floats and files)")
    parser.add_argument("--out", type=pathlib.Path, help="a table of all answers, with tabs between columns")
    parser.add_argument("--option", action="append", default=[], help="an option for the verifier, may be given more than once")
    return parser.parse_args()


def outcome(program, text, folder, model):
    """What the compiled program does: "ends", "aborts", or why it is left out."""
    binary = pathlib.Path(folder, "program")
    flags = re.findall(r"dg-(?:additional-)?options \"([^\"]*)\"", text)
    chosen = [flag for flag in " ".join(flags).split() if flag.startswith(("-std=", "-fwrapv", "-D"))]
    # With SSE, floating-point types are evaluated as what they are, as in the programs that are modelled.
    machine = ["-m32", "-msse2", "-mfpmath=sse"] if model == "ILP32" else ["-m64"]
    command = ["gcc", "-O0", "-w", *machine, *chosen, str(program), "-o", str(binary), "-lm"]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        return "does not compile"
    try:
        code = subprocess.run([str(binary)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd=folder, timeout=10).returncode
    except subprocess.TimeoutExpired:
        return "does not end"
    return {0: "ends", -signal.SIGABRT: "aborts"}.get(code, "ends otherwise")


def verdict(program, folder, arguments):
    """The verifier's answer with its last words, and the exit code."""
    prp = pathlib.Path(folder, "abort.prp")
    prp.write_text(PROPERTY)
    command = [arguments.regatta, "verify", "--property", str(prp), "--data-model", arguments.model,
               "--time-limit", str(arguments.limit), "--threads", "2", *arguments.option, str(program)]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=arguments.limit + 20)
    except subprocess.TimeoutExpired:
        return "overrun", ""
    said = run.stdout.decode(errors="replace").strip().splitlines()
    last = said[-1] if said else ""
    if run.returncode == 3:
        errors = run.stderr.decode(errors="replace").strip().splitlines()
        return "refused", " ".join(line.strip() for line in errors)[:240]
    for name, code in [("TRUE", 0), ("FALSE", 1), ("UNKNOWN", 2)]:
        if last.startswith(f"RESULT: {name}") and run.returncode == code:
            return name, last
    return "crash", f"{run.returncode} {last}"


def judge(expected, answer):
    wrong = {("ends", "FALSE"), ("aborts", "TRUE")}
    if answer in ("crash", "overrun"):
        return answer
    return "wrong" if (expected, answer) in wrong else answer


def one(program, arguments):
    text = program.read_text(errors="replace")
    if re.search(arguments.leave_out, text):
        return program, "left out", "", "left out"
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(program, text, folder, arguments.model)
        if expected not in ("ends", "aborts"):
            return program, expected, "", "left out"
        answer, words = verdict(program, folder, arguments)
        return program, expected, words, judge(expected, answer)


def main():
    arguments = options()
    programs = sorted(arguments.folder.rglob("*.c"))[:: arguments.every]
    if not programs:
        sys.exit(f"torture: no programs in {arguments.folder}")
    counts, bad = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda program: one(program, arguments), programs))
    for program, expected, words, judged in rows:
        counts[judged] += 1
        if judged in ("wrong", "crash", "overrun"):
            bad += 1
            print(f"!! {program}: {judged}, the program {expected}: {words}")
    if arguments.out:
        arguments.out.write_text("".join(f"{program}\t{expected}\t{judged}\t{words}\n" for program, expected, words, judged in rows))
    asked = len(rows) - counts["left out"]
    read = asked - counts["refused"]
    decided = counts["TRUE"] + counts["FALSE"]
    print(f"{asked} programs ({counts['left out']} left out), read {read}, decided {decided}, wrong {counts['wrong']}, "
          f"refused {counts['refused']}, UNKNOWN {counts['UNKNOWN']}, crashed {counts['crash']}, overrun {counts['overrun']}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
