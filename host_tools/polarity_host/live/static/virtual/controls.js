// The reserves, and buttons and sliders in place of wheel and keys.

import { ask } from "mat/ask.js";
import { Puzzles } from "mat/virtual/puzzles.js";
import { make, say, titled, worded } from "mat/words.js";

export class Controls {
  /** @param {HTMLElement} root to be filled @param {Hand} hand that the controls move @param {() => object} game of the state */
  constructor(root, hand, game, correct) {
    this.hand = hand;
    this.trays = ["w", "red", "b"].map((side) => this._tray(side));
    this.height = this._slider("height", 0, 120, (value) => hand.move({ z: value }));
    this.tilt = this._slider("tilt", 0, 85, (value) => hand.move({ tilt: value }));
    this.direction = this._slider("direction", 0, 360, (value) => {
      hand.turned = true;
      hand.move({ azimuth: value });
    });
    this.acts = make("div", { class: "row acts" },
      this._button("lean", () => hand.lean()), this._button("flip", () => hand.flip()),
      this._button("set_down", () => hand.setDown()), this._button("drop", () => hand.drop()),
      this._button("put_back", () => hand.putBack()));
    this.held = make("div", { class: "held", hidden: true }, this.acts,
      make("div", { class: "sliders" }, this.height, this.tilt, this.direction));
    this.opponent = make("select", { ...titled("opponent"), name: "opponent" },
      ...[["", "nobody"], ["b", "opponent_black"], ["w", "opponent_white"], ["wb", "opponent_both"]].map(([value, word]) =>
        make("option", { value, ...worded(word) }, say(word))));
    this.opponent.onchange = () => this._choose();
    leave(this.opponent, hand);
    this.level = make("select", { ...titled("level"), name: "level" },
      ...["clumsy", "usual", "careful"].map((value) => make("option", { value, selected: value === "usual", ...worded(`level_${value}`) }, say(`level_${value}`))));
    this.level.onchange = () => this._choose();
    leave(this.level, hand);
    this.lay = this._button("lay_table", () => hand.send({ do: "set_up" }));
    const puzzle = make("section", { class: "puzzle" });
    this.puzzles = new Puzzles(puzzle, (message) => hand.send(message), correct);
    this.begin = this._button("puzzles", () => this.puzzles.lay(0, game(), this.puzzles.table));
    this.table = make("div", { class: "row table" }, this.lay, this.opponent, this.level,
      this._button("clear_table", async () => {
        const { edition, phase } = game();
        if (phase === "over" || (await ask(say("ask_new")))) correct(`new ${edition}`);
      }), this.begin);
    this.slow = make("p", { class: "pace", role: "status" });
    root.append(puzzle, make("div", { class: "trays" }, ...this.trays),
      make("div", { class: "below" }, this.table, this.held), this.slow);
  }

  /** Shows what is on the table. @param {object} table @param {Hand} hand @param {object} game @param {number} pace of the table's time */
  show(table, hand, game, pace) {
    this.puzzles.show(table, game);
    this.begin.hidden = Boolean(table.puzzle) || !Puzzles.fit(hand.view.mat);
    for (const tray of this.trays) {
      const count = table.reserves[tray.dataset.side];
      tray.querySelector("b").textContent = count;
      tray.ariaLabel = `${tray.title}: ${count}`;
      tray.disabled = !count && !hand.body;
    }
    this.held.hidden = !hand.body;
    this.table.hidden = Boolean(hand.body);
    this.lay.hidden = !["red_disc", "foundations"].includes(game.phase);
    this.lay.disabled = table.setting_up;
    this.slow.textContent = pace < 0.9 ? say("slow_computer", { percent: Math.round(100 * pace) }) : "";
    if (hand.body) {
      for (const [slider, name] of [[this.height, "z"], [this.tilt, "tilt"], [this.direction, "azimuth"]]) {
        const input = slider.querySelector("input");
        if (document.activeElement !== input) input.value = hand.wanted[name];
      }
    }
    const plays = table.opponents.join("");
    if (document.activeElement !== this.opponent && this.opponent.value !== plays) this.opponent.value = plays;
    const level = Object.values(table.levels)[0];
    if (level && document.activeElement !== this.level) this.level.value = level;
    this.level.hidden = !plays;
  }

  _choose() {
    for (const side of "wb") this.hand.send({ do: "opponent", side, on: this.opponent.value.includes(side), level: this.level.value });
  }

  _tray(side) {
    const word = { w: "take_white", b: "take_black", red: "take_red" }[side];
    const tray = make("button", { class: `tray ${side}`, "data-side": side, ...titled(word) },
      make("i"), make("b", {}, ""));
    tray.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
      this.hand.take(side, event);
    });
    tray.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.hand.take(side);
      this.hand.view.canvas.focus(); // where the keys move it
    });
    return tray;
  }

  _button(word, act) {
    return make("button", { type: "button", "data-do": word, ...worded(word), onclick: act }, say(word));
  }

  _slider(word, least, most, act) {
    const input = make("input", { type: "range", min: least, max: most, step: 1, name: word });
    input.oninput = () => act(input.valueAsNumber);
    leave(input, this.hand);
    return make("label", {}, make("span", worded(word), say(word)), input);
  }
}

/** Whoever has chosen something with a pointer moves discs by keys again; by keys it takes Enter or Esc. */
function leave(choice, hand) {
  let pointed = false;
  choice.addEventListener("pointerdown", () => { pointed = true; });
  choice.addEventListener("change", () => {
    if (pointed) choice.blur();
    pointed = false;
  });
  choice.addEventListener("keydown", (event) => {
    pointed = false;
    if (["Enter", "Escape"].includes(event.key)) hand.view.canvas.focus();
  });
}
