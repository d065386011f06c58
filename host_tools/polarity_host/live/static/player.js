// Plays the evidence of a ruling: in slow motion or picture by picture, with tracks, field and limits.

import { MatView } from "mat/draw.js";
import { FieldPicture, unpack } from "mat/field.js";
import { Motion } from "mat/motion.js";
import { written } from "mat/numbers.js";

const SPEEDS = [4, 2, 1, 0.5, 0.25, 0.1, 0.05];
const FASTER = [16, 8]; // for a whole game
const QUIET_MS = 2000, LEAD_MS = 500; // of a whole game, longer spans that nothing is stored of are not sat through

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A fact compared with the limit that judges it, in words; "" where there is none. @returns {string} */
export function limitOf(fact, limits, say, language) {
  const mm = (value) => `${written(value, language, 1)} mm`;
  const compared = (value, limit) => `${value} · ${say("limit", { value: limit })}`;
  const out = Math.hypot(fact.x, fact.y) / 100;
  if (fact.f === "shifted") return compared(mm(fact.d / 100), mm(limits.shift_mm));
  if (fact.f === "left_circle") return compared(mm(out), mm(limits.circle_mm));
  if (fact.f === "red_off") return compared(mm(out), mm(limits.dot_mm));
  if (fact.f === "contact" || fact.f === "touched_red") {
    return say("limit", { value: `${written(limits.touch_repel_mm, language, 1)}–${mm(limits.touch_attract_mm)}` });
  }
  if (["fell", "flipped"].includes(fact.f) || fact.shape === "leaner") return compared(`${fact.tilt}°`, `${limits.lean_deg}°`);
  return "";
}

export class Player {
  /**
   * Fills `element`. `say` gives the page's words, `language` is one of the evidence's, `dark()` tells
   * the theme, `extra` are additional controls.
   * @param {HTMLElement} element
   * @param {object} evidence as in API.md
   */
  constructor(element, evidence, { say, language, dark, extra = [] }) {
    Object.assign(this, { evidence, say, language, dark, motion: new Motion(evidence), playing: false });
    this.rulings = evidence.rulings || [evidence.ruling]; // several: a whole game
    this.whole = Boolean(evidence.rulings);
    this.speed = this.whole ? 1 : 0.25;
    this.begun = this.whole ? evidence.from_ms : evidence.ruling.t;
    this.t = this.motion.from;
    this.canvas = make("canvas", { role: "img", "aria-label": say("slow") });
    this.playButton = make("button", { class: "main", onclick: () => this.play(!this.playing) });
    this.range = make("input", { type: "range", min: this.motion.from, max: this.motion.to, step: 1, value: this.t, "aria-label": say("at_time", { value: "t" }) });
    this.range.oninput = () => this.seek(Number(this.range.value));
    this.output = make("output", {});
    const speeds = make("select", { "aria-label": say("speed"), title: say("speed") },
      ...[...(this.whole ? FASTER : []), ...SPEEDS].map((speed) => make("option", speed === this.speed ? { value: speed, selected: "" } : { value: speed }, `${written(speed, language, 2, 0)}×`)));
    speeds.onchange = () => { this.speed = Number(speeds.value); };
    this.tracks = this._toggle("tracks", !this.whole);
    this.field = this._toggle("field", false);
    this.facts = this.whole ? this._rulings(language) : this._facts(language);
    const told = evidence.told || { words: {}, why: {} };
    this.said = make("p", { class: "said" }, this.whole ? "" : told.words[language] || evidence.ruling.code);
    const why = (this.whole ? [] : told.why[language] || []).map((line) => make("p", { class: "why" }, line));
    element.classList.add("player");
    element.classList.toggle("whole", this.whole);
    element.replaceChildren(
      make("div", { class: "stage" }, this.canvas),
      make("div", { class: "told", tabindex: 0 }, this.said, ...why,
        make("h2", {}, say(this.whole ? "story" : "evidence")), make("ol", this.whole ? { tabindex: 0, "aria-label": say("story") } : {}, ...this.facts.map(([, item]) => item))),
      make("div", { class: "controls" }, this.playButton,
        make("button", { class: "step back", title: say("back"), "aria-label": say("back"), onclick: () => this.step(-1) }, "◂"),
        make("button", { class: "step on", title: say("forward"), "aria-label": say("forward"), onclick: () => this.step(1) }, "▸"),
        ...(this.whole ? [["|◂", "ruling_back", -1], ["▸|", "ruling_on", 1]].map(([sign, word, way]) =>
          make("button", { class: `step ${word}`, title: say(word), "aria-label": say(word), onclick: () => this.jump(way) }, sign)) : []),
        this.range, ...(this.whole ? [this._marks()] : []), this.output, speeds, this.tracks, this.field, ...extra),
    );
    this.view = new MatView(this.canvas);
    this.view.mat = evidence.mat;
    this.view.fit();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    else this.play(false);
  }

