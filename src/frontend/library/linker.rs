//! Symbols that the linker defines, such as the bounds of the program and its sections.

/// Symbols that GNU ld defines if the program declares them.
const SYMBOLS: &[&str] = &[
    "end",
    "_end",
    "__end",
    "__end__",
    "edata",
    "_edata",
    "__edata",
    "etext",
    "_etext",
    "__etext",
    "_ftext",
    "_fdata",
    "_fbss",
    "__bss_start",
    "__bss_start__",
    "_bss_end__",
    "__bss_end__",
    "__data_start",
    "data_start",
    "__executable_start",
    "__ehdr_start",
    "__dso_handle",
    "_start",
    "_init",
    "_fini",
    "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_",
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__rel_iplt_start",
    "__rel_iplt_end",
    "__rela_iplt_start",
    "__rela_iplt_end",
    "__EH_FRAME_BEGIN__",
    "__FRAME_END__",
    "__GNU_EH_FRAME_HDR",
    "__TMC_END__",
    "__CTOR_LIST__",
    "__CTOR_END__",
    "__DTOR_LIST__",
    "__DTOR_END__",
    "_IO_stdin_used",
];

/// Symbols that GNU ld defines even if the program does.
const OWN: &[&str] = &["_end", "_edata", "__bss_start"];

/// Whether the linker defines a symbol if the program declares it.
pub fn defines(symbol: &str) -> bool {
    SYMBOLS.contains(&symbol)
}

/// Whether the linker defines a symbol even if the program defines it.
pub fn always_defines(symbol: &str) -> bool {
    OWN.contains(&symbol)
}

/// Whether a symbol of a section denotes its beginning.
pub fn is_start(symbol: &str) -> bool {
    symbol.starts_with("__start_")
}

/// The name of the section whose beginning or end a symbol denotes.
pub fn section(symbol: &str) -> Option<&str> {
    let start = symbol.strip_prefix("__start_");
    start.or_else(|| symbol.strip_prefix("__stop_"))
}
