# pyright: reportUndefinedVariable=false
# (the assembler's instructions and registers are names that asm_thumb supplies)
"""The drivers' inner loops, in the Cortex-M0+'s own assembler: counts, frames, colours, words.

Cycles by the Cortex-M0+ technical reference manual (ARM DDI 0484C, table 3-1): a load or store 2,
a taken branch 2, all else 1. Four conversions take 17, and a count 21 more: 55 cycles with eight,
so that a frame of 373 is summed in 0.16 ms at 125 MHz.
"""

import micropython


@micropython.asm_thumb
def sum_conversions(r0, r1, r2, r3):
    """(conversions, counts, order, number | quads << 16 | scale << 24): sums `4 * quads`
    conversions a count; the count is the sum times 2 ** scale / 8.

    All are buffers of uint16: `number * 4 * quads` conversions, one sensor's after another's;
    `number` counts; and `order`, in whose low 14 bits is the place of each sum among the counts.
    Allocates nothing, so an interrupt handler may call it.
    """
    lsr(r7, r3, 16)
    lsl(r3, r3, 16)
    lsr(r3, r3, 16)
    label(COUNT)
    lsl(r4, r7, 24)
    lsr(r4, r4, 24)
    mov(r5, 0)
    label(QUAD)
    ldrh(r6, [r0, 0])
    add(r5, r5, r6)
    ldrh(r6, [r0, 2])
    add(r5, r5, r6)
    ldrh(r6, [r0, 4])
    add(r5, r5, r6)
    ldrh(r6, [r0, 6])
    add(r5, r5, r6)
    add(r0, 8)
    sub(r4, 1)
    bne(QUAD)
    lsr(r6, r7, 8)
    lsl(r5, r6)
    lsr(r5, r5, 3)
    ldrh(r6, [r2, 0])
    add(r2, 2)
    lsl(r6, r6, 18)
    lsr(r6, r6, 17)
    add(r6, r6, r1)
    strh(r5, [r6, 0])
    sub(r3, 1)
    bne(COUNT)


@micropython.asm_thumb
def pack_frame(r0, r1, r2, r3):
    """(before, frame, packed, number | at << 12): writes the frame's `number` counts to the bytes
    `packed` from `at` on, by what was `before`; returns how many bytes that took.

    A count that has changed by -127 to 127 takes one byte, the change + 127; any other takes 255
    and the count's two bytes. 18 cycles a count, 0.05 ms a frame of 373. Allocates nothing.
    """
    lsr(r4, r3, 12)
    add(r2, r2, r4)
    mov(r7, r2)
    lsl(r3, r3, 20)
    lsr(r3, r3, 20)
    label(COUNT)
    ldrh(r4, [r0, 0])
    ldrh(r5, [r1, 0])
    sub(r4, r5, r4)
    add(r4, 127)
    cmp(r4, 254)
    bhi(LEAP)
    strb(r4, [r2, 0])
    add(r2, 1)
    b(NEXT)
    label(LEAP)
    mov(r4, 255)
    strb(r4, [r2, 0])
    strb(r5, [r2, 1])
    lsr(r5, r5, 8)
    strb(r5, [r2, 2])
    add(r2, 3)
    label(NEXT)
    add(r0, 2)
    add(r1, 2)
    sub(r3, 1)
    bne(COUNT)
    sub(r0, r2, r7)


@micropython.asm_thumb
def unpack_frame(r0, r1, r2):
    """(frame, packed, number | at << 12): makes the packed frame of the one before it."""
    lsr(r3, r2, 12)
    add(r1, r1, r3)
    lsl(r2, r2, 20)
    lsr(r2, r2, 20)
    label(COUNT)
    ldrb(r3, [r1, 0])
    add(r1, 1)
    cmp(r3, 255)
    beq(LEAP)
    ldrh(r4, [r0, 0])
    add(r4, r4, r3)
    sub(r4, 127)
    b(STORE)
    label(LEAP)
    ldrb(r4, [r1, 0])
    ldrb(r3, [r1, 1])
    lsl(r3, r3, 8)
    add(r4, r4, r3)
    add(r1, 2)
    label(STORE)
    strh(r4, [r0, 0])
    add(r0, 2)
    sub(r2, 1)
    bne(COUNT)


@micropython.asm_thumb
def dim_colours(r0, r1, r2, r3):
    """(colours, stream, number, scale): writes red, green, blue of `number` LEDs to `stream` in the
    order that the LEDs take.

    Green goes first, and each value is multiplied by scale / 256; 0.02 ms for 60 LEDs.
    """
    label(LED)
    ldrb(r4, [r0, 1])
    mul(r4, r3)
    lsr(r4, r4, 8)
    strb(r4, [r1, 0])
    ldrb(r4, [r0, 0])
    mul(r4, r3)
    lsr(r4, r4, 8)
    strb(r4, [r1, 1])
    ldrb(r4, [r0, 2])
    mul(r4, r3)
    lsr(r4, r4, 8)
    strb(r4, [r1, 2])
    add(r0, 3)
    add(r1, 3)
    sub(r2, 1)
    bne(LED)


@micropython.asm_thumb
def find_words(r0, r1, r2, r3):
    """(begin, end, first, second): the address of the first place there where the words `first` and
    `second` follow one another, 0 when there is none. 4 ms for all of the RAM.
    """
    label(WORD)
    cmp(r0, r1)
    bcs(NONE)
    ldr(r4, [r0, 0])
    add(r0, 4)
    cmp(r4, r2)
    bne(WORD)
    ldr(r4, [r0, 0])
    cmp(r4, r3)
    bne(WORD)
    sub(r0, 4)
    b(FOUND)
    label(NONE)
    mov(r0, 0)
    label(FOUND)
