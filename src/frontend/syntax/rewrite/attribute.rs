//! Attributes and assembly.
//!
//! There are three kinds of attributes: those in [`WITH_EFFECT`] affect layout, linkage or control flow and are read by
//! `lower`; those in [`WITHOUT_EFFECT`] change nothing observable in a program that keeps its promises; for all others
//! the user is warned, since their effect is unknown.

use crate::rewrite::Rewriter;
use crate::syntax::token::{TokenKind, is_keyword, punctuator as p, word};
use regatta_base::diagnostic::{Error, ErrorKind};

/// Attributes that affect layout, linkage or control flow.
const WITH_EFFECT: &str = "\
    alias aligned cleanup constructor destructor gcc_struct hardbool ifunc interrupt interrupt_handler isr \
    mode ms_struct naked noreturn packed returns_twice scalar_storage_order signal transparent_union \
    vector_size weak weakref";

/// Attributes that affect how a definition is emitted; they do not matter in the library's headers.
const WITH_EFFECT_ON_DEFINITIONS: &str = "always_inline gnu_inline retain section used";

/// gcc's attributes that promise properties of a function; they matter for functions without a body.
const PROMISES: &str = "const malloc pure returns_nonnull";

/// Attributes that say what a function's caller gives it, or how long an array is; they matter for a function that is the
/// entry.
const OF_ARGUMENTS: &str = "access counted_by nonnull";

/// gcc's attributes of functions, variables, types, labels, statements and enumerators that change nothing here: hints
/// and promises to the optimiser, diagnostics, calling conventions, visibility, instrumentation.
const WITHOUT_EFFECT: &str = "\
    alloc_align alloc_size artificial assume assume_aligned btf_decl_tag \
    btf_type_tag cdecl cf_check cold common copy deprecated designated_init diagnose_if \
    enum_extensibility error expected_throw externally_visible fallthrough fastcall fd_arg fd_arg_read \
    fd_arg_write flag_enum flatten force_align_arg_pointer format format_arg hot \
    indirect_branch indirect_return leaf may_alias maybe_unused minsize ms_abi ms_hook_prologue musttail \
    neverinline no_address_safety_analysis no_caller_saved_registers no_dangling no_icf \
    no_instrument_function no_profile_instrument_function no_reorder no_sanitize no_sanitize_address \
    no_sanitize_coverage no_sanitize_thread no_sanitize_undefined no_split_stack no_stack_limit \
    no_stack_protector no_tls_get_addr noclone nocommon nocf_check nodebug nodiscard noinline noipa \
    nomerge nonnull_if_nonzero nonstring noplt nothrow null_terminated_string_arg \
    objc_root_class optnone overloadable patchable_function_entry regparm reproducible \
    sentinel simd sseregparm stack_protect stdcall strict_flex_array symver sysv_abi tainted_args \
    target target_clones thiscall tls_model unavailable uninitialized unsequenced unused visibility \
    warn_if_not_aligned warn_unused_result warning zero_call_used_regs";

/// The name without surrounding underscores.
fn plain(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"__")
        .and_then(|name| name.strip_suffix(b"__"))
        .unwrap_or(name)
}

fn contains(names: &str, name: &[u8]) -> bool {
    let mut names = names.split_ascii_whitespace();
    names.any(|known| known.as_bytes() == name)
}