  play(on) {
    this.playing = on;
    this.playButton.textContent = this.say(on ? "pause" : "play");
    if (on && this.t >= this.motion.to) this.t = this.motion.from;
    this.lastTurn = null;
    if (on) requestAnimationFrame((now) => this._turn(now));
    this.show();
  }

  step(direction) {
    this.play(false);
    this.seek(this.motion.neighbour(this.t, direction));
  }

  /** To the ruling before or after this moment. @param {number} way -1 or +1 */
  jump(way) {
    this.play(false);
    const found = way > 0 ? this.rulings.find(({ t }) => t > this.t + 0.5) : this.rulings.findLast(({ t }) => t < this.t - 0.5);
    if (found) this.seek(found.t);
  }

  seek(t) {
    this.t = t;
    this.show();
  }

  show() {
    const shown = this.motion.at(this.t);
    const ruling = this.whole ? this.rulings.findLast(({ t }) => t <= this.t) : this.evidence.ruling;
    const marked = new Set(ruling?.pieces);
    this.view.draw({ ...shown, tracks: this._on(this.tracks) ? shown.tracks : [], leds: "", marked, field: this._on(this.field) ? this._picture() : null });
    this.range.value = this.t;
    this.output.value = this.say("at_time", { value: this._seconds(this.t, 2) });
    const now = this.facts.findLast(([t]) => t <= this.t)?.[1];
    for (const [, item] of this.facts) item.classList.toggle("now", item === now);
    if (this.whole && this.said.textContent !== (now?.firstChild.data ?? "")) {
      this.said.textContent = now?.firstChild.data ?? "";
      if (now) now.parentElement.scrollTop = now.offsetTop - now.parentElement.offsetTop - 60;
    }
  }

  _turn(now) {
    if (!this.playing || !this.canvas.isConnected) return;
    if (this.lastTurn !== null) this.t += (now - this.lastTurn) * this.speed;
    this.lastTurn = now;
    const next = this.whole && this.motion.neighbour(this.t, 1);
    if (next && next - this.t > QUIET_MS) this.t = next - LEAD_MS;
    if (this.t >= this.motion.to) {
      this.t = this.motion.to;
      this.play(false);
      return;
    }
    this.show();
    requestAnimationFrame((next) => this._turn(next));
  }

  /** A time in seconds from the ruling or, of a whole game, from its beginning. */
  _seconds(t, digits) {
    return written((t - this.begun) / 1000, this.language, digits);
  }

  /** Where rulings are on the timeline. */
  _marks() {
    this.range.setAttribute("list", "rulings-at");
    return make("datalist", { id: "rulings-at" }, ...this.rulings.map(({ t }) => make("option", { value: t })));
  }

  _toggle(name, on) {
    return make("button", {
      class: name, "aria-pressed": String(on),
      onclick: (event) => {
        event.currentTarget.setAttribute("aria-pressed", String(!this._on(event.currentTarget)));
        this.show();
      },
    }, this.say(name));
  }

  _on(button) {
    return button.getAttribute("aria-pressed") === "true";
  }

  _rulings(language) {
    return this.rulings.map((ruling) => {
      const text = this.evidence.told.rulings?.[ruling.n]?.[language] || ruling.code;
      const seek = () => { this.play(false); this.seek(ruling.t); };
      return [ruling.t, make("li", { onclick: seek }, text, make("small", {}, `${this._seconds(ruling.t, 1)} s`))];
    });
  }

  _facts(language) {
    const { facts, limits, ruling, told } = this.evidence;
    const texts = told?.facts || {};
    return facts.map((fact) => {
      const about = [limitOf(fact, limits, this.say, language), this.say("confidence", { value: fact.conf })].filter(Boolean).join(" · ");
      const item = make("li", { class: ruling.facts.includes(fact.n) ? "rests" : "", onclick: () => { this.play(false); this.seek(fact.t); } },
        texts[fact.n]?.[language] || fact.f, make("small", {}, `${this._seconds(fact.t, 2)} s · ${about}`));
      return [fact.t, item];
    });
  }

  _picture() {
    const frame = this.motion.frame(this.t);
    if (!frame) return null;
    if (this.pictured !== frame[0]) {
      const { mat, zero } = this.evidence;
      this.picture ??= new FieldPicture(mat, this.dark());
      const scale = 1000 / mat.counts_per_mt;
      this.picture.set(Float32Array.from(unpack(frame[1], Uint16Array), (count, k) => (count - zero[k]) * scale));
      this.pictured = frame[0];
    }
    return this.picture;
  }
}
