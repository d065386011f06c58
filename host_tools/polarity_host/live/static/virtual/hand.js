// A hand over the virtual mat: pointers, wheel and keys set where the hand wants what it holds.

import { label, pieceOf } from "mat/pieces.js";

const HOVER_MM = 60, HIGHEST_MM = 120, LEAN_DEG = 40, STEEPEST_DEG = 85;
const REACH_MM = 24; // of a press, from the centre of a disc
const REFUSED_MS = 700; // of the table's time: a disc that has not come by then cannot be had

export class Hand {
  /**
   * @param {MatView} view
   * @param {(message: object) => void} send to the server
   * @param {() => object} table its last state
   */
  constructor(view, send, table) {
    this.name = Math.random().toString(36).slice(2); // so that it knows its own among all hands
    this.view = view;
    this.send = (message) => send({ hand: this.name, ...message });
    this.table = table;
    this.body = 0;
    this.wanted = { z: HOVER_MM, tilt: 0, azimuth: 0 };
    this.turned = false; // the direction was chosen by hand
    this.pointers = new Map();
    this.sent = ""; // the last move
    this.busy = false; // a disc was asked for that is not in the hand yet
    this.asked = 0; // when, by the table's clock (ms)
    this._listen();
  }

  get holding() {
    return this.body !== 0 || this.busy;
  }

  /** Takes the table's new state. @param {object} table */
  update(table) {
    const mine = Object.entries(table.hands).find(([name]) => name.endsWith(`/${this.name}`));
    const before = this.body;
    this.body = mine ? mine[1].body : 0;
    this.balance = mine ? mine[1].balance : 0;
    if (this.body || Math.abs(table.t_ms - this.asked) > REFUSED_MS) this.busy = false;
    if (this.body && this.setting) this.wanted.tilt = mine[1].tilt;
    if (before && !this.body) this._rest();
  }

  /** Takes a disc from a reserve. @param {string} side "w", "b" or "red" @param {PointerEvent} [event] */
  take(side, event) {
    if (this.holding) return;
    this._begin();
    const at = event ? this._place(event) : {};
    this.send({ do: "take", side, ...this._clear(at) });
    this.move(at);
  }

  /** Changes where it wants what it holds. @param {object} change any of x, y, z (mm), tilt, azimuth (degrees) */
  move(change) {
    Object.assign(this.wanted, change);
    if (!this.holding || this.setting) return;
    if (this.wanted.tilt && !this.turned) this.wanted.azimuth = this._away();
    const { x, y, z, tilt, azimuth } = this.wanted;
    const message = { do: "move", x, y, z, tilt, azimuth };
    const text = JSON.stringify(message);
    if (text !== this.sent) this.send(message);
    this.sent = text;
  }

  lean() {
    this.turned = false;
    this.move({ tilt: this.wanted.tilt > 5 ? 0 : LEAN_DEG });
  }

  turn(degrees) {
    this.turned = true;
    this.move({ azimuth: (this.wanted.azimuth + degrees + 360) % 360 });
  }

  raise(by) {
    this.move({ z: Math.min(HIGHEST_MM, Math.max(0, this.wanted.z + by)) });
  }

  tip(by) {
    this.move({ tilt: Math.min(STEEPEST_DEG, Math.max(0, this.wanted.tilt + by)) });
  }

  flip() {
    if (this.body) this.send({ do: "flip" });
  }

  drop() {
    if (this.holding) this.send({ do: "release" });
  }

  setDown() {
    if (!this.holding) return;
    this.setting = true;
    this.send({ do: "set_down" });
  }

  putBack() {
    if (this.body) this.send({ do: "put_back" });
  }

  /** Draws on the mat how well a disc on its rim is balanced. */
  draw(g, view, body) {
    if (!body || body.low > 1 || body.tilt < 4) return;
    const piece = pieceOf([0, "", "w", 1, body.x * 100, body.y * 100, 0, 0]);
    const share = Math.max(-1, Math.min(1, this.balance * 3));
    const good = Math.abs(this.balance) < 0.02;
    g.lineWidth = 3;
    g.strokeStyle = good ? view.colours.mark : view.colours.warn;
    g.beginPath();
    g.arc(piece.x, piece.y, 30, Math.PI / 2, Math.PI / 2 + Math.PI * (good ? 2 : share), share < 0 && !good);
    g.stroke();
    label(g, view, `${Math.round(body.tilt)}°`, piece.x, piece.y + 38, view.colours.ink, 9);
  }