impl Rewriter<'_> {
    /// Reads `__attribute__((…))` and writes the attributes with an effect; returns the index after it.
    pub(super) fn attributes(&mut self, index: usize) -> Result<usize, Error> {
        if !self.is(index + 1, p(b"(")) {
            return Ok(index + 1);
        }
        let close = self.partner(index + 1);
        let mut kept: Vec<(usize, usize)> = Vec::new();
        if self.is(index + 2, p(b"(")) && self.partner(index + 2) + 1 == close {
            for (item, end) in self.attribute_items(index + 2) {
                if self.keeps_attribute(item, item) {
                    kept.push((item, end));
                }
            }
        }
        self.write_attributes(index, &kept)?;
        Ok(close + 1)
    }

    /// Reads C23's `[[…]]` and writes it as `__attribute__((…))`; returns the index after it.
    pub(super) fn standard_attributes(&mut self, index: usize) -> Result<usize, Error> {
        let after = self.partner(index) + 1;
        let mut kept: Vec<(usize, usize)> = Vec::new();
        for (item, end) in self.attribute_items(index + 1) {
            let gnu = self
                .word(item)
                .is_some_and(|word| plain(self.all.words.text(word)) == b"gnu");
            let colons = (item + 1..end)
                .take_while(|&index| self.is(index, p(b":")) || self.is(index, p(b"::")))
                .count();
            let name = if colons > 0 { item + 1 + colons } else { item };
            if colons > 0 && !gnu {
                self.unknown_attribute(item);
                continue;
            }
            if self.keeps_attribute(name, item) {
                kept.push((name, end));
            }
        }
        let is_suffix = |index| self.is(index, p(b"(")) || self.is(index, p(b"["));
        if !kept.is_empty() && is_suffix(after) && self.aggregate.is_none() {
            // An attribute between a name and its parameters or length is moved behind these.
            let mut end = after;
            while is_suffix(end) {
                end = self.partner(end) + 1;
            }
            if self.is(end, p(b"{")) {
                let message = "an attribute between a function's name and its parameters";
                return Err(self.error(index, ErrorKind::Unsupported, message));
            }
            let out = std::mem::take(&mut self.out);
            let pieces = self.pieces.len();
            let written = self.write_attributes(index, &kept);
            let text = std::mem::replace(&mut self.out, out);
            self.pieces.truncate(pieces);
            self.last_end = u32::MAX;
            written?;
            self.late_attributes
                .push((end, String::from_utf8_lossy(&text).into_owned()));
            return Ok(after);
        }
        self.write_attributes(index, &kept)?;
        Ok(after)
    }

    /// The token ranges of the attributes within brackets.
    fn attribute_items(&self, open: usize) -> Vec<(usize, usize)> {
        let end = self.partner(open);
        let mut items = Vec::new();
        let mut item = open + 1;
        while item < end {
            let mut item_end = item;
            while item_end < end && !self.is(item_end, p(b",")) {
                item_end = self.partner(item_end).max(item_end) + 1;
            }
            if item < item_end {
                items.push((item, item_end));
            }
            item = item_end + 1;
        }
        items
    }

    /// Whether the attribute with the name at an index is written; warns of an unknown one.
    fn keeps_attribute(&mut self, name: usize, place: usize) -> bool {
        let text = self
            .word(name)
            .map_or(&b""[..], |symbol| plain(self.all.words.text(symbol)));
        let text = if text == b"_Noreturn" {
            b"noreturn"
        } else {
            text
        };
        if contains(WITH_EFFECT, text) {
            return true;
        }
        if [PROMISES, OF_ARGUMENTS, WITH_EFFECT_ON_DEFINITIONS]
            .iter()
            .any(|names| contains(names, text))
        {
            // The library's functions have models.
            let token = self.tokens.get(place);
            return token.is_some_and(|token| !self.positions.is_system(token.start));
        }
        if !contains(WITHOUT_EFFECT, text) {
            self.unknown_attribute(place);
        }
        false
    }

    fn unknown_attribute(&mut self, place: usize) {
        let Some(&token) = self.tokens.get(place) else {
            return;
        };
        // Attributes in the library's headers need no warning.
        if token.kind != TokenKind::Word || self.positions.is_system(token.start) {
            return;
        }
        let name = String::from_utf8_lossy(self.source(token)).into_owned();
        let message = format!("the attribute `{name}` is unknown and taken to change nothing");
        self.warnings.push((token.start, message));
    }

    /// Writes the attributes, given as token ranges.
    fn write_attributes(&mut self, index: usize, kept: &[(usize, usize)]) -> Result<(), Error> {
        if kept.is_empty() {
            return Ok(());
        }
        let previous = self.previous;
        let statement_start = self.statement_start;
        let start = self.tokens[index].start;
        let aggregate = self.aggregate.take();
        if aggregate.is_none() {
            self.insert("__attribute__((", start);
        }
        // A struct's attributes are written separately and inserted after the closing brace.
        let held = aggregate.map(|_| {
            let out = std::mem::take(&mut self.out);
            (
                out,
                self.pieces.len(),
                std::mem::take(&mut self.held_attributes),
            )
        });
        for (number, &(item, end)) in kept.iter().enumerate() {
            if number > 0 {
                self.insert(",", start);
            }
            let mut argument = item;
            if self.word(item) == Some(word::Noreturn) {
                self.insert("noreturn", start);
                argument += 1;
            }
            while argument < end {
                argument = self.advance(argument)?;
            }
        }
        match held {
            None => self.insert("))", start),
            Some((out, pieces, mut attributes)) => {
                if !attributes.is_empty() {
                    attributes.push(b',');
                }
                attributes.extend(std::mem::replace(&mut self.out, out));
                self.pieces.truncate(pieces);
                self.held_attributes = attributes;
                self.aggregate = aggregate;
                self.previous = previous;
                self.last_end = u32::MAX;
            }
        }
        self.statement_start = statement_start;
        Ok(())
    }

    /// Rewrites assembly: lang-c parses neither `asm goto` nor the qualifier `inline`.
    pub(super) fn assembly(&mut self, index: usize) -> usize {
        let start = self.tokens[index].start;
        let mut open = index + 1;
        let mut jumps = false;
        let mut is_volatile = false;
        while let Some(qualifier) = self.word(open) {
            jumps |= qualifier == word::Goto;
            is_volatile |= matches!(
                qualifier,
                word::Volatile | word::VolatileGnu | word::VolatileGnu2
            );
            open += 1;
        }
        self.statement_start = false;
        self.previous = Some(index);
        if jumps && self.is(open, p(b"(")) {
            if self.assembly_jump(open) {
                self.insert("{ __asm__ volatile", start);
                return open;
            }
            self.insert("__regatta_unsupported(\"asm goto\")", start);
            let close = self.partner(open);
            self.previous = Some(close);
            return close + 1;
        }
        self.insert(
            if is_volatile {
                "__asm__ volatile"
            } else {
                "__asm__"
            },
            start,
        );
        open
    }

    /// Separates the labels of `asm goto` from the rest; returns whether that is possible.
    fn assembly_jump(&mut self, open: usize) -> bool {
        let close = self.partner(open);
        let mut colons = Vec::new();
        let mut index = open + 1;
        while index < close {
            if self.is(index, p(b":")) {
                colons.push(index);
            }
            index = self.partner(index).max(index) + 1;
        }
        let [.., labels] = colons[..] else {
            return false;
        };
        let are_plain = (labels + 1..close)
            .filter_map(|index| self.word(index))
            .all(|label| !is_keyword(label) && self.renamed(label).is_none());
        if colons.len() != 4 || !are_plain || !self.is(close + 1, p(b";")) {
            return false;
        }
        self.edit(labels, "", Some("); __regatta_assembly_jump("), "");
        self.edit(close + 1, "", None, "}");
        true
    }
}
