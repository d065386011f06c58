// The rulings as they come, the newest first; a click opens why, slow motion and corrections.

import { language, make, player, say } from "mat/words.js";

const BAD = ["fault", "capture_failed", "irregular", "unsure"];
const GOOD = ["captured", "end"];
const CORRECTIONS = ["overruled", "answered", "undone"];
const SETTLED = [...CORRECTIONS, "adjusted", "toss", "cube"]; // nothing of these was seen

export class Story {
  /**
   * `correct(command)`, `mark(ids)` and `slow(event)` do what a reader asks for; without `correct`
   * nothing is offered to be put right.
   */
  constructor(element, does) {
    this.list = element.querySelector("ol");
    this.facts = element.querySelector("input");
    this.does = does;
    this.open = null;
    this.shown = "";
    this.facts.onchange = () => this.show(this.events, this.slow, true);
  }

  /** Shows the events; `slow` has boot/number of the rulings that can be seen again. */
  show(events, slow, anew = false) {
    const grown = this.events?.length !== events.length || this.events?.at(-1) !== events.at(-1);
    Object.assign(this, { events: [...events], slow });
    const key = `${events.length}/${events.at(-1)?.b}/${events.at(-1)?.n}/${slow.size}/${this.open}`;
    if (key === this.shown && !anew) return;
    this.shown = key;
    const void_ = overtaken(events);
    const told = events.filter((event) => (event.k === "fact" ? this.facts.checked && !event.quiet : true));
    const items = told.reverse().map((event) => this._item(event, void_));
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
      onmouseenter: () => this.does.mark?.(ids), onmouseleave: () => this.does.mark?.([]),
    }, make("time", {}, event.clock), make("span", { class: "said" }, event.words[language]));
    item.append(open);
    if (this.open === name && event.k === "ruling") item.append(this._more(event, name));
    return item;
  }

  _more(event, name) {
    const more = make("div", { class: "more" }, ...(event.why[language] || []).map((line) => make("p", {}, line)));
    const actions = make("div", { class: "row" });
    if (this.slow.has(name)) {
      actions.append(make("button", { class: "main slow", onclick: () => this.does.slow(event) }, say("slow")));
    }
    more.append(actions);
    if (this.does.correct && (!SETTLED.includes(event.fields.code) || CORRECTIONS.includes(event.fields.code))) {
      more.append(make("h3", {}, say("put_right")), make("div", { class: "row right" }, ...this._corrections(event)));
    }
    return more;
  }

  _corrections(event) {
    // a ruling that was made anew is named by the number of its fact
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
    return offers.map(([command, text]) => make("button", { "data-command": command, onclick: () => this.does.correct(command) }, text));
  }
}

/** boot/number of the rulings that a later correction has made void. */
function overtaken(events) {
  const gone = new Set();
  for (const [k, event] of events.entries()) {
    if (!CORRECTIONS.includes(event.fields.code)) continue;
    const from = event.fields.facts[0] ?? Infinity;
    for (const earlier of events.slice(0, k)) {
      if (earlier.b === event.b && earlier.k === "ruling" && earlier.fields.facts.some((n) => n >= from)) {
        gone.add(`${earlier.b}/${earlier.n}`);
      }
    }
  }
  return gone;
}
