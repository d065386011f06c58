// The tournament below the boards: the last round, how all stand, and what an arbiter may do.

import { isOfFiles } from "hall/source.js";
import { language, make, number as written, say } from "mat/words.js";

const RESULTS = ["1-0", "0-1", "=-=", "0-0"];
const isArbiter = document.body.dataset.role !== "spectator" && !isOfFiles;

/** A result as it is printed. @param {string} result */
const printed = (result) => result.replace("=-=", "½–½").replace("-", "–");
const number = (value) => written(value, 2, 0);

/** Shows the newest tournament in an element; `tell` shows a line to the arbiter. */
export class Tournament {
  constructor(element, tell) {
    this.element = element;
    this.tell = tell;
    this.view = make("div", { class: "view" });
    this.deskFor = "";
    this.element.append(this.view);
  }

  /** @param {object} tournament as the hub has it, {} for none @param {string[]} mats that are here */
  show(tournament, mats) {
    this.tournament = tournament;
    this.mats = mats;
    this.view.replaceChildren(...(tournament.name ? [this.heading(), this.boards(), this.standings()] : []));
    // what an arbiter types stays while the rest is shown anew
    const deskFor = `${language} ${Boolean(tournament.name)}`;
    if (!isArbiter || this.deskFor === deskFor) return;
    this.deskFor = deskFor;
    this.element.replaceChildren(this.view, this.desk());
  }

  heading() {
    const { name, rounds_paired: round, rounds } = this.tournament;
    const of = round ? say("hall.round", { round, rounds }) : say("hall.not_paired", { rounds });
    return make("h2", {}, name, make("small", {}, of));
  }

  boards() {
    const { boards, rounds_paired: round } = this.tournament;
    const rows = boards.filter((one) => one.round === round).map((one) => {
      const cells = [
        make("td", {}, String(one.board)), make("td", {}, one.white), make("td", { class: "result" }, this.result(one)),
        make("td", {}, one.black || say("hall.bye")), make("td", {}, this.mat(one)),
      ];
      return make("tr", {}, ...cells);
    });
    const heads = ["", say("white"), say("hall.result"), say("black"), say("hall.mat")];
    return table(heads, rows);
  }

  result(one) {
    if (!one.black) return "";
    if (!isArbiter) return one.result ? printed(one.result) : one.game ? "…" : "";
    const own = one.by === "arbiter" ? one.result : "";
    const byMat = one.by === "mat" ? printed(one.result) : one.game ? "…" : say("hall.by_mat");
    const options = [["", byMat], ...RESULTS.map((result) => [result, printed(result)])];
    return choice(options, own, say("hall.result"), (result) => this.act("result", [result], one));
  }

  mat(one) {
    if (!isArbiter || !one.black) return one.mat;
    const known = [...new Set([...this.mats, one.mat].filter(Boolean))].sort();
    const where = choice([["", "–"], ...known.map((mat) => [mat, mat])], one.mat, say("hall.mat"), (mat) => this.act("mat", [mat], one));
    const swap = make("button", { type: "button", title: say("hall.swap"), "aria-label": say("hall.swap"), onclick: () => this.act("swap", [], one) }, "⇄");
    return make("span", { class: "tools" }, where, swap);
  }

  standings() {
    const rows = this.tournament.standings.map((row) => {
      const cells = [make("td", {}, String(row.place)), make("td", {}, row.name), make("td", {}, number(row.points)),
        make("td", {}, number(row.buchholz)), make("td", {}, number(row.sonneborn_berger))];
      if (isArbiter) cells.push(make("td", {}, make("button", { type: "button", onclick: () => this.act("withdraw", [row.name]) }, say("hall.leaves"))));
      return make("tr", {}, ...cells);
    });
    return table(["", say("hall.player"), say("hall.points"), "Buchholz", "Sonneborn-Berger", ...(isArbiter ? [""] : [])], rows);
  }

  desk() {
    const button = (words, act) => make("button", { type: "button", onclick: act }, say(words));
    const parts = [];
    if (this.tournament.name) {
      const player = make("input", { autocomplete: "off", maxlength: 80, "aria-label": say("hall.player") });
      const add = make("form", { onsubmit: (event) => { event.preventDefault(); this.act("add", [player.value]).then((done) => { if (done) player.value = ""; }); } }, player, make("button", {}, say("hall.add")));
      parts.push(make("p", { class: "tools" }, button("hall.pair", () => this.act("pair")), button("hall.unpair", () => this.act("unpair"))), add);
    }
    return make("div", { class: "desk" }, ...parts, make("details", {}, make("summary", {}, say("hall.new")), this.form()));
  }

  form() {
    const name = make("input", { required: true, maxlength: 80, autocomplete: "off" });
    const system = choice([["swiss", say("hall.swiss")], ["round-robin", say("hall.all")]], "swiss", say("hall.system"), () => {});
    const rounds = make("input", { type: "number", min: 0, max: 99, value: 5 });
    const players = make("textarea", { rows: 6 });
    const begin = async (event) => {
      event.preventDefault();
      const names = players.value.split("\n").map((line) => line.trim()).filter(Boolean);
      if (!(await this.ask({ do: "new", name: name.value, words: [system.value], rounds: Number(rounds.value) }))) return;
      if (names.length) await this.ask({ do: "add", name: name.value, words: names });
      this.element.querySelector("details").open = false;
    };
    const labelled = (words, input) => make("label", {}, say(words), input);
    return make("form", { onsubmit: begin }, labelled("hall.name", name), labelled("hall.system", system),
      labelled("hall.rounds", rounds), labelled("hall.players", players), make("button", { class: "main" }, say("hall.begin")));
  }

  act(what, words = [], { round = 0, board = 0 } = {}) {
    return this.ask({ do: what, name: this.tournament.name, words, round, board });
  }

  async ask(body) {
    const answer = await fetch(`/api/v1/tournament?lang=${language}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    if (!answer.ok) this.tell((await answer.text()).trim());
    return answer.ok;
  }
}

function table(heads, rows) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head)))), make("tbody", {}, ...rows));
}

function choice(options, chosen, label, act) {
  const select = make("select", { "aria-label": label, onchange: ({ target }) => act(target.value) },
    ...options.map(([value, text]) => make("option", { value }, text)));
  select.value = chosen;
  return select;
}
