/* Integer arithmetic that rounds as Python's does. On the RP2040 a division is its hardware
   divider's (RP2040 datasheet 2.3.1.5): the result is there eight cycles after the divisor is
   written. An interrupt between that divides too puts back what it found, as long as the quotient
   is read last (pico-sdk, hardware_divider: it looks at the divider's dirty flag). */

#ifndef POLARITY_ARITHMETIC_H
#define POLARITY_ARITHMETIC_H

#include <stdint.h>

#ifdef __GNUC__
#define ALWAYS static inline __attribute__((always_inline))
#else
#define ALWAYS static inline
#endif

/* Compiled for speed in a file that is compiled for size. */
#ifdef POLARITY_RP2040
#define FAST __attribute__((optimize("O2")))
#else
#define FAST
#endif

#ifdef POLARITY_RP2040
#define DIVIDER ((volatile uint32_t *)0xd0000060)
enum { U_DIVIDEND, U_DIVISOR, S_DIVIDEND, S_DIVISOR, QUOTIENT, REMAINDER };
#define EIGHT_CYCLES __asm__ volatile("b 1f\n1: b 1f\n1: b 1f\n1: b 1f\n1:" ::: "memory")
#endif

/* a / b for b != 0, rounded down. */
static inline int32_t divided(int32_t a, int32_t b)
{
#ifdef POLARITY_RP2040
    DIVIDER[S_DIVIDEND] = (uint32_t)a;
    DIVIDER[S_DIVISOR] = (uint32_t)b;
    EIGHT_CYCLES;
    int32_t rest = (int32_t)DIVIDER[REMAINDER], quotient = (int32_t)DIVIDER[QUOTIENT];
#else
    int32_t rest = a % b, quotient = a / b;
#endif
    return rest != 0 && (rest ^ b) < 0 ? quotient - 1 : quotient;
}

ALWAYS uint32_t ratio(uint32_t a, uint32_t b)
{
#ifdef POLARITY_RP2040
    DIVIDER[U_DIVIDEND] = a;
    DIVIDER[U_DIVISOR] = b;
    EIGHT_CYCLES;
    return DIVIDER[QUOTIENT];
#else
    return a / b;
#endif
}

/* Floor of the square root of 0 <= v < 2**31: Newton from a line's guess, twice. */
static inline int32_t root(int32_t value)
{
    uint32_t v = (uint32_t)value, scaled = v, r;
    int up = 0;
    if (v < 2)
        return value;
    if (scaled >> 16)
        scaled >>= 16, up = 8;
    if (scaled >> 8)
        scaled >>= 8, up += 4;
    if (scaled >> 4)
        scaled >>= 4, up += 2;
    if (scaled >> 2)
        up += 1;
    /* 4**up <= v < 4**(up + 1): there this line is within 3 % of the root */
    r = ((v >> up) * 11 + (22u << up)) >> 5;
    r = (r + ratio(v, r)) >> 1; /* 0.05 % */
    r = (r + ratio(v, r)) >> 1; /* 10**-7 of at most 46341 */
    while (r * r > v)
        r--;
    return (int32_t)r;
}

static inline int32_t size(int32_t v) { return v < 0 ? -v : v; }

/* v, but no further from 0 than `most`. */
static inline int32_t cut(int32_t v, int32_t most) { return v > most ? most : v < -most ? -most : v; }

#endif
