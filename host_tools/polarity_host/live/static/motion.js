// Evidence as a sequence of pictures: what lay and what flew where at a time, and the tracks until then.

const HOLD_MS = 400; // a body in flight is shown for so long after its last report

/** One ruling's evidence, as in API.md. Times in ms of the mat's clock. */
export class Motion {
  constructor(evidence) {
    this.evidence = evidence;
    this.from = evidence.from_ms;
    this.to = evidence.to_ms;
    const times = [...evidence.flights, ...evidence.scenes, ...evidence.frames].map(([t]) => t);
    this.times = [...new Set([this.from, ...times.filter((t) => t >= this.from && t <= this.to), this.to])].sort((a, b) => a - b);
  }

  /**
   * The nearest time before or after `t` that has an observation.
   * @param {number} t
   * @param {number} direction -1 or +1
   * @returns {number}
   */
  neighbour(t, direction) {
    const known = direction > 0 ? this.times.find((time) => time > t + 0.5) : this.times.findLast((time) => time < t - 0.5);
    return known ?? (direction > 0 ? this.to : this.from);
  }

  /** What to draw at `t`. @param {number} t @returns {{pieces: Array[], flight: Array[], tracks: Array[]}} */
  at(t) {
    const tracks = () => this._tracks(t); // of a whole game there are many: only when they are drawn
    return { pieces: last(this.evidence.scenes, t)?.[1] || [], flight: this._flight(t), get tracks() { return tracks(); } };
  }

  /** The raw frame at `t`. @param {number} t @returns {[number, string]|undefined} its time, and counts in base64 */
  frame(t) {
    return last(this.evidence.frames, t) || this.evidence.frames[0];
  }

  _flight(t) {
    const { flights } = this.evidence;
    const k = flights.findLastIndex(([time]) => time <= t);
    if (k < 0 || t - flights[k][0] > HOLD_MS) return [];
    const [t0, before] = flights[k], [t1, after] = flights[k + 1] || [t0, []];
    const share = t1 > t0 && t1 - t0 < HOLD_MS ? (t - t0) / (t1 - t0) : 0;
    return before.map((piece) => {
      const next = after.find((other) => other[0] === piece[0]);
      if (!next) return piece;
      return piece.map((value, i) => ([4, 5, 6, 8].includes(i) ? value + (next[i] - value) * share : value));
    });
  }

  _tracks(t) {
    const found = new Map();
    for (const [time, pieces] of this.evidence.flights) {
      if (time > t) break;
      for (const [id, , face, , x, y] of pieces) {
        if (!found.has(id)) found.set(id, [face, []]);
        found.get(id)[1].push([x / 100, y / 100]);
      }
    }
    return [...found.values()];
  }
}

function last(records, t) {
  return records.findLast(([time]) => time <= t);
}
