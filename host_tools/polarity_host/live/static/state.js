// What the server has told, whole: a `state` replaces it, a `tick` changes parts of it.

const MOST_EVENTS = 400;

export class State {
  constructor() {
    this.told = { pieces: [], flight: [], events: [], game: {}, health: {}, port: {}, answers: [], leds: "", mat: null };
    this.slow = new Set(); // boot/number of rulings whose evidence is kept
  }

  /** Takes a message; returns the names of what has changed. */
  take(message) {
    const { v, k, seq, events, ...parts } = message;
    Object.assign(this.told, parts);
    const changed = new Set(Object.keys(parts));
    if (k === "state") {
      this.told.events = [];
      this.slow.clear();
    }
    if (events?.length || k === "state") {
      for (const event of events || []) this._event(event);
      this.told.events.splice(0, this.told.events.length - MOST_EVENTS);
      changed.add("events");
    }
    return changed;
  }

  _event(event) {
    const name = `${event.b}/${event.n}`;
    if (event.k === "slow" || event.slow) this.slow.add(name);
    if (event.k === "slow") return;
    const has = (other) => other.n === event.n && other.b === event.b && other.k === event.k;
    if (!this.told.events.some(has)) this.told.events.push(event);
  }
}

/** Moves the shown pieces a little towards where they are, so that they glide and do not jump. */
export class Gliding {
  constructor() {
    this.shown = new Map();
  }

  /** Pieces as on the wire, gliding; `share` of the way is gone this time. */
  step(pieces, share) {
    const now = new Map();
    const told = pieces.map((piece) => {
      const before = piece[0] && this.shown.get(piece[0]);
      const far = before && Math.hypot(before[0] - piece[4], before[1] - piece[5]) > 8000;
      const at = [4, 5, 8].map((k, i) =>
        before && !far && piece[k] !== undefined && before[i] !== undefined ? before[i] + (piece[k] - before[i]) * share : piece[k]);
      if (piece[0]) now.set(piece[0], at);
      const moved = [...piece];
      [moved[4], moved[5]] = at;
      if (piece.length > 8) moved[8] = at[2];
      return moved;
    });
    this.shown = now;
    return told;
  }
}
