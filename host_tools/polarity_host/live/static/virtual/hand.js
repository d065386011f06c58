// A hand over the virtual mat: pointers, wheel and keys set where the hand wants what it holds.

import { drawPiece, label, pieceOf } from "mat/pieces.js";
import { ring } from "mat/draw.js";
import { watching } from "mat/link.js";

const HOVER_MM = 60, HIGHEST_MM = 120, LEAN_DEG = 40, STEEPEST_DEG = 85;
const REACH_MM = 24; // of a press, from the centre of a disc
const CLICK_PX = 6, CLICK_MS = 400; // a press that moves and lasts less than that picks up, and does not carry
const STANDS = [42 / 34, 58 / 34]; // how far from the middle of what it leans on a leaner stands, in diameters
const RADIANS = Math.PI / 180;

export class Hand {
  /**
   * @param {MatView} view
   * @param {(message: object) => void} send to the server
   * @param {() => object} table its last state
   */
  constructor(view, send, table) {
    this.name = Math.random().toString(36).slice(2); // so that it knows its own among all hands
    this.view = view;
    this.number = 0; // of the last message
    this.send = (message) => send({ hand: this.name, n: ++this.number, ...message });
    this.table = table;
    this.body = 0;
    this.asked = 0; // the message that asked for a disc
    this.busy = false; // the server has not answered it yet
    this.wanted = { z: HOVER_MM, tilt: 0, azimuth: 0 };
    this.turned = false; // the direction was chosen by hand
    this.pointers = new Map();
    this.sent = ""; // the last move
    this.cursor = null; // where keys are, in mm
    if (!watching) this._listen();
  }

  get holding() {
    return !this.setting && (this.body !== 0 || this.busy);
  }

  /** Takes the table's new state. @param {object} table */
  update(table) {
    const mine = (of) => Object.entries(of).find(([name]) => name.endsWith(`/${this.name}`))?.[1];
    const held = mine(table.hands), before = this.body;
    this.body = held ? held.body : 0;
    this.balance = held ? held.balance : 0;
    this.preview = held ? held.preview : null;
    this.busy = this.asked > (mine(table.done) ?? 0);
    if (this.body && this.setting) this.wanted.tilt = held.tilt;
    if (before && !this.body && !this.busy) this._rest();
  }

  /** The server has gone, and with it what was asked for. */
  reset() {
    this.asked = 0;
    this._rest();
  }

  /** Takes a disc from a reserve; a full hand puts back what it holds. @param {string} side "w", "b" or "red" @param {PointerEvent} [event] */
  take(side, event) {
    if (this.holding) return this.putBack();
    if (!this.table().reserves[side]) return;
    const at = event ? this._place(event) : this.cursor || { x: 0, y: side === "b" ? 120 : -120 };
    this._ask({ do: "take", side, ...(event ? at : {}) }, at); // by keys it comes from beside the circle, as a hand does
    if (event) this.carry(event);
  }

  /** Changes where it wants what it holds. @param {object} change any of x, y, z (mm), tilt, azimuth (degrees) */
  move(change) {
    Object.assign(this.wanted, change);
    if (!this.holding) return;
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
    if (this.holding) this.send({ do: "flip" });
  }

  drop() {
    this._end("release");
  }

  setDown() {
    this._end("set_down");
  }

  putBack() {
    this._end("put_back");
  }

  /** Draws on the mat where a foundation may not lie, where a leaner stands, and how well it is balanced. */
  draw(g, view, body, laying) {
    if (this.cursor && !body) this._drawCursor(g, view);
    if (!body) return;
    const others = this.table().bodies.filter((other) => !other.held && other.tilt < 5);
    const diameter = view.mat.disc.diameter_mm;
    if (laying) {
      g.lineWidth = 1;
      g.strokeStyle = view.colours["on-felt"];
      g.setLineDash([3, 4]);
      for (const other of others) ring(g, diameter, other.x, other.y);
      g.setLineDash([]);
    }
    if (body.tilt < 4) return;
    const near = nearest(others, body);
    if (near) this._drawWindow(g, view, near, STANDS.map((share) => share * diameter));
    if (this.preview) this._drawPreview(g, view, body);
    if (body.low > 1) return;
    const piece = pieceOf([0, "", "w", 1, body.x * 100, body.y * 100, 0, 0]);
    const share = Math.max(-1, Math.min(1, this.balance * 3));
    const good = Math.abs(this.balance) < 0.02;
    g.lineWidth = 3;
    g.strokeStyle = view.colours[good ? "good" : "bad"];
    g.beginPath();
    g.arc(piece.x, piece.y, 30, Math.PI / 2, Math.PI / 2 + Math.PI * (good ? 2 : share), share < 0 && !good);
    g.stroke();
    label(g, view, `${Math.round(body.tilt)}°`, piece.x, piece.y + 38, view.colours["on-felt"], 9);
  }

