//! Measures that decrease in each round of a loop.
//!
//! A measure is a list of numbers, compared lexicographically; the numbers are linear combinations of features
//! ([`super::features`]), evaluated at the loop's head. In the program of the question, each edge from within the loop to its
//! head compares the measure with what it was at the last visit of the head, and leads to an error unless it has decreased:
//! some component has decreased and none before it has increased. No component can do the former for ever, by one of two
//! arguments ([`Descent`]):
//!
//! * The component was not negative before, and signed overflow, which is undefined, ends an execution. What such a measure
//!   shows does not depend on the width of numbers. So that it does not by chance either, an overflow in the middle of a round
//!   is an error if no component could have decreased.
//! * The numbers are bit vectors of a fixed width and compared without any arithmetic, so there are finitely many values, and
//!   no lower bound is needed. Whether sums inside a feature wrap around does not matter for that. Overflow is an error.
//!
//! If no error is reachable, no execution is infinite ([`Loops::obstacle`] has the argument). Rounds of an inner loop
//! between two visits of the outer loop's head belong to a round of the outer loop, and an inner loop that is entered again
//! begins anew. A function that calls itself has a measure of its parameters: what it is for a call has to be less than at the
//! entry of the caller's activation.
//!
//! Measures are chosen so that they decrease in the rounds of sample executions; an execution that reaches an error is
//! another sample (counterexample-guided inductive synthesis).
//!
//! Where no lexicographic measure is found for a loop, the visits of its head are compared with all earlier ones in the same
//! execution of the loop, and any component may decrease (a disjunctively well-founded transition invariant, \[PR04\]). The
//! program then chooses at each visit whether later ones are compared with this one or with the one that it has kept.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::accesses;
use super::features::{self, Features};
use super::linear::Linear;
use super::loops::choice;
use super::loops::{Detour, Loops, failure, ghost, lead, value};
use super::measures::{Component, Descent, Measure, Order, choose, choose_any_of};
use super::samples::{Collector, Instrumented, Sample, Visits, Watched, random};
use crate::assumption::{Assumption, AssumptionKind, Doubt};
use crate::cfa::*;
use crate::cut_points::Loop;
use crate::graph::{Graph, callee};
use crate::interpreter::{Executable, InputSource};
use crate::liveness::Liveness;
use crate::variables::VariableUse;
use regatta_term::{Build, Op, Pool, TermId, store, substitute};

/// What needs a measure.
#[derive(Copy, Clone)]
pub(super) enum Site {
    /// A loop, by its number.
    Loop(usize),
    /// The calls of a function by itself.
    Calls(FunctionId),
}

/// The loops and recursive functions of a program with the features for their measures.
pub struct Ranking<'p> {
    pub(super) loops: Loops<'p>,
    pub(super) sites: Vec<Site>,
    pub(super) features: Vec<Features>,
}

/// What happens where a round does not decrease its loop's measure, or an execution overflows.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Errors {
    Ignored,
    Reached(Descent),
}

impl<'p> Ranking<'p> {
    /// Finds the loops and their features.
    ///
    /// # Errors
    /// When measures would prove nothing.
    pub fn new(program: &'p Program) -> Result<Self, Obstacle> {
        let loops = Loops::new(program);
        if let Some(obstacle) = loops.obstacle() {
            return Err(obstacle);
        }
        // Calls come last: their edges get other sources, by which loops know their edges.
        let cycles = loops.all().iter().enumerate();
        let cycles = cycles.filter(|(_, cycle)| !loops.is_unknown_code(cycle.function));
        let cycles = cycles.map(|(number, _)| Site::Loop(number));
        let sites: Vec<Site> = cycles.chain(loops.recursive().map(Site::Calls)).collect();
        let (graph, mut uses) = (Graph::new(program), VariableUse::new(program));
        let liveness = Liveness::new(program, &graph, &loops.calls, &mut uses);
        let features = sites.iter().map(|&site| match site {
            Site::Loop(number) => features::of_loop(&loops, &liveness, &loops.all()[number]),
            Site::Calls(function) => features::of_calls(&loops, &liveness, function),
        });
        let features = features.collect();
        Ok(Self {
            loops,
            sites,
            features,
        })
    }

