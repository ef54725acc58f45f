#!/usr/bin/env python3
"""Plants faults into a copy of the sources one at a time, and prints who catches each.

    planted-faults.py [run] [--only REGEX] [--binary FILE] [--test NAME=FILE]... [--time SECONDS] [--jobs N]
    planted-faults.py check
    planted-faults.py apply FOLDER
    planted-faults.py collect FOLDER
    planted-faults.py refresh [--moved OLD=NEW]...

The sources have no faults. What puts them in is kept in tests/faults:

    patches/SOURCE.patch  for each source, its faults: `planted!("name", right, wrong)` in the place of what is right
    planted.rs            the macro, which chooses at run time by the names in REGATTA_PLANTED_FAULT; a patch of a crate's
                          root makes it known to the crate
    faults.tsv            the list: faults, a program, its verdict, the command's options, who catches the faults

A name begins with the part of the program that the fault is in, and goes on with what is believed where it is planted. A *lie*
is a fault of an engine that hands in a certificate for nothing: the checker catches all of them, but for those that a fault of
its own lets through. Instead of a program, a line may name a package and those of its unit tests of which one fails
(`library`: the package regatta); the verdict is `pass` then.

run      Builds the command and the tests in a copy with all faults (in ${REGATTA_CACHE:-~/.cache/regatta}/faults), unless
         binaries that were built so are given, and runs each line of the list. Caught by means:

             certificate checker  a proof that rests on the fault was not confirmed
             replay               an alarm, or the claim that there is one run only, was not confirmed
             second opinion       `--check thorough`: two solvers disagree, or a simplification is wrong
             assertion            a consistency check of debug builds
             verdict              nothing but the program's known verdict: the answer was wrong
             test                 one of the unit tests fails
             nobody               the answer was right, and no complaint was heard

         Everything is run without faults first: then answers must not be wrong, and tests pass. At the end comes a table in
         Markdown: how many faults of each part of the program were caught by whom; a fault with several lines may be caught
         by several. The exit code is 1 if a fault is caught by nobody, or by another than the list says.
check    Whether each patch can be applied, each fault has a line in the list, and each line has its faults and its program.
apply    Copies the files of the checkout into the folder, with all faults.
collect  Writes the patches anew from such a folder. This is how a fault is added: apply, edit the folder, collect, add a line.
refresh  Writes the patches anew where sources have changed near faults, as a three-way merge does; --moved tells where a
         source or a folder of sources has gone. What conflicts is left in a folder, to be edited and collected.
"""

import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTS = ROOT / "tests" / "faults"
PATCHES = FAULTS / "patches"
CACHE = pathlib.Path(os.environ.get("REGATTA_CACHE") or pathlib.Path.home() / ".cache" / "regatta") / "faults"
# In a copy: the hashes of the files as they are in the checkout.
MANIFEST = ".planted-faults.json"
RIGHT = {
    "true": ["RESULT: TRUE"],
    "false": ["RESULT: FALSE(unreach-call)"],
    "unknown": [],
}


# The patches.


def git(*arguments, folder=ROOT, **options):
    """Runs git, which is to take nothing from the user's settings, nor from a repository around another folder than ours."""
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    if folder != ROOT:
        environment = {name: value for name, value in environment.items() if name not in ("GIT_DIR", "GIT_WORK_TREE")}
        environment["GIT_CEILING_DIRECTORIES"] = str(pathlib.Path(folder).resolve().parent)
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, **options)


def patches():
    """The patch of each source, by the source's name."""
    files = sorted(PATCHES.rglob("*.patch"))
    return {file.relative_to(PATCHES).as_posix().removesuffix(".patch"): file for file in files}


