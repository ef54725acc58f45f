#!/usr/bin/env python3
"""The competition's rules for what is submitted, as far as a program can check them.

    check.py zip FOLDER OUT.zip      makes the archive of a folder, if it keeps the rules
    check.py archive FILE.zip        whether an archive keeps them
    check.py fmtools FILE.yml [SCHEMA.yml]
                                     whether an fm-tools entry keeps them, and what is left to fill in

The schema of fm-tools is that of the package fm-weck, where it is installed with jsonschema (scripts/benchexec/test.sh has
both); without it, only what is written here is checked, and this says so. What is wrong goes to standard error, a line each;
the exit code is then 1.
"""

import importlib.util
import os
import re
import stat
import sys
import zipfile
from pathlib import Path

# Not to be in an archive: version control, sources, tests, what a Mac leaves.
FORBIDDEN = {".git", ".gitignore", "__MACOSX", ".DS_Store", "src", "tests", "target", "__pycache__"}
# Times in a zip cannot be older; the same files make the same archive.
OLDEST = (1980, 1, 1, 0, 0, 0)
KEYS = [
    "id", "name", "description", "input_languages", "project_url", "repository_url", "spdx_license_identifier",
    "benchexec_toolinfo_module", "fmtools_format_version", "fmtools_entry_maintainers", "maintainers", "versions",
    "competition_participations", "techniques", "frameworks_solvers", "used_actors", "literature", "supplementary",
    "licenses",
]  # fmt: skip
OPTIONAL = {"used_actors", "supplementary", "licenses"}
SORTED = ["input_languages", "techniques", "frameworks_solvers"]
PLACEHOLDER = re.compile(r"[A-Z]+(_[A-Z]+)+|ORCID|MAINTAINER|INSTITUTION|COUNTRY")
# What a placeholder stands for, where the schema says what it must look like: the rest of its name is arbitrary.
SAMPLES = [("ORCID", "0000-0000-0000-0000"), ("_DOI", "10.5281/zenodo.1"), ("_URL", "https://example.org/")]


def entries_of_folder(folder):
    """The files below a folder, by their names in an archive of it, with their modes."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            file = Path(parent, name)
            yield str(file.relative_to(folder.parent)), file.lstat().st_mode


def entries_of_archive(archive):
    with zipfile.ZipFile(archive) as zipped:
        damaged = zipped.testzip()
        if damaged:
            raise zipfile.BadZipFile(f"{damaged} is damaged")
        for entry in zipped.infolist():
            if not entry.is_dir():
                yield entry.filename, entry.external_attr >> 16


def complaints_about_archive(entries):
    """What is wrong with an archive of these files, each a name with its mode."""
    modes = dict(entries)
    tops = {name.split("/")[0] for name in modes}
    if len(tops) != 1 or any("/" not in name for name in modes):
        yield f"there must be one folder at the top, not {sorted(tops)}"
        return
    top = tops.pop()
    inside = {name.split("/", 1)[1]: mode for name, mode in modes.items()}
    for wanted in ("LICENSE", "README"):
        if not any(name.startswith(wanted) and "/" not in name for name in inside):
            yield f"there is no {top}/{wanted}*"
    for program in ("smoketest.sh", "bin/regatta"):
        if program not in inside:
            yield f"there is no {top}/{program}"
        elif not inside[program] & stat.S_IXOTH:
            yield f"{top}/{program} cannot be executed by anybody"
    for name, mode in sorted(inside.items()):
        if not stat.S_ISREG(mode):
            yield f"{top}/{name} is no regular file"
        elif not mode & stat.S_IROTH:
            yield f"{top}/{name} cannot be read by anybody"
        parts = name.split("/")
        if any(part == ".." or part in FORBIDDEN for part in parts):
            yield f"{top}/{name} does not belong into an archive"


def write_archive(folder, archive):
    """Writes the archive aside, and puts it in its place."""
    aside = archive.with_name(f".{archive.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
            for name, mode in entries_of_folder(folder):
                entry = zipfile.ZipInfo(name, OLDEST)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = mode << 16
                zipped.writestr(entry, Path(folder.parent, name).read_bytes())
        aside.replace(archive)
    finally:
        aside.unlink(missing_ok=True)


def installed_schema():
    """The schema's file in the package fm-weck; None where that is not installed."""
    package = importlib.util.find_spec("fm_weck")
    folders = package.submodule_search_locations if package else []
    files = [Path(folder, "resources/fm_tools/schema.yml") for folder in folders]
    return next((file for file in files if file.is_file()), None)