    /// The program in which an error is reached when a round does not decrease the measure of its loop, or a call that of its
    /// function. An empty measure allows no round and no call.
    pub fn question(&self, measures: &[Measure], descent: Descent) -> Program {
        self.instrument(measures, Errors::Reached(descent)).program
    }

    /// Chooses a measure for each site that decreases in all samples; `None` if a site has no such candidate. Each turn without
    /// an answer raises the complexity of the candidates that are tried first.
    pub fn measures(
        &self,
        samples: &[Sample],
        descent: Descent,
        turns: usize,
    ) -> Option<Vec<Measure>> {
        let measure = |(number, features): (usize, &Features)| {
            let rounds = of_site(samples, number, descent)
                .filter(|sample| sample.visits == Visits::Successive);
            choose(features, &rounds.collect::<Vec<_>>(), turns, descent)
        };
        self.features.iter().enumerate().map(measure).collect()
    }

    /// Chooses a measure for each site: a lexicographic one, or, for a loop without one, a set of components of which any
    /// decreases between all visits in the samples. `None` if a site has neither.
    pub fn measures_of_all_visits(
        &self,
        samples: &[Sample],
        descent: Descent,
    ) -> Option<Vec<Measure>> {
        let measure = |(number, features): (usize, &Features)| {
            let samples: Vec<&Sample> = of_site(samples, number, descent).collect();
            let successive = samples.iter().copied();
            let rounds = successive.filter(|sample| sample.visits == Visits::Successive);
            let lexicographic = choose(features, &rounds.collect::<Vec<_>>(), 0, descent);
            lexicographic.or_else(|| match self.sites[number] {
                Site::Loop(_) => choose_any_of(features, &samples, descent),
                Site::Calls(_) => None,
            })
        };
        self.features.iter().enumerate().map(measure).collect()
    }

    /// The measures in words, for messages.
    pub fn describe(&self, measures: &[Measure]) -> String {
        let program = self.loops.program;
        let described = self.sites.iter().zip(measures).zip(&self.features);
        let described = described.map(|((&site, measure), features)| {
            let span = match site {
                Site::Loop(number) => program.location(self.loops.all()[number].head).span,
                Site::Calls(function) => program.function(function).span,
            };
            let place = program.sources.describe(span);
            let parts = measure
                .components
                .iter()
                .map(|component| component.combined(features).term());
            let parts = parts.map(|term| regatta_term::to_smtlib(store(), term));
            let parts = parts.collect::<Vec<_>>().join(", ");
            match measure.order {
                Order::Lexicographic => format!("{place}: ({parts})"),
                Order::AnyOf => format!("{place}: any of ({parts})"),
            }
        });
        described.collect::<Vec<_>>().join("; ")
    }

    /// Runs the program with random inputs and returns the rounds.
    pub fn explore(&self) -> Vec<Sample> {
        let watching = self.watching();
        sample_randomly(&watching, Collector::new(&watching))
    }

    /// As [`Self::explore`], with visits between which there are others.
    pub fn explore_all_visits(&self) -> Vec<Sample> {
        let watching = self.watching();
        sample_randomly(&watching, Collector::new(&watching).comparing_all())
    }

    /// Runs the program with inputs by which the measures are refuted, and returns rounds: the first ones, and those in
    /// which a measure does not decrease.
    pub fn follow(
        &self,
        mut inputs: impl InputSource,
        measures: &[Measure],
        descent: Descent,
    ) -> Vec<Sample> {
        let watching = self.watching();
        let executable = Executable::compile(&watching.program);
        let refutes = |sample: &Sample| {
            let measure = measures.get(sample.site);
            measure.is_some_and(|measure| !measure.decreases(sample, descent))
        };
        let mut collector = Collector::new(&watching);
        if measures.iter().any(|measure| measure.order == Order::AnyOf) {
            collector = collector.comparing_all();
        }
        collector.run_for(&executable, &mut inputs, &refutes);
        collector.samples.into_iter().collect()
    }

    /// The program in which all features are watched.
    fn watching(&self) -> Instrumented {
        let features = self.features.iter();
        let features = features.map(|features| (0..features.all.len()).map(Component::of));
        let features = features.map(|components| Measure::lexicographic(components.collect()));
        let features: Vec<Measure> = features.collect();
        self.instrument(&features, Errors::Ignored)
    }

