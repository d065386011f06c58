// The mat from above on a canvas. Millimetres from the circle's centre, y up (white's side below).

import { drawPiece, drawFlying, pieceOf } from "mat/pieces.js";

const BEZEL_MM = 27; // the ring of LEDs lies in it
const NAMES = ["felt", "felt-line", "bezel", "dot", "white", "white-edge", "black", "black-edge",
  "red", "red-edge", "shadow", "mark", "warn", "on-felt", "marked", "good", "bad"];

/** The page's colours by name, as the style sheet has them now. @param {Element} element @returns {Object<string, string>} */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
}

/** Draws one mat. `mat` is the description that the server sends. */
export class MatView {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.mat = null;
    this.colours = coloursOf(canvas);
    this.size = 0;
    this.fit();
    new ResizeObserver(() => this.fit()).observe(canvas);
  }

  /** Adopts the canvas's size on the screen, and the colours. */
  fit() {
    const size = Math.round(this.canvas.clientWidth * Math.min(2, window.devicePixelRatio || 1));
    if (size && size !== this.size) {
      this.size = this.canvas.width = this.canvas.height = size;
    }
    this.colours = coloursOf(this.canvas);
    if (this.shown) this.draw(this.shown);
  }

  /** Pixels of the canvas per millimetre. */
  get scale() {
    return this.size / 2 / (this.mat.circle_radius_mm + BEZEL_MM + 2);
  }

  /** Where a mouse or a finger is on the mat, in mm. @param {MouseEvent} event @returns {{x: number, y: number}} */
  toMillimetres(event) {
    const box = this.canvas.getBoundingClientRect();
    const half = this.mat.circle_radius_mm + BEZEL_MM + 2;
    return {
      x: ((event.clientX - box.left) / box.width * 2 - 1) * half,
      y: (1 - (event.clientY - box.top) / box.height * 2) * half,
    };
  }

  /**
   * Draws `{pieces, flight, leds, field, tracks, marked, sensors}`: pieces and flight as on the
   * wire; `field` a FieldPicture; `tracks` [[face, [[x, y], …]], …] in mm; `marked` a Set of ids;
   * `sensors` a Map of sensor number → its fault, if the sensors are to be shown. `before` and
   * `over`, functions of (context, view), draw below and above all pieces.
   */
  draw(shown) {
    this.shown = shown;
    const g = this.context;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.size, this.size);
    if (!this.mat || !this.size) return;
    const s = this.scale;
    g.setTransform(s, 0, 0, -s, this.size / 2, this.size / 2);
    this._table(g, shown);
    if (shown.sensors) this._sensors(g, shown.sensors);
    if (shown.before) shown.before(g, this);
    const ghost = Boolean(shown.field);
    const flying = new Set(shown.flight.map((piece) => piece[0]).filter(Boolean));
    for (const piece of ordered(shown.pieces.filter((piece) => !flying.has(piece[0])))) {
      drawPiece(g, this, pieceOf(piece), { ghost, marked: shown.marked?.has(piece[0]) });
    }
    for (const track of shown.tracks || []) this._track(g, track);
    for (const piece of [...shown.flight].sort((a, b) => a[8] - b[8])) {
      drawFlying(g, this, pieceOf(piece), { ghost, marked: shown.marked?.has(piece[0]) });
    }
    if (shown.over) shown.over(g, this);
  }

  _table(g, shown) {
    const c = this.colours, r = this.mat.circle_radius_mm;
    disc(g, 0, 0, r + BEZEL_MM, c.bezel);
    disc(g, 0, 0, r + 6, c.felt);
    if (shown.field) shown.field.paint(g, r + 6);
    g.lineWidth = 1.2;
    g.strokeStyle = c["felt-line"];
    ring(g, r);
    if (!shown.field) disc(g, 0, 0, this.mat.dot_radius_mm, c.dot);
    g.lineWidth = 0.7;
    ring(g, this.mat.dot_radius_mm);
    this._leds(g, shown.leds || "", r + 6 + (BEZEL_MM - 6) / 2);
  }

  _leds(g, hex, radius) {
    const count = this.mat.leds;
    for (let k = 0; k < count; k++) {
      const rgb = [0, 2, 4].map((i) => parseInt(hex.substr(6 * k + i, 2), 16) || 0);
      const bright = Math.max(...rgb);
      const angle = 2 * Math.PI * k / count;
      const x = radius * Math.cos(angle), y = radius * Math.sin(angle);
      disc(g, x, y, 2.6, "rgb(255 255 255 / 0.07)");
      if (!bright) continue;
      // an LED's light is linear, a screen's is not: the same hue, as bright as the eye perceives it
      const hue = rgb.map((v) => Math.round(255 * (v / bright) ** 0.45)).join(" ");
      const perceived = (bright / 230) ** 0.45;
      disc(g, x, y, 6.5, `rgb(${hue} / ${0.22 * perceived})`);
      disc(g, x, y, 3.4, `rgb(${hue} / ${Math.min(1, perceived)})`);
    }
  }

  _sensors(g, ill) {
    const c = this.colours;
    this.mat.sensors.forEach(([x, y], k) => {
      if (!ill.has(k)) return disc(g, x, y, 1.6, c["felt-line"]);
      g.strokeStyle = c.bad;
      g.lineWidth = 2;
      ring(g, 6, x, y);
      disc(g, x, y, 3, c.bad);
    });
  }

  _track(g, [face, points]) {
    if (points.length < 2) return;
    for (const [width, colour] of [[3.4, this.colours.bezel], [1.8, face === "b" ? this.colours.mark : this.colours.white]]) {
      g.beginPath();
      points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
      g.lineWidth = width;
      g.lineJoin = g.lineCap = "round";
      g.strokeStyle = colour;
      g.globalAlpha = 0.85;
      g.stroke();
      g.globalAlpha = 1;
    }
    for (const [x, y] of points) disc(g, x, y, 1.1, this.colours.bezel);
  }
}

/** In the order of drawing, those above others last: flat pieces, towers by height, leaners. */
function ordered(pieces) {
  const rank = (piece) => (piece[1] === "leaner" ? 1000 : piece[3]);
  return [...pieces].sort((a, b) => rank(a) - rank(b));
}

/** A filled disc. @param {CanvasRenderingContext2D} g */
export function disc(g, x, y, radius, colour) {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fillStyle = colour;
  g.fill();
}

/** A circle in the context's own stroke. @param {CanvasRenderingContext2D} g */
export function ring(g, radius, x = 0, y = 0) {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.stroke();
}