def complaints_about_patches(folder, all_patches):
    """Applies the patches to the files of the folder. What cannot be applied is left out, and told."""
    # All of one input or nothing.
    together = b"".join(patch.read_bytes() for patch in all_patches.values())
    if not together or git("apply", "--whitespace=nowarn", folder=folder, input=together).returncode == 0:
        return []
    complaints = []
    for source, patch in all_patches.items():
        done = git("apply", "--whitespace=nowarn", str(patch), folder=folder, text=True)
        if done.returncode != 0:
            reason = done.stderr.strip()
            complaints.append(f"the patch of {source} cannot be applied (`{sys.argv[0]} refresh` may help):\n{reason}")
    return complaints


def write_patches(texts, left=()):
    """Writes the patches for sources with these texts; all others go, but for those that are left."""
    with tempfile.TemporaryDirectory() as folder:
        for source, text in texts.items():
            for side, content in (("a", (ROOT / source).read_bytes()), ("b", text)):
                file = pathlib.Path(folder, side, source)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            options = ["--no-index", "--unified=2", "--full-index", "--no-prefix", "--no-color", "--no-ext-diff", "--no-renames"]
            difference = git("diff", *options, f"a/{source}", f"b/{source}", folder=folder).stdout
            file = PATCHES / f"{source}.patch"
            if difference:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(difference)
    for source, file in patches().items():
        if source not in left and (source not in texts or texts[source] == (ROOT / source).read_bytes()):
            file.unlink()
    for folder in sorted(filter(pathlib.Path.is_dir, PATCHES.rglob("*")), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


# Copies of the checkout.


def files_of_checkout():
    listed = git("ls-files", "-z", text=True)
    if listed.returncode != 0:
        sys.exit(f"{ROOT} is no git repository: {listed.stderr.strip()}")
    return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def manifest(folder):
    file = folder / MANIFEST
    return json.loads(file.read_text()) if file.is_file() else {}


def copy(folder, change):
    """Makes the folder a copy of the checkout, with what `change` does to it. What is in it already is written only where it
    differs, so that cargo builds no more than it has to."""
    folder.mkdir(parents=True, exist_ok=True)
    known = manifest(folder)
    if not known and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty, and no copy of this script's")
    names = files_of_checkout()
    with tempfile.TemporaryDirectory(dir=folder.resolve().parent, prefix=f".{folder.name}.") as new:
        new = pathlib.Path(new)
        for name in names:
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, new / name)
        result = change(new)
        for name in names:
            if digest(new / name) != digest(folder / name):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                # With the time of now: cargo is to see that the file has changed.
                shutil.copy(new / name, folder / name)
    for name in known.keys() - set(names):
        (folder / name).unlink(missing_ok=True)
    # Cargo's settings say that the pinned Z3 is there.
    if (ROOT / ".z3").exists() and not (folder / ".z3").exists():
        (folder / ".z3").symlink_to((ROOT / ".z3").resolve())
    (folder / MANIFEST).write_text(json.dumps({name: digest(ROOT / name) for name in names}))
    return result


def apply(folder):
    complaints = copy(folder, lambda new: complaints_about_patches(new, patches()))
    if complaints:
        sys.exit("\n".join(complaints))