    fn instrument(&self, measures: &[Measure], errors: Errors) -> Instrumented {
        let mut result = Instrumented {
            program: self.loops.program.clone(),
            watched: Vec::new(),
            rounds: FxHashMap::default(),
            overflows: FxHashMap::default(),
        };
        accesses::bound(&mut result.program, &self.loops);
        if errors == Errors::Reached(Descent::Bounded) {
            end_at_overflow(&mut result.program, &self.loops);
        }
        assume_returns(&mut result.program, &self.loops);
        let edges = result.program.edges.len();
        let mut uses = VariableUse::new(self.loops.program);
        for (number, (&site, measure)) in self.sites.iter().zip(measures).enumerate() {
            let components = measure.components.iter();
            let components = components.map(|component| component.combined(&self.features[number]));
            let components: Vec<Linear> = components.collect();
            let program = &mut result.program;
            let watch = match errors {
                Errors::Ignored => self.watch_values(program, number, components),
                Errors::Reached(_) => self.watch_parts(program, number, components, &mut uses),
            };
            let order = measure.order;
            let watch = Watch {
                errors,
                order,
                ..watch
            };
            let (rounds, overflows) = match site {
                Site::Loop(cycle) => {
                    let cycle = &self.loops.all()[cycle];
                    let round = watch.instrument_loop(program, edges, cycle);
                    (vec![round], self.loops.overflows_in(cycle))
                }
                Site::Calls(function) => {
                    let calls = self.loops.edges_of(function).iter().copied();
                    let is_own =
                        |edge: &EdgeId| callee(self.loops.program.edge(*edge)) == Some(function);
                    let calls: Vec<EdgeId> = calls.filter(is_own).collect();
                    let rounds = watch.instrument_calls(program, function, &calls);
                    (rounds, self.loops.overflows_of(function))
                }
            };
            if errors == Errors::Reached(Descent::Bounded) {
                watch.instrument_overflows(program, &overflows);
            }
            let rounds = rounds.into_iter().map(|round| (round, number));
            result.rounds.extend(rounds);
            for overflow in overflows {
                result.overflows.entry(overflow).or_default().push(number);
            }
            result.watched.push(watch.watched);
        }
        result
    }

    fn function(&self, site: usize) -> FunctionId {
        match self.sites[site] {
            Site::Loop(cycle) => self.loops.all()[cycle].function,
            Site::Calls(function) => function,
        }
    }

    /// The variables that a round may change.
    fn modified(&self, site: usize) -> Vec<VariableId> {
        let edges = match self.sites[site] {
            Site::Loop(cycle) => self.loops.edges_in(&self.loops.all()[cycle]),
            Site::Calls(function) => self.loops.edges_with_called(function),
        };
        self.loops.modified_by(&edges)
    }

    /// Has the values of the components kept, for samples.
    fn watch_values(&self, program: &mut Program, site: usize, components: Vec<Linear>) -> Watch {
        let scope = Scope::Local(self.function(site));
        let (mut saved, mut watched) = (Vec::new(), Vec::new());
        for (part, component) in components.iter().enumerate() {
            let term = component.term();
            let sort = store().sort(term);
            let mut variable = |what: &str| {
                let name = format!("measure {site}.{part} {what}");
                ghost(program, name, sort, scope)
            };
            let (before, now) = (variable("before"), variable("now"));
            saved.push((before, term));
            watched.push(Watched { before, now });
        }
        Watch {
            before: Vec::new(),
            components,
            saved,
            watched,
            errors: Errors::Ignored,
            order: Order::Lexicographic,
        }
    }

    /// Has the variables and cells kept of which the components are made, as far as a round may change them. Invariants
    /// about these and the present ones are easier to find than such about a measure.
    fn watch_parts(
        &self,
        program: &mut Program,
        site: usize,
        components: Vec<Linear>,
        uses: &mut VariableUse,
    ) -> Watch {
        let modified = self.modified(site);
        let scope = Scope::Local(self.function(site));
        let mut saved = Vec::new();
        let mut replaced = FxHashMap::default();
        for part in parts(&components) {
            if !uses.of(part).iter().any(|used| modified.contains(used)) {
                continue;
            }
            let name = format!("measure {site} part {}", saved.len());
            let variable = ghost(program, name, store().sort(part), scope);
            replaced.insert(part, value(program, variable));
            saved.push((variable, part));
        }
        let before = components
            .iter()
            .map(|component| replace(component, &replaced));
        Watch {
            before: before.collect(),
            components,
            saved,
            watched: Vec::new(),
            errors: Errors::Ignored,
            order: Order::Lexicographic,
        }
    }
}

