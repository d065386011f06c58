// The live page: the state from the server goes to the mat, the panel and the list of rulings. What is not
// needed at first is loaded when it is asked for.

import { showClocks } from "mat/clock.js";
import { MatView } from "mat/draw.js";
import { showPanel } from "mat/panel.js";
import { play } from "mat/sounds.js";
import { Gliding, State } from "mat/state.js";
import { Story } from "mat/story.js";
import { todo } from "mat/todo.js";
import { Link, watching } from "mat/link.js";
import { language, make, name, refusal, say, speak, wanted } from "mat/words.js";

const $ = (selector) => document.querySelector(selector);
const state = new State();
const view = new MatView($("#mat canvas"));
const lying = new Gliding(), flying = new Gliding();
let field = null, picture = null, maintenance = null; // a module, and what others make, once they are wanted
let fieldOn = false, healthOn = false, connected = false, marked = new Set();
let lastAnswers = null, shownOwed = "";
const still = matchMedia("(prefers-reduced-motion: reduce)");
let extras = {}; // additional drawing of other modules, see `page.extras`

await speak(wanted());

const link = new Link(handle, (open) => {
  connected = open;
  if (open && fieldOn) link.send({ k: "field", on: true });
  if (!open) page.closed.forEach((closed) => closed());
  showPort();
});
const story = new Story($("#story"), {
  correct: watching ? undefined : correct,
  mark: (ids) => { marked = new Set(ids); },
  slow,
});

/** Loads a module and does something with it; says so where the server is gone. */
async function use(name, act) {
  const module = await import(`mat/${name}.js`).catch(() => null);
  if (module) act(module);
  else notice(say("server_gone"));
}

function maintain(act) {
  use("maintenance", ({ Maintenance }) => act(maintenance ??= new Maintenance($("#maintenance"), notice)));
}

/** For other modules of the page: `listeners` to `virtual` messages and to a link that is `closed`, additional drawing. */
const page = { link, state, view, correct, notice, listeners: [], closed: [], extras: (more) => { extras = more; } };

function handle(message) {
  if (message.k === "field") return setField(message.ut10);
  if (message.k === "refused") return notice(say("refused", { why: refusal(message.why) }));
  if (message.k === "virtual") return page.listeners.forEach((listener) => listener(message));
  const changed = state.take(message);
  if (changed.has("mat") && state.parts.mat) setMat(state.parts.mat);
  if (changed.has("port")) showPort();
  if (changed.has("names")) name(state.parts.names);
  const { due, missing } = state.parts.virtual || {}, owed = JSON.stringify([due, missing]);
  if (owed !== shownOwed || ["game", "mat", "port", "names", "events"].some((part) => changed.has(part))) showPanel(state.parts, correct);
  shownOwed = owed;
  showClocks(state.parts);
  if (changed.has("events")) {
    story.show(state.parts.events, state.slow);
    if (message.k === "tick") announce(message.events);
  }
  if (changed.has("pieces")) describe(state.parts.pieces);
  if (changed.has("health")) showHealth();
  if (changed.has("maintenance") && (maintenance || state.parts.maintenance)) maintain((one) => one.show(state.parts.maintenance));
  if (changed.has("answers")) showAnswer(message.k === "state");
  if (changed.has("virtual")) page.listeners.forEach((listener) => listener({ k: "changes", ...state.parts.virtual }));
}

/** Reads faults and what follows from them to those who do not see them. */
function announce(events) {
  if (state.parts.virtual?.puzzle?.progress === "laying") return; // nobody plays
  const codes = events.map((event) => event.fields?.code);
  const heard = ["end", "fault", "turn"].find((code) => codes.includes(code));
  if (heard) play(heard);
  const told = events.findLast((event) => ["fault", "captured", "capture_failed", "end", "unsure"].includes(event.fields?.code));
  if (told) $("#said").textContent = told.words[language];
}

/** What lies on the mat, in words. */
function describe(pieces) {
  const of = (face, shape) => pieces.filter((piece) => piece[1] === shape && piece[2] === face).length;
  $("#mat canvas").ariaLabel = [["w", "white"], ["b", "black"]].map(([face, word]) => say("described", {
    player: say(word), flat: of(face, "flat"), leaners: of(face, "leaner"), towers: of(face, "tower"),
  })).join(" ");
}

function setMat(mat) {
  if (view.mat && view.mat.id === mat.id) return;
  view.mat = mat;
  picture = null;
}

function slow(event) {
  use("slow", ({ openSlow }) => openSlow($("#slow"), event, dark));
}

slow.whole = (game) => use("slow", ({ openWhole }) => openWhole($("#slow"), game, dark));

function correct(command) {
  link.send({ k: "say", command });
}

