"""What the mat says of its own sensors: which are dead, stuck or noisy, and what has lost its wire.

Sensors are in frame order: sensor i stands at ADC input i % inputs and address i // inputs, whose
low four bits choose a multiplexer's channel and whose others choose the multiplexer.
"""

from .kernels import BROKEN

NOISY = 12  # in 16 µT: three times what a sound sensor and its ADC may have
ALIKE = 8 << 4  # offsets that differ by less, in 1/16 count, are the same sensor's: 4 sigma
ADDRESS_LINES = 7
SAMPLE = 4  # `lost` looks at every fourth address
NAMED = 8  # so many sensors are told one by one


def report(mat, field):
    """In words, what `field.baseline` has shown to be wrong; "" when all is well. Inputs that say
    nothing at all are left to `lost`."""
    adcs = len(mat.ADC_PINS)
    found = bytearray(mat.N)  # 1 dead, 2 stuck, 3 noisy
    for i in range(mat.N):
        offset, noise = field.offset[i], field.noise[i]
        if offset < mat.COUNT_MIN << 4:
            found[i] = 1
        elif offset > mat.COUNT_MAX << 4 or noise == BROKEN:
            found[i] = 2
        elif noise > NOISY:
            found[i] = 3
    for adc in range(adcs):
        if all(found[i] in (1, 2) for i in range(adc, mat.N, adcs)):
            for i in range(adc, mat.N, adcs):
                found[i] = 0
    said = []
    for mark, what in ((1, "dead"), (2, "stuck"), (3, "noisy")):
        said += _named(mat, [i for i in range(mat.N) if found[i] == mark], what)
    line = _stuck_line(mat, field.offset)
    if line >= 0:
        said.append("address line %d (GP%d) does not switch" % (line, mat.ADDRESS_PINS[line]))
    return "; ".join(said)


def lost(mat, counts):
    """Which inputs a frame shows nothing of, in words; "" when all speak. Allocates nothing then.

    A count beyond what a sensor can show comes from a wire that is off, or from a magnet too strong
    for it.
    """
    adcs = len(mat.ADC_PINS)
    silent = 0
    for adc in range(adcs):
        i, seen, out = adc, 0, 0
        while i < mat.N:
            seen += 1
            if counts[i] < mat.COUNT_MIN or counts[i] > mat.COUNT_MAX:
                out += 1
            i += adcs * SAMPLE
        if out * 4 > seen * 3:
            silent |= 1 << adc
    if not silent:
        return ""
    if silent == (1 << adcs) - 1:
        return "all sensors are saturated, or without power"
    inputs = ["%d (GP%d)" % (n, mat.ADC_PINS[n]) for n in range(adcs) if silent >> n & 1]
    return "nothing comes from ADC input " + ", ".join(inputs)


def _named(mat, sensors, what):
    """These sensors in words: multiplexers all of whose sensors are meant, then the others."""
    adcs, said = len(mat.ADC_PINS), []
    step = adcs * mat.MUX_CHANNELS
    for first in range(0, mat.N, step):
        for adc in range(adcs):
            own = range(first + adc, min(first + step, mat.N), adcs)
            if len(own) > 1 and all(i in sensors for i in own):
                said.append("%s multiplexer %d of ADC input %d" % (what, first // step, adc))
                sensors = [i for i in sensors if i not in own]
    if sensors:
        more = " and %d more" % (len(sensors) - NAMED) if len(sensors) > NAMED else ""
        said.append(what + " sensors " + " ".join([str(i) for i in sensors[:NAMED]]) + more)
    return said


def _stuck_line(mat, offset):
    """The address line that changes nothing, so that each sensor is there twice; -1 for none. Where
    all sensors are alike, as no real ones are, nothing is known."""
    adcs = len(mat.ADC_PINS)
    stuck, lines = -1, 0
    for line in range(ADDRESS_LINES):
        step = adcs << line
        pairs = alike = 0
        for i in range(mat.N - step):
            if not (i // adcs) >> line & 1:
                pairs += 1
                if -ALIKE < offset[i] - offset[i + step] < ALIKE:
                    alike += 1
        if alike * 2 > pairs:
            stuck = line
            lines += 1
    return stuck if lines == 1 else -1