/// The samples of the site that tell whether measures decrease.
fn of_site(samples: &[Sample], site: usize, descent: Descent) -> impl Iterator<Item = &Sample> {
    samples.iter().filter(move |sample| {
        let is_known = descent == Descent::Bounded || sample.after.is_some();
        sample.site == site && is_known
    })
}

/// Collects samples of random runs.
fn sample_randomly(watching: &Instrumented, mut collector: Collector<'_>) -> Vec<Sample> {
    let executable = Executable::compile(&watching.program);
    for mut inputs in random() {
        collector.run(&executable, &mut inputs);
    }
    collector.samples.into_iter().collect()
}

/// The combination with other terms in the place of some.
fn replace(component: &Linear, replaced: &FxHashMap<TermId, TermId>) -> Linear {
    component.map(&mut |atom| substitute(store(), atom, replaced))
}

/// The variables and the cells of memory in the combinations, each once.
fn parts(terms: &[Linear]) -> Vec<TermId> {
    let (mut parts, mut known) = (Vec::new(), FxHashSet::default());
    let mut open: Vec<TermId> = terms.iter().flat_map(Linear::atoms).collect();
    while let Some(term) = open.pop() {
        if !known.insert(term) {
            continue;
        }
        match store().as_application(term) {
            Some((Op::Select, _)) => parts.push(term),
            Some((_, arguments)) => open.extend(arguments),
            None if store().as_variable(term).is_some() => parts.push(term),
            None => {}
        }
    }
    parts
}

/// Makes ends of executions of what were errors, and assumes so.
fn end_at_overflow(program: &mut Program, loops: &Loops<'_>) {
    program.retain_errors(|_| false);
    for edge in &loops.program.edges {
        let Some(Operation::Assume(overflows)) = edge.operations.last() else {
            continue;
        };
        if loops.is_overflow(edge.target) {
            program.assumptions.push(Assumption {
                kind: AssumptionKind::Defined,
                what: "signed arithmetic does not overflow, which would be an end".to_owned(),
                location: edge.source,
                operations: 0,
                doubt: Doubt::Always,
                guards: vec![*overflows],
                span: edge.span,
            });
        }
    }
}

/// Assumes that unknown code returns.
fn assume_returns(program: &mut Program, loops: &Loops<'_>) {
    for function in (0..loops.program.functions.len() as u32).map(FunctionId) {
        if !loops.is_unknown_code(function) {
            continue;
        }
        let entry = loops.program.function(function).entry;
        program.assumptions.push(Assumption {
            kind: AssumptionKind::UnknownCode,
            what: "code without a definition returns, and calls the program back finitely often"
                .to_owned(),
            location: entry,
            operations: 0,
            doubt: Doubt::Always,
            guards: Vec::new(),
            span: loops.program.location(entry).span,
        });
    }
}

/// What is watched at a site.
struct Watch {
    /// The components of the measure.
    components: Vec<Linear>,
    /// The components as they were at the last visit of the loop's head, or at the function's entry.
    before: Vec<Linear>,
    /// Variables that keep the values that terms have at the loop's head or the function's entry.
    saved: Vec<(VariableId, TermId)>,
    /// The variables with the values of the components, if samples are taken.
    watched: Vec<Watched>,
    errors: Errors,
    order: Order,
}

impl Watch {
    /// Watches a loop; returns the edge after which the present values are known.
    fn instrument_loop(&self, program: &mut Program, edges: usize, cycle: &Loop) -> EdgeId {
        let (entries, rounds) = (
            program.add_location_like(cycle.head),
            program.add_location_like(cycle.head),
        );
        lead(program, edges, cycle, &Detour { entries, rounds });
        program.connect(entries, cycle.head, self.save());
        let next = match self.order {
            Order::Lexicographic => entries,
            Order::AnyOf => choose_to_keep(program, cycle, entries),
        };
        self.compare(program, rounds, &self.components, next)
    }

