// The list of rulings, newest first. A click opens the explanation, slow motion and corrections.

import { language, make, player, say } from "mat/words.js";

const BAD = ["fault", "capture_failed", "irregular", "unsure"];
const GOOD = ["captured", "end"];
const CORRECTIONS = ["overruled", "answered", "undone", "revised"]; // the last one is the mat's own
const DECLARED = [...CORRECTIONS, "adjusted", "toss", "cube"]; // they rest on no observation

export class Story {
  /**
   * @param {HTMLElement} element
   * @param {{correct?: (command: string) => void, mark?: (ids: number[]) => void,
   *   slow: (event: object) => void}} actions without `correct` no corrections are offered
   */
  constructor(element, actions) {
    this.list = element.querySelector("ol");
    this.facts = element.querySelector("input");
    this.actions = actions;
    this.open = null;
    this.shown = "";
    this.facts.onchange = () => this.show(this.events, this.slow, true);
  }

  /**
   * @param {object[]} events
   * @param {Set<string>} slow boot/number of the rulings that have a slow motion
   * @param {boolean} force also when nothing has changed
   */
  show(events, slow, force = false) {
    const grown = this.events?.length !== events.length || this.events?.at(-1) !== events.at(-1);
    Object.assign(this, { events: [...events], slow });
    const key = `${events.length}/${events.at(-1)?.b}/${events.at(-1)?.n}/${slow.size}/${this.open}`;
    if (key === this.shown && !force) return;
    this.shown = key;
    const begun = events.findLastIndex((event) => event.k === "game"); // rulings of earlier games are among those
    const void_ = overridden(events);
    const listed = events.slice(Math.max(0, begun)).filter((event) => (detail(event) ? this.facts.checked && !event.quiet : true));
    const items = listed.reverse().map((event) => this._item(event, void_));
    this.list.replaceChildren(...(items.length ? items : [make("li", { class: "none" }, say("nothing_yet"))]));
    if (grown) this.list.scrollTop = 0;
  }

  _item(event, void_) {
    const name = `${event.b}/${event.n}`;
    const code = event.fields.code;
    const kind = BAD.includes(code) || event.k === "lost" ? "bad" : GOOD.includes(code) ? "good" : "";
    const ids = event.fields.pieces || (event.fields.piece ? [event.fields.piece, ...event.fields.others] : []);
    const item = make("li", { class: `${event.k} ${kind} ${void_.has(name) ? "void" : ""}`, "data-n": event.n, "data-code": code });
    const open = make("button", {
      class: "open", "aria-expanded": String(this.open === name),
      onclick: () => {
        this.open = this.open === name ? null : name;
        this.show(this.events, this.slow, true);
      },
      onmouseenter: () => this.actions.mark?.(ids), onmouseleave: () => this.actions.mark?.([]),
    }, make("time", {}, event.clock), make("span", { class: "said" }, event.words[language]));
    item.append(open);
    if (this.open === name && event.k === "ruling") item.append(this._more(event, name));
    return item;
  }

  _more(event, name) {
    const more = make("div", { class: "more" }, ...(event.why[language] || []).map((line) => make("p", {}, line)));
    const actions = make("div", { class: "row" });
    if (this.slow.has(name)) {
      actions.append(make("button", { class: "main slow", onclick: () => this.actions.slow(event) }, say("slow")));
    }
    more.append(actions);
    if (this.actions.correct && (!DECLARED.includes(event.fields.code) || CORRECTIONS.includes(event.fields.code))) {
      more.append(make("h3", {}, say("put_right")), make("div", { class: "row right" }, ...this._corrections(event)));
    }
    return more;
  }

  _corrections(event) {
    // a ruling that replaced another is named by the number of its fact
    const n = CORRECTIONS.includes(event.fields.code) ? event.n : event.fields.facts[0] ?? event.n;
    const offers = [[`overrule ${n} denied`, say("denied")]];
    if (event.fields.code === "fault") {
      const other = event.fields.player === "w" ? "b" : "w";
      offers.push([`overrule ${n} waived`, say("waived")], [`overrule ${n} ${other}`, say(other === "w" ? "was_white" : "was_black")]);
    }
    if (event.fields.code === "unsure") {
      const whose = ["jolt", "face", "colour"].includes(event.fields.why);
      const answers = whose ? [["w", player("w")], ["b", player("b")]] : [["yes", say("yes")], ["no", say("no")]];
      offers.unshift(...answers.map(([word, text]) => [`answer ${n} ${word}`, text]));
    }
    offers.push([`undo ${n}`, say("undo")]);
    return offers.map(([command, text]) => make("button", { "data-command": command, onclick: () => this.actions.correct(command) }, text));
  }
}

/** Whether this is of no interest to who plays: what was seen, and what the mat's program notes, in English. */
const detail = ({ k, fields }) => k === "fact" || (k === "log" && fields.level === "info");

/** boot/number of the rulings that a later correction overrides. */
function overridden(events) {
  const found = new Set();
  for (const [k, event] of events.entries()) {
    if (!CORRECTIONS.includes(event.fields.code)) continue;
    const from = event.fields.facts[0] ?? Infinity;
    for (const earlier of events.slice(0, k)) {
      if (earlier.b === event.b && earlier.k === "ruling" && earlier.fields.facts.some((n) => n >= from)) {
        found.add(`${earlier.b}/${earlier.n}`);
      }
    }
  }
  return found;
}
