//! What the program has been seen to use, where that decides what is modelled.

/// What the program uses.
#[derive(Default)]
pub(in crate::lower) struct Uses {
    /// The library's streams.
    streams: bool,
    /// The rounding mode.
    rounding: bool,
    /// The object that points to the environment's strings (`environ`).
    environment: bool,
    /// Assembly that may access the program's symbols.
    assembly: bool,
    /// Whether the assembly statement lowered last has no effect.
    last_assembly_does_nothing: bool,
}

impl Uses {
    pub fn streams(&self) -> bool {
        self.streams
    }

    pub fn note_streams(&mut self) {
        self.streams = true;
    }

    pub fn rounding(&self) -> bool {
        self.rounding
    }

    pub fn note_rounding(&mut self) {
        self.rounding = true;
    }

    pub fn environment(&self) -> bool {
        self.environment
    }

    pub fn note_environment(&mut self) {
        self.environment = true;
    }

    pub fn assembly(&self) -> bool {
        self.assembly
    }

    pub fn note_assembly(&mut self) {
        self.assembly = true;
    }

    /// Checks whether the assembly statement lowered last has no effect.
    pub fn last_assembly_does_nothing(&self) -> bool {
        self.last_assembly_does_nothing
    }

    pub fn note_assembly_statement(&mut self, does_nothing: bool) {
        self.last_assembly_does_nothing = does_nothing;
    }
}