  /** The ring around `near` in which a leaner stands if nothing else pulls at it. */
  _drawWindow(g, view, near, [least, most]) {
    g.strokeStyle = view.colours[this.preview?.stands ? "good" : "on-felt"];
    g.globalAlpha = 0.3;
    g.lineWidth = most - least;
    ring(g, (least + most) / 2, near.x, near.y);
    g.globalAlpha = 1;
  }

  /** The ghost: how the disc would lean if it were set down, crossed out where it would not, and what pulls at it. */
  _drawPreview(g, view, body) {
    const { stands, x, y, tilt, azimuth, pulls } = this.preview;
    const colour = view.colours[stands ? "good" : "bad"];
    const at = new Map(this.table().bodies.map((other) => [other.id, other]));
    g.strokeStyle = colour;
    for (const [id, torque] of pulls) {
      const other = at.get(id);
      if (!other) continue;
      g.lineWidth = 1 + 4 * Math.min(1, Math.abs(torque)); // the stronger, the wider; broken where it presses down
      g.setLineDash(torque > 0 ? [] : [5, 4]);
      line(g, other.x, other.y, body.x, body.y);
    }
    g.setLineDash([]);
    drawPiece(g, view, pieceOf([0, "leaner", body.face, 1, x * 100, y * 100, tilt, azimuth]), { ghost: true });
    g.lineWidth = 3;
    g.strokeStyle = colour;
    const far = view.mat.disc.diameter_mm / 2 + 3;
    if (stands) return ring(g, far, body.x, body.y);
    for (const way of [-1, 1]) line(g, body.x - 0.7 * far, body.y - 0.7 * far * way, body.x + 0.7 * far, body.y + 0.7 * far * way);
  }

  _drawCursor(g, view) {
    const { x, y } = this.cursor, near = this._at(this.cursor);
    g.strokeStyle = view.colours["on-felt"];
    g.lineWidth = 2;
    ring(g, near ? REACH_MM : 8, near ? near.x : x, near ? near.y : y);
  }

  /** Asks for a disc, which then follows. */
  _ask(message, at) {
    this.busy = true;
    this.setting = this.turned = false;
    this.wanted = { ...this.wanted, z: HOVER_MM, tilt: 0, ...at };
    this.sent = "";
    this.send(message);
    this.asked = this.number;
    this.move(at);
  }

  _end(how) {
    if (!this.holding) return;
    this.setting = true;
    this.send({ do: how });
  }

  _rest() {
    this.setting = false;
    this.wanted.tilt = 0;
  }

  _place(event) {
    return this.view.mat ? this.view.toMillimetres(event) : { x: 0, y: 0 };
  }

  /** Away from the nearest flat disc, so that leaners lean over what they lean on. */
  _away() {
    const near = nearest(this.table().bodies.filter((body) => !body.held && body.tilt < 5), this.wanted);
    if (!near) return this.wanted.azimuth;
    return (Math.atan2(this.wanted.y - near.y, this.wanted.x - near.x) / RADIANS + 360) % 360;
  }

  _at(place) {
    const near = nearest(this.table().bodies.filter((body) => !body.held), place);
    return near && Math.hypot(near.x - place.x, near.y - place.y) < REACH_MM ? near : undefined;
  }

  _grab(place, alone) {
    const body = this._at(place);
    if (body) this._ask({ do: "grab", body: body.id, gather: body.touching && !alone }, place);
    return Boolean(body);
  }