// ---------------------------------------------------------------- drawing
function draw() {
  const { pieces, flight, leds } = state.parts;
  if (view.mat && !document.hidden) {
    view.draw({
      pieces: lying.step(pieces, still.matches ? 1 : 0.35),
      flight: flying.step(flight, still.matches ? 1 : 0.6),
      leds,
      field: fieldOn ? picture : null,
      marked: marked.size ? marked : new Set(todo(state.parts).flatMap(({ ids }) => ids || [])),
      sensors: healthOn ? ailments() : null,
      ...extras,
      before: (g) => maintenance?.draw(g, view),
    });
  }
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);

function setField(units) {
  if (!view.mat || !field) return;
  picture ??= new field.FieldPicture(view.mat, dark());
  picture.set(Float32Array.from(field.unpack(units, Int16Array), (unit) => unit * 10));
}

// ---------------------------------------------------------------- head
function showPort() {
  const { state: port, words: why } = state.parts.port;
  const shown = connected ? port : "gone";
  const key = { open: "port_open", lost: "port_lost", over: "port_over", failed: "port_failed", gone: "server_gone" }[shown];
  $("#port").dataset.state = shown;
  $("#port span").textContent = say(key || "waiting", { why });
}

function ailments() {
  const { ill = {}, masked = [] } = state.parts.health;
  const found = new Map(masked.map((k) => [k, "masked"]));
  for (const [what, numbers] of Object.entries(ill)) for (const k of numbers) found.set(k, what);
  return found;
}

function showHealth() {
  const found = ailments(), all = view.mat ? view.mat.sensors.length : 0;
  const kinds = [...new Set(found.values())];
  const summary = found.size ? say("ill", { number: found.size, all }) : say("healthy", { number: all });
  const parts = kinds.map((kind) => `${say(kind)}: ${[...found].filter(([, what]) => what === kind).map(([k]) => k).slice(0, 24).join(", ")}${found.size > 24 ? " …" : ""}`);
  const { damaged = 0, lost = 0, words: why = {} } = state.parts.health;
  if (damaged) parts.push(`${say("damaged")}: ${damaged}`);
  if (lost) parts.push(`${say("frames_lost")}: ${lost}`);
  if (why[language]) parts.push(why[language]);
  $("#ill").replaceChildren(make("b", {}, summary), parts.length ? ` ${parts.join(" · ")}` : "");
  $("#ill").hidden = !healthOn;
}

function showAnswer(quietly) {
  const last = state.parts.answers.at(-1);
  const text = JSON.stringify(state.parts.answers);
  if (text === lastAnswers) return;
  lastAnswers = text;
  if (!quietly && last && !last.ok) notice(say("refused", { why: refusal(last.why) }));
}

let noticeTimer = 0;
function notice(text) {
  $("#notice").textContent = text;
  $("#notice").hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { $("#notice").hidden = true; }, 5000);
}

// ---------------------------------------------------------------- tools
$("#field").onclick = () => use("field", (module) => {
  field = module;
  fieldOn = !fieldOn;
  link.send({ k: "field", on: fieldOn });
  press("#field", fieldOn);
  $("#legend").hidden = !fieldOn;
  showLegend();
});
$("#health").onclick = () => {
  healthOn = !healthOn;
  press("#health", healthOn);
  showHealth();
};
const earlier = () => use("games", ({ openGames }) => openGames($("#games"), slow));
$("#game").onclick = () => (watching ? earlier() : use("menu", ({ openMenu }) => openMenu($("#menu"), state.parts, {
  correct, earlier, maintain: (what) => maintain((one) => one.ask(what)),
})));
const help = () => use("help", ({ openHelp }) => openHelp($("#helping"), state.parts.game.edition || "", Boolean(state.parts.virtual)));
$("#help").onclick = help;
addEventListener("keydown", (event) => {
  if (event.key === "?" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName) && !$("dialog[open]")) help();
});
$("#theme").onclick = () => setTheme(dark() ? "light" : "dark");
$("#language").value = language;
$("#language").onchange = async (event) => {
  await speak(event.target.value);
  showPort();
  showHealth();
  showPanel(state.parts, correct);
  describe(state.parts.pieces);
  maintenance?.show(state.parts.maintenance);
  story.show(state.parts.events, state.slow, true);
};
$("#slow").addEventListener("close", () => $("#slow").replaceChildren());

function press(selector, on) {
  $(selector).setAttribute("aria-pressed", String(on));
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function setTheme(name) {
  if (name) {
    document.documentElement.dataset.theme = name;
    localStorage.setItem("theme", name);
  }
  view.fit();
  picture?.setDark(dark());
  showLegend();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
setTheme(localStorage.getItem("theme"));

function showLegend() {
  if (!field) return;
  const strip = $("#legend canvas").getContext("2d");
  const image = new ImageData(256, 1);
  field.palette(dark()).forEach((rgb, k) => image.data.set([...rgb, 255], 4 * k));
  strip.putImageData(image, 0, 0);
  const [down, up] = [$("#legend span"), $("#legend span:last-child")];
  down.textContent = "−60 mT";
  up.textContent = "+60 mT";
}

document.body.inert = false; // earlier, a press would be lost
navigator.serviceWorker?.register("/sw.js").catch(() => {}); // without it, the page is not installed, no more

export { page };