    /// Watches the calls of a function by itself; returns the edges after which the values for a call are known. Each
    /// activation has variables of its own, which keep the values at its entry.
    fn instrument_calls(
        &self,
        program: &mut Program,
        function: FunctionId,
        calls: &[EdgeId],
    ) -> Vec<EdgeId> {
        let Function {
            entry, parameters, ..
        } = program.function(function).clone();
        let first = program.add_location_like(entry);
        program.connect(first, entry, self.save());
        program.functions[function.index()].entry = first;
        let mut rounds = Vec::new();
        for &call in calls {
            let edge = program.edge(call);
            let Some(Operation::Call { arguments, .. }) = edge.operations.first() else {
                continue;
            };
            let values = parameters
                .iter()
                .map(|&parameter| value(program, parameter));
            let values: FxHashMap<TermId, TermId> = values.zip(arguments.iter().copied()).collect();
            let present = self.components.iter();
            let present = present.map(|component| replace(component, &values));
            let (present, source): (Vec<Linear>, _) = (present.collect(), edge.source);
            let calls = program.add_location_like(source);
            program.edges[call.index()].source = calls;
            rounds.push(self.compare(program, source, &present, calls));
        }
        rounds
    }

    /// Lets an error be reached where a round overflows that could not have decreased the measure.
    fn instrument_overflows(&self, program: &mut Program, overflows: &[EdgeId]) {
        let before = self.before.iter();
        let could_decrease = store().or(before.map(|component| component.is_at_least(0)));
        for &overflow in overflows {
            let end = program.edge(overflow).target;
            let overflowed = program.add_location_like(end);
            program.edges[overflow.index()].target = overflowed;
            let error = failure(program, end);
            let goes_on = vec![Operation::Assume(could_decrease)];
            program.connect(overflowed, end, goes_on);
            let fails = vec![Operation::Assume(store().not(could_decrease))];
            program.connect(overflowed, error, fails);
        }
    }

    /// Saves the values of what is watched.
    fn save(&self) -> Vec<Operation> {
        let save = self.saved.iter();
        let save = save.map(|&(target, value)| Operation::Assign { target, value });
        save.collect()
    }

    /// Goes on if the components have decreased to the present ones. Returns the edge after which they are known.
    fn compare(
        &self,
        program: &mut Program,
        from: LocationId,
        present: &[Linear],
        to: LocationId,
    ) -> EdgeId {
        let compared = program.add_location_like(from);
        let note = present.iter().zip(&self.watched);
        let note = note.map(|(component, watched)| Operation::Assign {
            target: watched.now,
            value: component.term(),
        });
        let round = program.connect(from, compared, note.collect());
        let Errors::Reached(descent) = self.errors else {
            program.connect(compared, to, Vec::new());
            return round;
        };
        let decreases = self.decreases(present, descent);
        let error = failure(program, from);
        program.connect(compared, to, vec![Operation::Assume(decreases)]);
        let fails = vec![Operation::Assume(store().not(decreases))];
        program.connect(compared, error, fails);
        round
    }
    /// The condition that the measure has decreased to the present components.
    fn decreases(&self, now: &[Linear], descent: Descent) -> TermId {
        let pairs = self.before.iter().zip(now);
        let less = |before: &Linear, now: &Linear| {
            let less = before.is_above(now, 1);
            match descent {
                Descent::Bounded => store().and2(before.is_at_least(0), less),
                Descent::Finite => less,
            }
        };
        match self.order {
            Order::Lexicographic => pairs.rev().fold(TermId::FALSE, |rest, (before, now)| {
                let rest = store().and2(before.is_above(now, 0), rest);
                store().or2(less(before, now), rest)
            }),
            Order::AnyOf => store().or(pairs.map(|(before, now)| less(before, now))),
        }
    }
}

/// Adds a location at which an input chooses whether the kept values of a visit are replaced by the present ones.
fn choose_to_keep(program: &mut Program, cycle: &Loop, replace: LocationId) -> LocationId {
    let (is_kept, choose) = choice(program, "the visit is kept", cycle.head);
    let (first, chosen) = (
        program.add_location_like(cycle.head),
        program.add_location_like(cycle.head),
    );
    program.connect(first, chosen, vec![choose]);
    program.connect(chosen, cycle.head, vec![Operation::Assume(is_kept)]);
    let is_replaced = Operation::Assume(store().not(is_kept));
    program.connect(chosen, replace, vec![is_replaced]);
    first
}