def collect(folder):
    clean = manifest(folder)
    if not clean:
        sys.exit(f"{folder} is no copy of this script's")
    texts = {}
    for name in clean:
        if name.startswith("tests/faults/") or digest(folder / name) == clean[name]:
            continue
        if clean[name] != digest(ROOT / name):
            sys.exit(f"{name} has changed since the copy was made: make another one")
        text = (folder / name).read_bytes()
        if re.search(rb"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
            sys.exit(f"{folder / name} has conflicts")
        texts[name] = text
    write_patches(texts)
    print(f"{len(texts)} patches")


# The check.


def names_of_faults(text):
    """The names of faults in a source."""
    return re.findall(r'\bplanted!\(\s*"([^"]*)"', text)


def packages():
    """The packages of the workspace whose unit tests lines of the list may name."""
    manifests = [ROOT / "Cargo.toml", *(ROOT / "src").rglob("Cargo.toml"), *(ROOT / "crates").rglob("Cargo.toml")]
    found = (re.search(r'^name = "([^"]*)"', file.read_text(), re.MULTILINE) for file in manifests)
    return {"library", *(name.group(1) for name in found if name)}


def lines_of_list():
    header, *rows = (FAULTS / "faults.tsv").read_text().splitlines()
    columns = header.split("\t")
    for row in rows:
        fields = row.split("\t")
        if len(fields) != len(columns) or not all(fields):
            sys.exit(f"not {len(columns)} fields: {row}")
        yield dict(zip(columns, fields))


def complaints_about_line(line):
    if line["verdict"] == "pass":
        if line["program"] not in packages():
            yield f"there is no package {line['program']}: {line['faults']}"
        if line["caught by"] != "test":
            yield f"tests are what catches {line['faults']}"
    elif line["verdict"] not in RIGHT:
        yield f"{line['verdict']} is no verdict: {line['faults']}"
    elif not (ROOT / "tests" / line["program"]).is_file():
        yield f"there is no {line['program']}: {line['faults']}"


def complaints():
    """What is wrong with the patches and the list."""
    with tempfile.TemporaryDirectory() as folder:
        applicable = {}
        for source, patch in patches().items():
            if not (ROOT / source).is_file():
                yield f"there is no {source}, but a patch of it (`{sys.argv[0]} refresh --moved OLD=NEW` takes it along)"
                continue
            applicable[source] = patch
            file = pathlib.Path(folder, source)
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, file)
            if "planted!(" in file.read_text():
                yield f"{source} itself has faults"
        yield from complaints_about_patches(folder, applicable)
    lines = list(lines_of_list())
    for line in lines:
        yield from complaints_about_line(line)
    added = ["\n".join(re.findall(r"^\+(.*)", patch.read_text(), re.MULTILINE)) for patch in patches().values()]
    added += [file.read_text() for file in FAULTS.glob("*.rs") if file.name != "planted.rs"]
    planted = {name for text in added for name in names_of_faults(text)}
    listed = {name for line in lines for name in line["faults"].split(",")}
    yield from (f"no line of the list shows: {name}" for name in sorted(planted - listed))
    yield from (f"nothing plants: {name}" for name in sorted(listed - planted))


def check():
    found = list(complaints())
    if found:
        sys.exit("\n".join(found))
    print(f"{len(patches())} patches and all their faults are as they should be")


# The refreshing of patches.


def moved_to(source, moves):
    for old, new in moves:
        if source == old or source.startswith(f"{old}/"):
            return new + source[len(old) :]
    return source


def planted_before(source, patch, now):
    """The source that the patch was made for (or that is there now, if git does not have the other any more), and the same with
    its faults; `None` if the patch cannot be applied."""
    before = git("cat-file", "blob", re.search(r"^index ([0-9a-f]+)\.\.", patch.read_text(), re.MULTILINE).group(1))
    before = before.stdout if before.returncode == 0 else now
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, source)
        file.parent.mkdir(parents=True)
        file.write_bytes(before)
        done = git("apply", "--whitespace=nowarn", str(patch), folder=folder)
        return (before, file.read_bytes()) if done.returncode == 0 else None