  _begin() {
    this.busy = true;
    this.setting = false;
    this.turned = false;
    this.wanted = { ...this.wanted, z: HOVER_MM, tilt: 0 };
    this.asked = this.table()?.t_ms ?? 0;
    this.sent = "";
  }

  _rest() {
    this.setting = false;
    this.wanted.tilt = 0;
  }

  _place(event) {
    return this.view.mat ? this.view.toMillimetres(event) : { x: 0, y: 0 };
  }

  _clear({ x, y }) {
    return Number.isFinite(x) ? { x, y } : {};
  }

  /** Away from the nearest flat disc, so that leaners lean over what they lean on. */
  _away() {
    const { x, y } = this.wanted;
    const flat = this.table().bodies.filter((body) => !body.held && body.tilt < 5);
    const near = flat.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
    if (!near) return this.wanted.azimuth;
    return (Math.atan2(y - near.y, x - near.x) * 180 / Math.PI + 360) % 360;
  }

  _at({ x, y }) {
    const reach = (body) => Math.hypot(body.x - x, body.y - y);
    const bodies = this.table().bodies.filter((body) => !body.held && reach(body) < REACH_MM);
    return bodies.sort((a, b) => reach(a) - reach(b))[0];
  }

  // ---------------------------------------------------------------- pointers, wheel, keys
  _listen() {
    const canvas = this.view.canvas;
    canvas.addEventListener("pointerdown", (event) => this._press(event));
    addEventListener("pointermove", (event) => this._move(event));
    addEventListener("pointerup", (event) => this._lift(event));
    addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    addEventListener("keydown", (event) => this._key(event));
  }

  _press(event) {
    if (!this.table()) return;
    event.preventDefault();
    this.pointers.set(event.pointerId, event);
    if (event.button === 2) return this.lean();
    if (this.holding) return this._move(event);
    const place = this._place(event), body = this._at(place);
    if (!body) return;
    this._begin();
    this.carried = event.pointerId;
    this.send({ do: "grab", body: body.id, gather: body.touching && !event.altKey });
    this.move(place);
  }

  /** The reserve's tray was pressed: the disc follows this pointer. @param {PointerEvent} event */
  carry(event) {
    this.pointers.set(event.pointerId, event);
    this.carried = event.pointerId;
  }

  _move(event) {
    if (!this.holding || !this.table()) return;
    const before = this.pointers.get(event.pointerId);
    if (this.pointers.size === 2 && before) {
      const [a, b] = [...this.pointers.values()];
      const other = a.pointerId === event.pointerId ? b : a;
      const spread = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.raise((spread(event) - spread(before)) * 0.4);
    } else if (before || event.pointerType === "mouse") {
      if (before || event.target === this.view.canvas) this.move(this._place(event));
    }
    if (before) this.pointers.set(event.pointerId, event);
  }

  _lift(event) {
    this.pointers.delete(event.pointerId);
    if (event.pointerId !== this.carried) return;
    this.carried = null;
    if (event.pointerType === "mouse" && event.button === 0) {
      if (this._isOutside(event)) this.drop();
      else this.setDown();
    }
  }

  _isOutside(event) {
    const { x, y } = this._place(event);
    return Math.hypot(x, y) > this.view.mat.circle_radius_mm + 35;
  }

  _wheel(event) {
    if (!this.holding) return;
    event.preventDefault();
    const by = Math.sign(event.deltaY || event.deltaX);
    if (event.shiftKey) this.tip(-3 * by);
    else if (event.altKey) this.turn(-8 * by);
    else this.raise(-6 * by);
  }

  _key(event) {
    if (!this.holding || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    const acts = {
      l: () => this.lean(), f: () => this.flip(), q: () => this.turn(10), e: () => this.turn(-10),
      w: () => this.raise(6), s: () => this.raise(-6), d: () => this.tip(4), a: () => this.tip(-4),
      " ": () => this.drop(), enter: () => this.setDown(), escape: () => this.putBack(),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