def complaints_by_schema(entry, schema):
    """What is wrong with an fm-tools entry by the schema, in which placeholders count as what they stand for."""
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema).iter_errors(filled_in(entry))
    for error in sorted(errors, key=lambda error: error.json_path):
        yield f"{error.json_path}: {error.message}"
    known = list(schema["properties"])
    if known != KEYS:
        yield f"the schema's keys are no longer those of {Path(__file__).name}: {known}"


def filled_in(value):
    """An entry in which each placeholder is something of its kind."""
    if isinstance(value, dict):
        return {key: filled_in(part) for key, part in value.items()}
    if isinstance(value, list):
        return [filled_in(part) for part in value]
    if isinstance(value, str) and PLACEHOLDER.fullmatch(value):
        return next((sample for end, sample in SAMPLES if value.endswith(end)), value)
    return value


def complaints_about_entry(entry, schema=None):
    """What is wrong with an fm-tools entry."""
    if not isinstance(entry, dict):
        yield "this is no mapping of keys"
        return
    unknown = [key for key in entry if key not in KEYS]
    if unknown:
        yield f"unknown keys: {unknown}"
    if [key for key in KEYS if key in entry] != [key for key in entry if key in KEYS]:
        yield "the keys are not in the schema's order"
    for key in KEYS:
        if key not in OPTIONAL and not entry.get(key):
            yield f"{key} is missing"
    if schema is not None:
        yield from complaints_by_schema(entry, schema)
    for key in SORTED:
        values = entry.get(key) or []
        if values != sorted(values, key=str.casefold) or len(set(values)) != len(values):
            yield f"{key} is not sorted"
    versions = [version.get("version") for version in entry.get("versions") or []]
    if len(set(versions)) != len(versions):
        yield "two versions have the same name"
    for version in entry.get("versions") or []:
        options = version.get("benchexec_toolinfo_options", [])
        if not all(isinstance(option, str) for option in options):
            yield f"an option of {version.get('version')} is no string"
    for participation in entry.get("competition_participations") or []:
        if participation.get("tool_version") not in versions:
            yield f"there is no version {participation.get('tool_version')}"
        if "label" in participation:
            yield "a participation with a label is none"


def placeholders(value):
    """The texts in an entry that are still to be filled in."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {found for part in value for found in placeholders(part)}
    return {value} if isinstance(value, str) and PLACEHOLDER.fullmatch(value) else set()


def main():
    numbers = {"zip": (4,), "fmtools": (3, 4)}
    if len(sys.argv) not in numbers.get(sys.argv[1] if len(sys.argv) > 1 else "", (3,)):
        sys.exit(__doc__)
    try:
        run(*sys.argv[1:])
    except (OSError, zipfile.BadZipFile) as error:
        sys.exit(f"error: {sys.argv[2]}: {error}")


def run(command, name, out=None):
    if command == "fmtools":
        import yaml

        entry = yaml.safe_load(Path(name).read_text("utf-8"))
        file = out or installed_schema()
        has_checker = importlib.util.find_spec("jsonschema") is not None
        schema = yaml.safe_load(Path(file).read_text("utf-8")) if file and has_checker else None
        if schema is None:
            print(f"{name}: not checked by the schema of fm-tools (pip install fm-weck jsonschema)")
        complaints = list(complaints_about_entry(entry, schema))
        left = sorted(placeholders(entry))
        if left:
            print(f"{name}: to be filled in before it is submitted: {', '.join(left)}")
    elif command == "archive":
        complaints = list(complaints_about_archive(entries_of_archive(name)))
    elif command == "zip":
        folder = Path(name).resolve()
        complaints = list(complaints_about_archive(entries_of_folder(folder)))
        if not complaints:
            write_archive(folder, Path(out))
    else:
        sys.exit(__doc__)
    for complaint in complaints:
        print(f"error: {name}: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
