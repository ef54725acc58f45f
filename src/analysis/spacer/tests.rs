//! What SPACER proves and refutes, and how.
