//! A program under construction.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use regatta_program::{
    Arithmetic, CScalar, DataModel, Edge, EdgeId, FunctionId, Input, InputId, InputKind, Location,
    LocationId, Operation, Passed, Program, RegionId, Role, Scope, SourceMap, Span, Variable,
    VariableId, Waypoints,
};
use regatta_term::{Build, Sort, Symbol, TermId, store};

/// Adds variables, locations, edges and inputs to a program, and keeps names unique.
pub struct Builder {
    /// The program so far.
    pub program: Program,
    /// Each variable as a term.
    terms: Vec<TermId>,
    /// How often a name was asked for.
    names: FxHashMap<String, u32>,
    /// The waypoints that the edges pass.
    pub waypoints: Waypoints,
    /// Whether it is recorded where zeros are written to regions of bytes.
    pub records_zeros: bool,
    /// For regions of bytes, the history variable for the index of the zero that was written last.
    last_zeros: FxHashMap<RegionId, VariableId>,
    /// For regions of pointers in objects on the heap, what is recorded where one is written.
    pub links: FxHashMap<RegionId, LinkHistory>,
    /// Variables that have a copy, with it: it is written wherever they are.
    pub copies: FxHashMap<VariableId, VariableId>,
}

/// What is recorded where a pointer is written to a field of an object on the heap: history variables \[AL91\] for invariants
/// about lists. All are arrays by the numbers of objects.
#[derive(Copy, Clone, Debug)]
pub struct LinkHistory {
    /// The binary logarithm of the size of an object's slot (bytes).
    pub slot: u8,
    /// Number of the lowest bits of an index in the region that tell a place within an object.
    pub within: u8,
    /// By object, the index in the region where a pointer to it was written last.
    pub holders: VariableId,
    /// On which side of the watched object the others are in their list, if one is watched.
    pub sides: Option<Sides>,
}

/// On which side of the watched object others are, as of the writes of their links; a later write elsewhere in the list does
/// not change that. Elements are of Boolean sort.
#[derive(Copy, Clone, Debug)]
pub struct Sides {
    /// The number of the watched object.
    pub watched: TermId,
    /// Whether the watched object is the next one that is made, where it may be put behind others ([`may_insert_behind`]).
    ///
    /// [`may_insert_behind`]: crate::memory::analysis::walks::may_insert_behind
    pub is_next: Option<TermId>,
    /// By object, whether it is the watched one, or was made to lead to one of which that is so, or its link was read when the
    /// watched one was the next that is made.
    pub before: VariableId,
    /// By object, whether the watched one was made to lead to it, or one of which that is so.
    pub after: VariableId,
}

/// The properties of a new variable besides its name and sort.
#[derive(Copy, Clone, Debug)]
pub struct Description {
    /// The functions that may use it.
    pub scope: Scope,
    /// What it stands for.
    pub role: Role,
    /// Its C type.
    pub c_type: Option<CScalar>,
    /// Where it is declared.
    pub span: Span,
}

impl Builder {
    pub fn new(sources: SourceMap, arithmetic: Arithmetic, data_model: DataModel) -> Self {
        Self {
            program: Program {
                sources,
                arithmetic,
                data_model,
                variables: Vec::new(),
                functions: Vec::new(),
                locations: Vec::new(),
                edges: Vec::new(),
                regions: Vec::new(),
                objects: Vec::new(),
                inputs: Vec::new(),
                start: FunctionId(0),
                errors: Vec::new(),
                assumptions: Vec::new(),
                externals: Vec::new(),
                waypoints: Arc::default(),
            },
            terms: Vec::new(),
            names: FxHashMap::default(),
            waypoints: Waypoints::default(),
            records_zeros: false,
            last_zeros: FxHashMap::default(),
            links: FxHashMap::default(),
            copies: FxHashMap::default(),
        }
    }

    /// Adds a variable; its name gets a number if there is one of that name already.
    pub fn variable(&mut self, name: &str, sort: Sort, description: Description) -> VariableId {
        let mut name = name.to_owned();
        loop {
            let count = self.names.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                break;
            }
            name = format!("{name}#{count}");
        }
        let symbol = Symbol::new(&name, sort);
        self.terms.push(store().variable(symbol));
        let Description {
            scope,
            role,
            c_type,
            span,
        } = description;
        self.program.add_variable(Variable {
            name,
            symbol,
            sort,
            scope,
            role,
            c_type,
            span,
        })
    }

    /// The history variable for the index of the zero that was written last to a region.
    pub fn last_zero(&mut self, region: RegionId) -> VariableId {
        if let Some(&known) = self.last_zeros.get(&region) {
            return known;
        }
        let of = self.program.regions[region.index()].variable;
        let sort = match self.program.variables[of.index()].sort {
            Sort::Array { index, .. } => index.into(),
            other => other,
        };
        let name = format!("last zero in region#{}", region.0);
        let history = self.history(&name, of, sort);
        self.last_zeros.insert(region, history);
        history
    }

    /// Adds a history variable.
    pub fn history(&mut self, name: &str, of: VariableId, sort: Sort) -> VariableId {
        let description = Description {
            scope: Scope::Global,
            role: Role::History(of),
            c_type: None,
            span: Span::NONE,
        };
        self.variable(name, sort, description)
    }

    /// A variable as a term.
    pub fn term(&self, variable: VariableId) -> TermId {
        self.terms[variable.index()]
    }

    /// A variable's symbol.
    pub fn symbol(&self, variable: VariableId) -> Symbol {
        self.program.variables[variable.index()].symbol
    }

    /// Adds an input: a point where a value comes from outside.
    pub fn input(
        &mut self,
        kind: InputKind,
        sort: Sort,
        c_type: Option<CScalar>,
        span: Span,
    ) -> InputId {
        let id = InputId(self.program.inputs.len() as u32);
        self.program.inputs.push(Input {
            kind,
            sort,
            c_type,
            part: None,
            span,
        });
        id
    }

    pub fn location(
        &mut self,
        function: FunctionId,
        span: Span,
        label: Option<String>,
    ) -> LocationId {
        self.program.add_location(Location {
            function,
            span,
            label,
            violates: None,
        })
    }

    /// The finished program.
    pub fn finish(mut self) -> Program {
        self.program.waypoints = Arc::new(self.waypoints);
        self.program
    }

    /// Adds an edge, with the waypoints that it passes.
    pub fn edge(
        &mut self,
        source: LocationId,
        target: LocationId,
        operations: Vec<Operation>,
        span: Span,
        passed: &[Passed],
    ) -> EdgeId {
        self.waypoints.add_edge(passed);
        self.program.add_edge(Edge {
            source,
            target,
            operations,
            span,
        })
    }
}
