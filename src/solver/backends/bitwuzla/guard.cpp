// Calls of Bitwuzla that may throw exceptions which its C interface does not catch (internal errors appear as exceptions of
// the standard library, such as a missing key of a table). Rust cannot catch them; here they become error results.

#include <cstddef>
#include <cstdint>
#include <iostream>

// Bitwuzla writes warnings to the standard output, which is reserved for results. No other C++ code writes there.
namespace {
[[maybe_unused]] const bool is_silenced = (std::cout.rdbuf(nullptr), true);
}

extern "C" {

struct Bitwuzla;
struct BitwuzlaParser;
using BitwuzlaTerm = uint64_t;

unsigned bitwuzla_check_sat(Bitwuzla *);
unsigned bitwuzla_check_sat_assuming(Bitwuzla *, uint32_t, BitwuzlaTerm *);
const BitwuzlaTerm *bitwuzla_get_unsat_assumptions(Bitwuzla *, size_t *);
BitwuzlaTerm bitwuzla_get_value(Bitwuzla *, BitwuzlaTerm);
void bitwuzla_parser_parse(BitwuzlaParser *, const char *, bool, bool, const char **);

// Returns the result, or 1 after an exception.
unsigned regatta_bitwuzla_check(Bitwuzla *instance, uint32_t count, BitwuzlaTerm *literals) noexcept
{
  try
  {
    return count == 0 ? bitwuzla_check_sat(instance) : bitwuzla_check_sat_assuming(instance, count, literals);
  }
  catch (...)
  {
    return 1;
  }
}

// Returns the core, or null with a size of SIZE_MAX after an exception.
const BitwuzlaTerm *regatta_bitwuzla_core(Bitwuzla *instance, size_t *size) noexcept
{
  try
  {
    return bitwuzla_get_unsat_assumptions(instance, size);
  }
  catch (...)
  {
    *size = SIZE_MAX;
    return nullptr;
  }
}

// Returns the value, or 0 after an exception.
BitwuzlaTerm regatta_bitwuzla_value(Bitwuzla *instance, BitwuzlaTerm term) noexcept
{
  try
  {
    return bitwuzla_get_value(instance, term);
  }
  catch (...)
  {
    return 0;
  }
}

// Parses the script; sets a message if that fails.
void regatta_bitwuzla_read(BitwuzlaParser *reader, const char *script, const char **message) noexcept
{
  try
  {
    bitwuzla_parser_parse(reader, script, false, false, message);
  }
  catch (...)
  {
    *message = "an internal error of Bitwuzla";
  }
}
}