def merged(now, before, planted):
    """The source as it is now with the faults, and whether there are conflicts."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("now", now), ("before", before), ("planted", planted)):
            pathlib.Path(folder, name).write_bytes(text)
        done = git("merge-file", "-p", "--diff3", "now", "before", "planted", folder=folder)
        return done.stdout, done.returncode != 0


def refresh(moves):
    moves = [tuple(move.split("=", 1)) for move in moves]
    texts, conflicts, lost = {}, {}, []
    for source, patch in patches().items():
        new = moved_to(source, moves)
        now = (ROOT / new).read_bytes() if (ROOT / new).is_file() else None
        pair = now and planted_before(source, patch, now)
        if not pair:
            reason = "it cannot be applied, and git does not have what it was made for" if now else f"there is no {new}"
            print(f"{source}: the patch stays as it is: {reason}", file=sys.stderr)
            lost.append(source)
            continue
        text, conflicting = merged(now, *pair)
        (conflicts if conflicting else texts)[new] = text
        if conflicting:
            lost.append(source)
            regions = re.findall(r"^<<<<<<< .*?^>>>>>>> ", text.decode(), re.MULTILINE | re.DOTALL)
            for name in dict.fromkeys(name for region in regions for name in names_of_faults(region)):
                print(f"{new}: conflict at: {name}", file=sys.stderr)
    write_patches(texts, lost)
    if conflicts:
        folder = CACHE / "refresh"
        shutil.rmtree(folder, ignore_errors=True)

        def change(new):
            for source, text in {**texts, **conflicts}.items():
                (new / source).write_bytes(text)

        copy(folder, change)
        print(f"edit the files with conflicts in {folder}, then: {sys.argv[0]} collect {folder}", file=sys.stderr)
    if lost:
        sys.exit(1)
    print(f"{len(texts)} patches")


# The runs.


def build(*what):
    """Builds in a copy with all faults, and returns the executable."""
    folder = CACHE / "copy"
    apply(folder)
    command = ["cargo", *what, "--locked", "--message-format", "json-render-diagnostics"]
    environment = dict(os.environ, CARGO_TARGET_DIR=str(CACHE / "target"))
    output = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = map(json.loads, output.splitlines())
    binaries = [message["executable"] for message in messages if message.get("executable")]
    return binaries[-1]


@functools.cache
def passes(binary, names, faults, seconds):
    """Whether the tests pass. What is random in them is the same every time."""
    environment = dict(
        os.environ,
        REGATTA_PLANTED_FAULT=faults,
        PROPTEST_RNG_SEED="1",
        PROPTEST_MAX_SHRINK_ITERS="0",
        PROPTEST_DISABLE_FAILURE_PERSISTENCE="1",
    )
    try:
        done = subprocess.run([binary, *names.split()], env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == 0 and "running 0 tests" in done.stdout:
        sys.exit(f"there is no such test: {names}")
    return done.returncode == 0


def run(binary, line, faults, seconds):
    """The answer and what was said on the way."""
    environment = dict(os.environ, REGATTA_PLANTED_FAULT=faults)
    options = line["options"].split()
    if not any(option.startswith(("--checks", "--property")) for option in options):
        options += ["--checks", "assertions"]
    command = [binary, "verify", "-v", "--time-limit", str(seconds), *options]
    command.append(str(ROOT / "tests" / line["program"]))
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    answers = [text for text in done.stdout.splitlines() if text.startswith("RESULT:")]
    return (answers[-1] if answers else f"exit code {done.returncode}"), done.stderr


def is_wrong(answer, verdict):
    return answer.startswith(("RESULT: TRUE", "RESULT: FALSE")) and answer not in RIGHT[verdict]


def catcher(answer, said, verdict):
    if is_wrong(answer, verdict):
        return "verdict"
    if "solvers disagree" in answer:
        return "second opinion"
    if "panicked" in said:
        return "assertion"
    if re.search(r"proof of [^\n]*: (refuted|undecided)", said):
        return "certificate checker"
    rejected = re.search(r"rejected_alarms [1-9]", said)
    if rejected or re.search(r"not confirmed|lead elsewhere|lead to the error only|there are other runs", said):
        return "replay"
    return "nobody"


def part(line):
    """The part of the program that the line's first fault is in."""
    return line["faults"].split(":")[0]


def table(caught):
    """Who caught how many faults of which part, as Markdown. `caught` has, for each line that was run, who did."""
    everyone = sorted({who for _, who in caught})
    faults = collections.defaultdict(set)
    for line, who in caught:
        for column in (who, "all"):
            faults[part(line), column].add(line["faults"].split(",")[0])
            faults["**all**", column].add(line["faults"].split(",")[0])
    columns = ["all", *everyone]
    yield "| part | faults | " + " | ".join(everyone) + " |"
    yield "|---|" + "--:|" * len(columns)
    for row in [*sorted({part(line) for line, _ in caught}), "**all**"]:
        numbers = (str(len(faults[row, column])) if (row, column) in faults else "" for column in columns)
        yield f"| {row} | " + " | ".join(numbers) + " |"


