// The virtual mat in the page: what truly lies on the table, and a hand to move it. The mat's own engine
// judges what its sensors measure of that; nothing here knows a rule.

import { watching } from "mat/link.js";
import { page } from "mat/live.js";
import { Hand } from "mat/virtual/hand.js";
import { Controls } from "mat/virtual/controls.js";
import { encircle } from "mat/pieces.js";
import { refusal, say } from "mat/words.js";

const NEAR_CMM = 1500; // 1/100 mm: a piece that the mat reports and a body so near it are one
const PACE_MS = 3000;
const root = document.querySelector("#virtual");
const shown = new Map(); // body's id -> [x, y, z] as it is drawn, which glides
let table = null, controls = null;
let pace = 1, paced = null; // of the table's time, as measured last; from when on it is measured

const hand = new Hand(page.view, (message) => page.link.send({ k: "virtual", ...message }), () => table);

page.listeners.push((message) => (message.why ? page.notice(say("refused", { why: refusal(message.why) })) : update(message)));
page.closed.push(() => hand.reset());
if (page.state.parts.virtual?.bodies) update(page.state.parts.virtual);

/** Takes the table's new state. */
function update(view) {
  if (!view.bodies) return;
  table = view;
  if (!controls) begin();
  measure(view.t_ms);
  hand.update(view);
  controls.show(view, hand, page.state.parts.game, pace);
}

function begin() {
  document.body.classList.add("is-virtual");
  root.inert = watching;
  controls = new Controls(root, hand, () => page.state.parts.game, page.correct);
  page.extras({
    get pieces() { return lying(); },
    get flight() { return flying(); },
    over: (g, view) => {
      mark(g, view);
      hand.draw(g, view, held(), page.state.parts.game.phase === "foundations");
    },
  });
}

/** Marks the discs that go back to a reserve. */
function mark(g, view) {
  const due = new Set(table.due.map(([body]) => body));
  for (const body of table.bodies) if (due.has(body.id)) encircle(g, view, body.x, body.y, view.mat.disc.diameter_mm / 2);
}

function measure(t_ms) {
  const now = performance.now();
  if (!paced || t_ms < paced.t_ms || document.hidden) paced = { now, t_ms };
  if (now - paced.now < PACE_MS) return;
  pace = (t_ms - paced.t_ms) / (now - paced.now);
  paced = { now, t_ms };
}

function held() {
  return table.bodies.find((body) => body.id === hand.body);
}

const lies = (body) => !body.held && body.low < 3;
const lying = () => table.bodies.filter(lies).map(asPiece);
const flying = () => table.bodies.filter((body) => !lies(body)).map(asPiece);

/** A body in the form of a piece on the wire, with the number by which rulings name it. */
function asPiece(body) {
  const [x, y, z] = glide(body);
  const disc = page.view.mat.disc;
  const shape = body.shape === "red" && body.tilt > 10 ? "leaner" : body.shape;
  let [px, py] = [x, y];
  if (shape === "leaner") {
    const tilt = body.tilt * Math.PI / 180, azimuth = body.azimuth * Math.PI / 180;
    const out = disc.diameter_mm / 2 * Math.cos(tilt) - disc.thickness_mm / 2 * Math.sin(tilt);
    px += out * Math.cos(azimuth);
    py += out * Math.sin(azimuth);
  }
  const place = [Math.round(px * 100), Math.round(py * 100)];
  return [named(body, place), shape, body.face, body.discs, ...place, body.tilt, body.azimuth, z * 100];
}

function glide(body) {
  const goal = [body.x, body.y, body.z];
  const before = shown.get(body.id);
  const at = before ? before.map((value, k) => value + (goal[k] - value) * 0.45) : goal;
  shown.set(body.id, at);
  return at;
}

function named(body, [x, y]) {
  const reported = body.held ? page.state.parts.flight : page.state.parts.pieces;
  let best = 0, least = NEAR_CMM;
  for (const [id, , , , px, py] of reported) {
    const apart = Math.hypot(px - x, py - y);
    if (apart < least) [best, least] = [id, apart];
  }
  return best;
}
