# This file is part of BenchExec, a framework for reliable benchmarking:
# https://github.com/sosy-lab/benchexec
#
# SPDX-FileCopyrightText: The authors of Regatta
#
# SPDX-License-Identifier: Apache-2.0

import re

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import (
    ILP32,
    LP64,
    TaskFilesConsidered,
    get_data_model_from_task,
    handle_witness_of_task,
)
from benchexec.tools.template import ToolNotFoundException


class Tool(benchexec.tools.template.BaseTool2):
    """
    Tool info for Regatta, a parallel portfolio verifier for C.

    A task with a witness is validated, any other is verified, unless the options
    begin with one of Regatta's commands. The limits of BenchExec are passed on,
    slightly tighter, such that Regatta ends by itself and says why it has no answer.
    """

    REQUIRED_PATHS = ["bin", "lib"]

    _COMMANDS = ("verify", "validate")
    _RESULT = re.compile(r"RESULT: (TRUE|FALSE\((.+)\)|UNKNOWN\((.*)\))")
    _REFUTED = "the witness is refuted: "
    _REFUTED_PATH = _REFUTED + "no run along its path"
    _EXIT_CODE_OF_REFUSED_INPUT = 3
    # How much of a limit Regatta may use before it gives up. BenchExec's figure for
    # the memory has the files that the system keeps in memory in it.
    _SHARE_OF_TIME = 0.99
    _SHARE_OF_MEMORY = 0.95

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable("regatta", subdir="bin")
        except ToolNotFoundException:
            return tool_locator.find_executable("regatta")

    def program_files(self, executable):
        # Without the libraries beside it, it is not from an archive.
        files = self._program_files_from_executable(
            executable, self.REQUIRED_PATHS, parent_dir=True
        )
        return files or [executable]

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="regatta ")

    def name(self):
        return "Regatta"

    def cmdline(self, executable, options, task, rlimits):
        input_files, witness_options = handle_witness_of_task(
            task, options, "--witness", TaskFilesConsidered.SINGLE_INPUT_FILE
        )
        if options and options[0] in self._COMMANDS:
            command, *options = options
        else:
            command = "validate" if witness_options else "verify"

        given = [*options, *witness_options]
        if task.property_file and "--property" not in options:
            given += ["--property", task.property_file]
        data_model = get_data_model_from_task(task, {ILP32: ILP32, LP64: LP64})
        if data_model and "--data-model" not in options:
            given += ["--data-model", data_model]
        for option, limit in self._limits(rlimits):
            if limit and option not in options:
                given += [option, limit]
        return [executable, command, *given, *input_files]

    def _limits(self, rlimits):
        def seconds(limit):
            return f"{limit * self._SHARE_OF_TIME:.6g}" if limit else None

        def mebibytes(limit):
            return str(max(1, int(limit * self._SHARE_OF_MEMORY / 2**20)))

        return [
            ("--cpu-limit", seconds(rlimits.cputime)),
            ("--time-limit", seconds(rlimits.walltime)),
            ("--memory-limit", mebibytes(rlimits.memory) if rlimits.memory else None),
            ("--threads", str(rlimits.cpu_cores) if rlimits.cpu_cores else None),
        ]

    def determine_result(self, run):
        found = (self._RESULT.fullmatch(line.strip()) for line in reversed(run.output))
        match = next((match for match in found if match), None)
        if match:
            is_validation = "validate" in run.cmdline[1:2]
            return self._result_of_line(match, is_validation)
        if run.exit_code.value == self._EXIT_CODE_OF_REFUSED_INPUT:
            for line in run.output:
                if "property not supported" in line:
                    return f"{result.RESULT_ERROR} (property not supported)"
            return f"{result.RESULT_ERROR} (input refused)"
        return result.RESULT_ERROR

    def _result_of_line(self, match, is_validation):
        _, violated, reason = match.groups()
        if violated:
            return f"{result.RESULT_FALSE_PROP}({violated})"
        if reason is None:
            return result.RESULT_TRUE_PROP
        # A refuted witness is an answer of a validator, but says nothing of the program.
        # It is the contrary of what the witness claims.
        if is_validation and reason.startswith(self._REFUTED):
            if reason.startswith(self._REFUTED_PATH):
                return result.RESULT_TRUE_PROP
            return result.RESULT_FALSE_PROP
        if reason in ("time limit", "CPU time limit"):
            return result.RESULT_TIMEOUT
        if reason == "memory limit":
            return "OUT OF MEMORY"
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        # The identifier is a regular expression; what its first group matches in the
        # last line that has it is the value, or the rest of the line after it.
        pattern = re.compile(identifier)
        for line in reversed(output):
            match = pattern.search(line)
            if match:
                value = match.group(1) if pattern.groups else line[match.end() :]
                return (value or "").strip(" :=")
        return None