  // ---------------------------------------------------------------- pointers and wheel
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
    this.cursor = null;
    this.pointers.set(event.pointerId, event);
    if (event.button === 2) return this.lean();
    const place = this._place(event);
    const lowered = this.setting && this.table().bodies.find((body) => body.id === this.body);
    if (lowered) this.setting = Math.hypot(lowered.x - place.x, lowered.y - place.y) > REACH_MM; // else it is taken again
    if (this.holding) {
      this.carried = event.pointerId;
      this.pressed = null; // the next release sets it down
      return this._move(event);
    }
    if (this._grab(place, event.altKey)) this._begin(event);
  }

  /** The reserve's tray was pressed: the disc follows this pointer. @param {PointerEvent} event */
  carry(event) {
    this.pointers.set(event.pointerId, event);
    this._begin(event);
  }

  _begin(event) {
    this.carried = event.pointerId;
    this.pressed = event;
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
    if (event.pointerType !== "mouse" || event.button !== 0 || this._isClick(event)) return;
    if (this._isOutside(event)) this.putBack();
    else this.setDown();
  }

  _isClick(event) {
    const { pressed } = this;
    if (!pressed) return false;
    const far = Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    return far < CLICK_PX && event.timeStamp - pressed.timeStamp < CLICK_MS;
  }

  _isOutside(event) {
    const { x, y } = this._place(event);
    return Math.hypot(x, y) > this.view.mat.circle_radius_mm + 35;
  }

  _wheel(event) {
    if (!this.holding || event.target.closest("dialog")) return;
    event.preventDefault();
    const by = Math.sign(event.deltaY || event.deltaX);
    if (event.shiftKey) this.tip(-3 * by);
    else if (event.altKey) this.turn(-8 * by);
    else this.raise(-6 * by);
  }

  // ---------------------------------------------------------------- keys
  _key(event) {
    const { target } = event, key = event.key.toLowerCase();
    if (!this.table() || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (target.closest("dialog") || (target.tagName === "BUTTON" && (key === "enter" || key === " "))) return;
    const act = (this.holding ? this._withDisc(event.shiftKey) : this._without(event.shiftKey))[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  _withDisc(fine) {
    const by = fine ? 1 : 5;
    const go = (x, y) => () => this.move({ x: (this.wanted.x ?? 0) + x * by, y: (this.wanted.y ?? 0) + y * by });
    return {
      l: () => this.lean(), f: () => this.flip(), q: () => this.turn(10), e: () => this.turn(-10),
      w: () => this.raise(6), s: () => this.raise(-6), d: () => this.tip(4), a: () => this.tip(-4),
      arrowleft: go(-1, 0), arrowright: go(1, 0), arrowup: go(0, 1), arrowdown: go(0, -1),
      " ": () => this.drop(), enter: () => this.setDown(), escape: () => this.putBack(),
    };
  }

  _without(fine) {
    const by = fine ? 2 : 10, { x, y } = this.cursor || { x: 0, y: 0 };
    const go = (dx, dy) => () => { this.cursor = { x: x + dx * by, y: y + dy * by }; };
    const step = (way) => () => {
      const bodies = this.table().bodies.filter((body) => !body.held).sort((a, b) => a.id - b.id);
      const at = bodies.indexOf(this._at({ x, y }));
      const next = bodies[(at + way + bodies.length) % bodies.length];
      if (next) this.cursor = { x: next.x, y: next.y };
    };
    return {
      arrowleft: go(-1, 0), arrowright: go(1, 0), arrowup: go(0, 1), arrowdown: go(0, -1),
      ".": step(1), ",": step(-1), enter: () => this._grab({ x, y }),
      1: () => this.take("w"), 2: () => this.take("red"), 3: () => this.take("b"),
    };
  }
}

function line(g, x, y, toX, toY) {
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(toX, toY);
  g.stroke();
}

function nearest(bodies, { x, y }) {
  const away = (body) => Math.hypot(body.x - x, body.y - y);
  return bodies.sort((a, b) => away(a) - away(b))[0];
}
