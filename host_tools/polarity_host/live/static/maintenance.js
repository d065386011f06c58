// The doctor and the calibration of the mat: what to do, what was observed, what is wrong, in words
// beside the mat and as a picture on it.

import { disc, ring } from "mat/draw.js";
import { label } from "mat/pieces.js";
import { language, make, say } from "mat/words.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const LINE_MM = 20, STROKE_MM_S = 130;
const SPOTS_MM = [[0, 120], [-120, 0], [120, 0], [0, -120], [60, 60]]; // where discs may be laid down

export class Maintenance {
  /**
   * @param {HTMLElement} element
   * @param {(text: string) => void} notice shows why a request was refused
   */
  constructor(element, notice) {
    Object.assign(this, { element, notice, progress: null, pointed: null });
  }

  /** Starts "doctor" or "calibrate", or ends either with "stop". @param {string} what */
  async ask(what) {
    const answer = await fetch(`/api/v1/maintenance?lang=${language}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: what }),
    });
    if (!answer.ok) this.notice(await answer.text()); // in the language asked for
  }

  /** @param {object|null} progress `maintenance` of the state */
  show(progress) {
    this.progress = progress;
    this.pointed = null;
    this.element.hidden = !progress;
    if (!progress) return;
    const { what, step, values, over, findings = [], broken = [] } = progress;
    const items = [
      ...findings.map((finding) => this._finding(finding)),
      ...broken.map(([sensor, why]) => this._item([sensor], `${sensor}: ${why[language]}`)),
    ];
    this.element.replaceChildren(...[
      make("h2", {}, say(`maintenance.${what}`),
        make("button", { class: "stop", onclick: () => this.ask("stop") }, say(over ? "close" : "maintenance.stop"))),
      make("p", { class: "now", "data-step": step }, say(`maintenance.${step}`, values)),
      step === "draw" ? make("progress", { max: 100, value: values.percent }) : null,
      over ? null : make("p", {}, make("small", {}, say("maintenance.pauses"))),
      items.length ? make("ol", {}, ...items) : null].filter(Boolean));
  }

  _finding(finding) {
    const { board, part, kind, values, sensors } = finding;
    const where = ["carrier", "mat"].includes(board) ? say(`maintenance.${board}`) : say("maintenance.tile", { name: board });
    return this._item(sensors, make("b", {}, part ? `${where}, ${part}` : where),
      `: ${say(`doctor.${kind}`, values)}. `,
      make("small", {}, say("maintenance.look", { what: say(`doctor.${kind}_look`, values) })));
  }

  _item(sensors, ...texts) {
    return make("li", {
      tabindex: 0,
      onmouseenter: () => { this.pointed = sensors; }, onmouseleave: () => { this.pointed = null; },
      onfocus: () => { this.pointed = sensors; }, onblur: () => { this.pointed = null; },
    }, ...texts);
  }

  /** Draws on the mat, under the pieces. */
  draw(g, view) {
    if (!this.progress) return;
    const { what, over, step, seen = [], findings, tiles, broken = [] } = this.progress;
    if (what === "calibrate" && !over) this._drawCovered(g, view, new Set(seen));
    if (step === "draw") this._drawStrokes(g, view);
    if (step === "lay") this._drawSpots(g, view);
    if (findings) this._drawFindings(g, view, findings, tiles);
    for (const [sensor] of broken) this._drawBad(g, view, sensor);
    for (const sensor of this.pointed || []) {
      g.strokeStyle = view.colours.mark;
      g.lineWidth = 2.5;
      ring(g, 10, ...view.mat.sensors[sensor]);
    }
  }

  _drawCovered(g, view, covered) {
    view.mat.sensors.forEach(([x, y], k) => disc(g, x, y, covered.has(k) ? 4 : 1.8, view.colours[covered.has(k) ? "mark" : "felt-line"]));
  }

  /** The path to and fro over the mat, and a disc that moves along it. */
  _drawStrokes(g, view) {
    const r = view.mat.circle_radius_mm, points = [];
    for (let y = r - 5, k = 0; y > -r; y -= LINE_MM, k++) {
      const half = Math.sqrt(Math.max(0, r * r - y * y));
      points.push([k % 2 ? half : -half, y], [k % 2 ? -half : half, y]);
    }
    g.strokeStyle = view.colours["felt-line"];
    g.lineWidth = 1.6;
    g.setLineDash([6, 5]);
    g.beginPath();
    points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.stroke();
    g.setLineDash([]);
    const [x, y] = along(points, still.matches ? 0 : performance.now() / 1000 * STROKE_MM_S);
    g.globalAlpha = 0.55;
    disc(g, x, y, view.mat.disc.diameter_mm / 2, view.colours.white);
    g.globalAlpha = 1;
  }

  _drawSpots(g, view) {
    const share = view.mat.circle_radius_mm / 225;
    g.strokeStyle = view.colours.mark;
    g.lineWidth = 1.8;
    g.setLineDash([5, 4]);
    SPOTS_MM.forEach(([x, y], k) => {
      ring(g, view.mat.disc.diameter_mm / 2, x * share, y * share);
      if (k > 2) ring(g, view.mat.disc.diameter_mm / 2 - 4, x * share, y * share); // a stack
    });
    g.setLineDash([]);
  }

  _drawFindings(g, view, findings, tiles) {
    const bad = new Set(findings.map((finding) => finding.board));
    for (const [name, left, low, right, high] of tiles) {
      g.strokeStyle = bad.has(name) ? view.colours.bad : view.colours["felt-line"];
      g.lineWidth = bad.has(name) ? 2.5 : 0.6;
      g.strokeRect(left, low, right - left, high - low);
      label(g, view, name, left + 9, high - 8, bad.has(name) ? view.colours.bad : view.colours["felt-line"], 9);
    }
    for (const finding of findings) for (const sensor of finding.sensors) this._drawBad(g, view, sensor);
  }

  _drawBad(g, view, sensor) {
    disc(g, ...view.mat.sensors[sensor], 4, view.colours.bad);
  }
}

/** The place on a path after so many millimetres, repeated for ever. */
function along(points, distance) {
  const steps = points.slice(1).map((to, k) => Math.hypot(to[0] - points[k][0], to[1] - points[k][1]));
  let left = distance % steps.reduce((sum, step) => sum + step, 0);
  for (let k = 0; k < steps.length; k++) {
    if (left <= steps[k]) return [0, 1].map((i) => points[k][i] + (points[k + 1][i] - points[k][i]) * left / steps[k]);
    left -= steps[k];
  }
  return points.at(-1);
}
