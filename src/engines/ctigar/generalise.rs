//! Generalisation: dropping literals of an inductive clause (\[Bir13\], section 3.5, Algorithms 8 and 9, and section 3.6,
//! generalisation in consecution).

use super::cube::{Cube, Literal};
use super::frames::Level;
use super::place_solver::{Post, Query};
use super::queries::StepAnswer;
use super::system::{Model, PlaceId};
use super::{Ctigar, Stop};
use crate::Context;

/// The result of the check whether a clause is inductive relative to a frame.
#[derive(Debug)]
pub enum Consecution {
    /// It is inductive, and so is the negation of this part of its cube, which the unsat cores need.
    Inductive(Cube),
    /// It is not inductive; the model is a counterexample, if the solver has one.
    Broken(Option<Model>),
}

impl Ctigar<'_> {
    /// Checks consecution: whether no step leads from the frame, without the cube, into the cube.
    pub(super) fn consecution(
        &mut self,
        cube: &Cube,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Consecution, Stop> {
        let mut needed: Vec<Literal> = Vec::new();
        for step in self.system.incoming(cube.at) {
            let query = Query {
                level,
                excluding: Some(Post::Cube(cube)),
                post: Post::Cube(cube),
                frames: &self.frames,
                domain: &self.domain,
            };
            match self.queries.step(step, query, context)? {
                StepAnswer::Blocked(core) => needed.extend(core),
                StepAnswer::Taken(model) => return Ok(Consecution::Broken(Some(model))),
                StepAnswer::Undecided(_) => return Ok(Consecution::Broken(None)),
            }
        }
        let part = cube.filtered(|literal| needed.contains(&literal));
        Ok(Consecution::Inductive(part))
    }

    /// Returns a part of the cube whose negation is inductive relative to the frame, if the cube's negation is.
    pub(super) fn inductive_part(
        &mut self,
        cube: &Cube,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Option<Cube>, Stop> {
        match self.consecution(cube, level, context)? {
            Consecution::Inductive(part) => Ok(Some(part)),
            Consecution::Broken(_) => Ok(None),
        }
    }

    /// Generalises the cube, whose negation is inductive relative to the frame, and excludes the result from as many frames as
    /// possible; returns the last of these.
    pub(super) fn generalise_and_exclude(
        &mut self,
        cube: Cube,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Level, Stop> {
        let cube = self.mic(cube, level, 1, context)?;
        self.exclude_upwards(cube, level.next(), context)
    }

    /// Excludes the cube from the frames up to the level, which is known to be sound, and from the frames above as long as the
    /// clause is inductive relative to them.
    fn exclude_upwards(
        &mut self,
        mut cube: Cube,
        mut level: Level,
        context: &Context<'_>,
    ) -> Result<Level, Stop> {
        while level <= self.frontier {
            let Some(part) = self.inductive_part(&cube, level, context)? else {
                break;
            };
            cube = part;
            level = level.next();
        }
        self.statistics.clauses += 1;
        self.note_used(&cube, context);
        self.exclude(cube, level);
        Ok(level)
    }

    /// Adds the cube's negation as a clause to all frames up to the level.
    pub(super) fn exclude(&mut self, cube: Cube, level: Level) {
        self.queries.add_clause(&cube, level, &self.domain);
        self.frames.add(cube, level);
    }

    /// MIC (Algorithm 8) with geometric generalisation (Algorithm 9): returns a cube with fewer or weaker literals.
    fn mic(
        &mut self,
        cube: Cube,
        level: Level,
        depth: u32,
        context: &Context<'_>,
    ) -> Result<Cube, Stop> {
        let mut best = cube;
        let mut geometric = 0;
        // The predicates that refinement added last are the most specific.
        let literals: Vec<Literal> = best.literals().iter().rev().copied().collect();
        for literal in literals {
            if !best.contains(literal) {
                continue;
            }
            let smaller = best.without(literal);
            if let Some(found) = self.ctg_down(smaller, level, depth, context)? {
                self.statistics.dropped += (best.literals().len() - found.literals().len()) as u64;
                best = found;
                continue;
            }
            // A literal is replaced repeatedly as long as the cube stays inductive.
            let mut current = literal;
            while geometric < self.options.max_geo {
                geometric += 1;
                let Some((weaker, found)) =
                    self.replaced_by_weaker(&best, current, level, depth, context)?
                else {
                    break;
                };
                self.statistics.geometric += 1;
                best = found;
                current = weaker;
                if !best.contains(current) {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Replaces the literal by one of the nearest literals that it implies, if the negation of the result is inductive.
    fn replaced_by_weaker(
        &mut self,
        cube: &Cube,
        literal: Literal,
        level: Level,
        depth: u32,
        context: &Context<'_>,
    ) -> Result<Option<(Literal, Cube)>, Stop> {
        let solver = match &mut self.implications {
            Some(solver) => solver,
            none => none.insert(context.solver(self.factory)?),
        };
        for weaker in self
            .domain
            .weaker(literal, cube.at, &mut **solver, context)?
        {
            let other = cube.with_instead(literal, weaker);
            if let Some(found) = self.ctg_down(other, level, depth, context)? {
                return Ok(Some((weaker, found)));
            }
        }
        Ok(None)
    }

    /// CTGDOWN (Algorithm 8): returns the cube or a part of it whose negation is inductive relative to the frame. Counterexamples
    /// are excluded or joined with the cube without a bound on joins: the thesis finds maxJoins = ∞ best.
    fn ctg_down(
        &mut self,
        mut cube: Cube,
        level: Level,
        depth: u32,
        context: &Context<'_>,
    ) -> Result<Option<Cube>, Stop> {
        let mut ctgs = 0;
        loop {
            let model = match self.consecution(&cube, level, context)? {
                Consecution::Inductive(part) => return Ok(Some(part)),
                Consecution::Broken(model) => model,
            };
            let Some(model) = model.filter(|_| depth <= self.options.max_depth) else {
                return Ok(None);
            };
            let at = model.step.from;
            let counterexample = self.abstraction(&model, at, None);
            if ctgs < self.options.max_ctgs
                && level > Level(0)
                && at != PlaceId::ENTRY
                && let Some(part) = self.inductive_part(&counterexample, level.before(), context)?
            {
                ctgs += 1;
                self.statistics.ctgs += 1;
                let mut up_to = level;
                while up_to <= self.frontier
                    && self.inductive_part(&part, up_to, context)?.is_some()
                {
                    up_to = up_to.next();
                }
                let part = self.mic(part, up_to.before(), depth + 1, context)?;
                self.exclude(part, up_to);
                continue;
            }
            // States at different places have no literals in common.
            let common = cube.filtered(|literal| counterexample.contains(literal));
            if at != cube.at || common == cube {
                return Ok(None);
            }
            ctgs = 0;
            self.statistics.joins += 1;
            cube = common;
        }
    }
}
