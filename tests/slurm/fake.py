#!/usr/bin/env python3
"""A Slurm of one machine for tests: called as sbatch, squeue, scancel and scontrol. Jobs run at once.

The folder FAKE_SLURM has its state. Files in it change what it does: `refuse` (sbatch fails, and says the text), `broken` (jobs
end at once, and say the text), `forget` (squeue knows no job), `silent` (squeue fails).
"""
import os
import pathlib
import re
import signal
import subprocess
import sys

HOME = pathlib.Path(os.environ["FAKE_SLURM"])


def text_of(name):
    path = HOME / name
    return path.read_text() if path.exists() else None


def complain(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: error: {text}", file=sys.stderr)
    sys.exit(1)


def set_state(job, task, state):
    path = HOME / "jobs" / job / f"{task}.state"
    if not (path.exists() and path.read_text() == "CANCELLED"):
        aside = path.with_suffix(".aside")
        aside.write_text(state)
        aside.rename(path)


def sbatch():
    if refused := text_of("refuse"):
        complain(refused)
    script = pathlib.Path(sys.argv[-1]).read_text()
    last = int(re.search(r"^#SBATCH --array=0-(\d+)$", script, re.M)[1])
    (HOME / "jobs").mkdir(exist_ok=True)
    job = str(len(list((HOME / "jobs").iterdir())) + 1)
    (HOME / "jobs" / job).mkdir()
    name = re.search(r"^#SBATCH --job-name=(.+)$", script, re.M)[1]
    (HOME / "jobs" / job / "name").write_text(name)
    for task in range(last + 1):
        set_state(job, task, "RUNNING")
        subprocess.Popen(
            [sys.executable, sys.argv[0], "--keep", job, str(task)],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    print(job)


def keep(job, task):
    """Runs a job of an array."""
    with open(f"output/{task}.txt", "w") as output:
        if said := text_of("broken"):
            output.write(said)
            set_state(job, task, "FAILED")
            return
        environment = dict(os.environ, SLURM_ARRAY_TASK_ID=task, SLURMD_NODENAME=f"node-{job}")
        command = subprocess.Popen(["sh", "job.sh"], stdout=output, stderr=output, env=environment, start_new_session=True)
        (HOME / "jobs" / job / f"{task}.pid").write_text(str(command.pid))
        code = command.wait()
    set_state(job, task, {0: "COMPLETED", -signal.SIGKILL: "NODE_FAIL"}.get(code, "FAILED"))


def squeue():
    if said := text_of("silent"):
        complain(said)
    if text_of("forget") is not None or not (HOME / "jobs").exists():
        return
    names = next(word[len("--name="):] for word in sys.argv if word.startswith("--name=")).split(",")
    for job in (HOME / "jobs").iterdir():
        name = (job / "name").read_text()
        for state in job.glob("*.state") if name in names else []:
            print(f"{job.name}|{state.stem}|{state.read_text()}|{name}|None")


def scancel():
    for word in sys.argv[1:]:
        if word.startswith("--"):
            continue
        job, _, task = word.partition("_")
        for state in (HOME / "jobs" / job).glob(f"{task or '*'}.state"):
            if state.read_text() == "RUNNING":
                set_state(job, state.stem, "CANCELLED")
                try:
                    os.killpg(int(state.with_suffix(".pid").read_text()), signal.SIGKILL)
                except (FileNotFoundError, ProcessLookupError):
                    pass


if "--keep" in sys.argv:
    keep(*sys.argv[2:])
elif (program := pathlib.Path(sys.argv[0]).name) == "scontrol":
    print("Configuration data\nMaxArraySize            = 4")
else:
    {"sbatch": sbatch, "squeue": squeue, "scancel": scancel}[program]()
