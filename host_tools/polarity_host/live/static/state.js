// The state as the server has sent it: a `state` replaces it, a `tick` changes parts of it (API.md).

const MOST_EVENTS = 400;

export class State {
  /** `parts` by their names in API.md; `slow`: boot/number of the rulings whose evidence is stored. */
  constructor() {
    this.parts = { pieces: [], flight: [], events: [], game: {}, health: {}, port: {}, answers: [], leds: "", mat: null };
    this.slow = new Set();
  }

  /**
   * Takes a `state` or a `tick`.
   * @param {object} message
   * @returns {Set<string>} the names of the parts that have changed
   */
  take(message) {
    const { v, k, seq, events, ...parts } = message;
    if (k === "tick" && parts.virtual) parts.virtual = merged(this.parts.virtual, parts.virtual);
    Object.assign(this.parts, parts);
    const changed = new Set(Object.keys(parts));
    if (k === "state") {
      this.parts.events = [];
      this.slow.clear();
    }
    if (events?.length || k === "state") {
      for (const event of events || []) this._event(event);
      this.parts.events.splice(0, this.parts.events.length - MOST_EVENTS);
      changed.add("events");
    }
    return changed;
  }

  _event(event) {
    const name = `${event.b}/${event.n}`;
    if (event.k === "slow" || event.slow) this.slow.add(name);
    if (event.k === "slow") return;
    const has = (other) => other.n === event.n && other.b === event.b && other.k === event.k;
    if (!this.parts.events.some(has)) this.parts.events.push(event);
  }
}

/** What lies on the virtual mat, after changes: bodies that are `gone` and those that are new or different. */
function merged(before = {}, { gone = [], bodies, ...changes }) {
  if (!bodies) return { ...before, ...changes };
  const replaced = new Set([...gone, ...bodies.map((body) => body.id)]);
  return { ...before, ...changes, bodies: [...(before.bodies || []).filter((body) => !replaced.has(body.id)), ...bodies] };
}

/** Moves the shown pieces step by step to their places, so that they glide instead of jumping. */
export class Gliding {
  constructor() {
    this.shown = new Map();
  }

  /**
   * @param {Array[]} pieces as on the wire
   * @param {number} share of the way that this step covers
   * @returns {Array[]} the pieces where they are drawn now
   */
  step(pieces, share) {
    const now = new Map();
    const moved = pieces.map((piece) => {
      const before = piece[0] && this.shown.get(piece[0]);
      const far = before && Math.hypot(before[0] - piece[4], before[1] - piece[5]) > 8000;
      const at = [4, 5, 8].map((k, i) =>
        before && !far && piece[k] !== undefined && before[i] !== undefined ? before[i] + (piece[k] - before[i]) * share : piece[k]);
      if (piece[0]) now.set(piece[0], at);
      const row = [...piece];
      [row[4], row[5]] = at;
      if (piece.length > 8) row[8] = at[2];
      return row;
    });
    this.shown = now;
    return moved;
  }
}
