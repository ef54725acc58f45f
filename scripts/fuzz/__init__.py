"""Random C programs with defined behaviour, and what the verifier says of them against what they do when compiled.

* `program`: a C program under construction, with all random choices, its inputs, and what it observes.
* `memory`, `control`, `values`, `library`, `openness`, `surroundings`: the generators, by what of C they are about.
* `oracle`: compiles programs with `harness.c` and runs them on all inputs, or on some.
* `verifier`: runs the verifier, and judges its answer.
* `driver`: which programs, engines and data models, findings and their reduction.
"""