def run_all(arguments):
    lines = [line for line in lines_of_list() if re.search(arguments.only, line["faults"])]
    tests = dict(given.split("=", 1) for given in arguments.test)
    binary = arguments.binary
    if not binary and any(line["verdict"] != "pass" for line in lines):
        binary = build("build")
    for name in {line["program"] for line in lines if line["verdict"] == "pass"} - tests.keys():
        tests[name] = build("test", "--no-run", "--lib", "--package", "regatta" if name == "library" else name)

    @functools.cache
    def without_fault(program, options):
        answer, _ = run(binary, {"program": program, "options": options}, "", arguments.time)
        return answer

    def both(line):
        """Who catches the line's faults, and notes about what is not as it should be."""
        notes = []
        if line["verdict"] == "pass":
            test = (tests[line["program"]], line["options"])
            if not passes(*test, "", arguments.test_time):
                notes.append("FAILS WITHOUT THE FAULT")
            who = "nobody" if passes(*test, line["faults"], arguments.test_time) else "test"
            answer, said = "passed", ""
        else:
            sound = without_fault(line["program"], line["options"])
            if is_wrong(sound, line["verdict"]):
                notes.append(f"WRONG WITHOUT THE FAULT: {sound}")
            answer, said = run(binary, line, line["faults"], arguments.time)
            who = catcher(answer, said, line["verdict"])
        if who == "nobody":
            notes.append(f"NOBODY: {answer}")
        elif who != line["caught by"]:
            notes.append(f"expected: {line['caught by']}; {answer}")
        return line, who, notes, said

    bad = 0
    caught = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for line, who, notes, said in pool.map(both, lines):
            caught.append((line, who))
            bad += bool(notes)
            where = pathlib.Path(line["program"]).stem
            print(f"{line['faults']:<100}  {where:<28}  {who:<20} {'; '.join(notes)}", flush=True)
            if arguments.v:
                print(said)
    print()
    print("\n".join(table(caught)))
    sys.exit(bad > 0)


def main():
    commands = ("run", "check", "apply", "collect", "refresh")
    given = sys.argv[1:]
    if not given or given[0] not in (*commands, "-h", "--help"):
        given = ["run", *given]
    formatted = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(description=__doc__, **formatted)
    subparsers = parser.add_subparsers(dest="command", metavar="|".join(commands))
    runs = subparsers.add_parser("run")
    runs.add_argument("--only", default="", help="faults whose names the regular expression finds")
    runs.add_argument("--binary", help="the command, built with the faults")
    tests = "a package's unit tests, built with the faults"
    runs.add_argument("--test", action="append", default=[], metavar="NAME=FILE", help=tests)
    runs.add_argument("--time", type=float, default=8, help="seconds for a run of the command")
    runs.add_argument("--test-time", type=float, default=300, help="seconds for a run of tests")
    runs.add_argument("--jobs", type=int, default=2)
    runs.add_argument("-v", action="store_true", help="what each run said")
    subparsers.add_parser("check")
    for name in ("apply", "collect"):
        subparsers.add_parser(name).add_argument("folder", type=pathlib.Path)
    refreshes = subparsers.add_parser("refresh")
    refreshes.add_argument("--moved", action="append", default=[], metavar="OLD=NEW", help="a source or a folder, from the top")
    arguments = parser.parse_args(given)
    if arguments.command == "run":
        run_all(arguments)
    elif arguments.command == "check":
        check()
    elif arguments.command == "refresh":
        refresh(arguments.moved)
    else:
        {"apply": apply, "collect": collect}[arguments.command](arguments.folder)


if __name__ == "__main__":
    main()
