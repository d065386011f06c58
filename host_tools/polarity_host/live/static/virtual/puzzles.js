// Puzzles: positions in which white captures without a fault. The mat's referee judges.

import { ask } from "mat/ask.js";
import { make, say } from "mat/words.js";

const EDITION = "temple";
const LEAST_MM = 220; // radius of the mat that they are laid on
const LAYINGS = 5; // some come out otherwise, as no two discs are equally strong; then others are taken
const solved = () => JSON.parse(localStorage.getItem("puzzles") || "[]");

export class Puzzles {
  /**
   * @param {HTMLElement} root to be filled
   * @param {(message: object) => void} send a message to the virtual mat
   * @param {(command: string) => void} correct sends the mat a command
   */
  constructor(root, send, correct) {
    [this.root, this.send, this.correct, this.shown] = [root, send, correct, ""];
    this.left = 0; // how often what this page has laid may be laid again
    this.root.hidden = true;
  }

  /** Whether they can be laid here. @param {object} mat of the state @returns {boolean} */
  static fit = (mat) => mat?.circle_radius_mm > LEAST_MM;

  /** Lays one in a new game. @param {number} number 0: the first that is not solved yet @param {object} game @param {object} table */
  async lay(number, game, table) {
    const fresh = game.phase === "red_disc" && !table.bodies.length && game.edition === EDITION;
    const played = game.phase !== "over" && !table.puzzle && table.bodies.length;
    if (played && !(await ask(say("ask_new")))) return;
    let first = 1;
    while (solved().includes(first) && first < 10) first++;
    this.left = LAYINGS - 1;
    this._lay(number || first, fresh);
  }

  _lay(number, fresh = false) {
    if (!fresh) this.correct(`new ${EDITION}`);
    this.send({ do: "puzzle", number });
  }

  /** Shows how it stands. @param {object} table @param {object} game */
  show(table, game) {
    const { puzzle } = table;
    [this.table, this.game] = [table, game];
    const shown = JSON.stringify([puzzle, say("puzzles")]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.root.hidden = !puzzle;
    if (!puzzle) return;
    const { number, of } = puzzle;
    let { progress } = puzzle;
    if (progress === "spoiled" && this.left) {
      this.left--;
      this._lay(number);
      progress = "laying";
    }
    if (progress === "solved") localStorage.setItem("puzzles", JSON.stringify([...new Set([...solved(), number])]));
    const laying = progress === "laying", lay = (other) => this.lay(other, this.game, this.table);
    const choice = make("select", { name: "puzzle", "aria-label": say("puzzles"), disabled: laying, onchange: () => lay(Number(choice.value)) },
      ...Array.from({ length: of }, (_, k) => make("option", { value: k + 1, selected: k + 1 === number },
        `${say("puzzle", { number: k + 1 })}${solved().includes(k + 1) ? " ✓" : ""}`)));
    this.root.dataset.progress = progress;
    this.root.replaceChildren(make("p", { role: "status" }, say(`puzzle_${progress}`)),
      make("div", { class: "row" }, choice,
        make("button", { type: "button", class: "again", disabled: laying, onclick: () => lay(number) }, say("puzzle_again")),
        number < of ? make("button", { type: "button", class: progress === "solved" ? "next main" : "next", disabled: laying, onclick: () => lay(number + 1) }, say("puzzle_next")) : ""));
  }
}
