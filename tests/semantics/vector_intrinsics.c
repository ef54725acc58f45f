/* Instructions of SSE2 through the headers of the compiler. */
#include "observe.h"
#include <emmintrin.h>

static void observe_bytes(__m128i value)
{
    unsigned char bytes[16];
    _mm_storeu_si128((__m128i *)bytes, value);
    for (int i = 0; i < 16; i++)
        OBSERVE(bytes[i]);
}

static void observe_floats(__m128 value)
{
    float floats[4];
    _mm_storeu_ps(floats, value);
    for (int i = 0; i < 4; i++)
        OBSERVE_FLOAT(floats[i]);
}

static void observe_doubles(__m128d value)
{
    double doubles[2];
    _mm_storeu_pd(doubles, value);
    OBSERVE_DOUBLE(doubles[0]);
    OBSERVE_DOUBLE(doubles[1]);
}

int main(void)
{
    __m128i a = _mm_set_epi32(0x7fff8000, -5, 0x01ff80fe, 77), b = _mm_set_epi32(0x00018001, 5, 0x7f01ff02, -77);
    __m128i c = _mm_setr_epi8(1, -2, 127, -128, 5, 6, -7, 8, 9, 10, 11, 12, 100, -100, 15, 0);
    __m128i z = _mm_setzero_si128();
    observe_bytes(_mm_add_epi8(a, b));
    observe_bytes(_mm_adds_epi8(a, c));
    observe_bytes(_mm_adds_epu16(a, b));
    observe_bytes(_mm_subs_epi16(a, b));
    observe_bytes(_mm_subs_epu8(c, a));
    observe_bytes(_mm_avg_epu8(a, c));
    observe_bytes(_mm_min_epi16(a, b));
    observe_bytes(_mm_max_epu8(a, c));
    observe_bytes(_mm_mulhi_epi16(a, b));
    observe_bytes(_mm_mulhi_epu16(a, b));
    observe_bytes(_mm_mullo_epi16(a, b));
    observe_bytes(_mm_madd_epi16(a, b));
    observe_bytes(_mm_mul_epu32(a, b));
    observe_bytes(_mm_sad_epu8(a, c));
    observe_bytes(_mm_cmpgt_epi8(a, c));
    observe_bytes(_mm_cmpeq_epi16(a, z));
    observe_bytes(_mm_andnot_si128(a, c));
    observe_bytes(_mm_xor_si128(a, c));
    observe_bytes(_mm_slli_epi16(a, 3));
    observe_bytes(_mm_srli_epi32(a, 7));
    observe_bytes(_mm_srai_epi16(a, 20));
    observe_bytes(_mm_srli_epi64(a, 64));
    observe_bytes(_mm_sll_epi32(a, _mm_set_epi32(0, 9, 0, 4)));
    observe_bytes(_mm_slli_si128(c, 3));
    observe_bytes(_mm_srli_si128(c, 5));
    observe_bytes(_mm_shuffle_epi32(a, _MM_SHUFFLE(0, 1, 2, 3)));
    observe_bytes(_mm_shufflelo_epi16(a, _MM_SHUFFLE(1, 1, 3, 0)));
    observe_bytes(_mm_shufflehi_epi16(a, _MM_SHUFFLE(2, 0, 3, 1)));
    observe_bytes(_mm_unpacklo_epi8(a, c));
    observe_bytes(_mm_unpackhi_epi32(a, c));
    observe_bytes(_mm_packs_epi16(a, b));
    observe_bytes(_mm_packus_epi16(a, c));
    observe_bytes(_mm_packs_epi32(a, b));
    OBSERVE(_mm_movemask_epi8(c));
    OBSERVE(_mm_movemask_epi8(_mm_cmpeq_epi8(c, c)));
    OBSERVE(_mm_cvtsi128_si32(a));
    OBSERVE(_mm_extract_epi16(a, 3));
    observe_bytes(_mm_insert_epi16(a, 4711, 5));
    float nan = 0.0f;
    nan = nan / nan;
    __m128 f = _mm_set_ps(1.5f, -2.0f, nan, 0.25f), g = _mm_setr_ps(0.25f, 1.0f, -3.0f, 8.0f);
    observe_floats(_mm_add_ps(f, g));
    observe_floats(_mm_mul_ss(f, g));
    observe_floats(_mm_div_ss(g, f));
    observe_floats(_mm_min_ps(f, g));
    observe_floats(_mm_max_ps(g, f));
    observe_floats(_mm_sqrt_ps(_mm_mul_ps(g, g)));
    observe_floats(_mm_and_ps(f, g));
    observe_floats(_mm_shuffle_ps(f, g, _MM_SHUFFLE(3, 1, 2, 0)));
    observe_floats(_mm_unpackhi_ps(f, g));
    observe_floats(_mm_movehl_ps(f, g));
    observe_floats(_mm_movelh_ps(f, g));
    observe_floats(_mm_move_ss(f, g));
    OBSERVE(_mm_movemask_ps(f) & 13);
    observe_bytes(_mm_castps_si128(_mm_cmplt_ps(f, g)));
    observe_bytes(_mm_castps_si128(_mm_cmpnge_ps(f, g)));
    observe_bytes(_mm_castps_si128(_mm_cmpunord_ps(f, g)));
    __m128d d = _mm_set_pd(2.5, -1.0), e = _mm_set1_pd(4.0);
    observe_doubles(_mm_sub_pd(d, e));
    observe_doubles(_mm_add_sd(d, e));
    observe_doubles(_mm_sqrt_pd(e));
    observe_doubles(_mm_shuffle_pd(d, e, 1));
    observe_doubles(_mm_unpacklo_pd(d, e));
    OBSERVE(_mm_movemask_pd(d));
    observe_bytes(_mm_castpd_si128(_mm_cmpgt_pd(d, e)));
    _mm_mfence();
    return 0;
}
