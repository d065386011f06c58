// The hall: a board for each mat, those that wait for an arbiter first.

import { follow, matsOf, wordsOf } from "hall/source.js";
import { Tournament } from "hall/tournament.js";
import { MatView } from "mat/draw.js";
import { whose } from "mat/whose.js";
import { colour, language, make, number as written, say, use, wanted } from "mat/words.js";

const $ = (selector) => document.querySelector(selector);
const URGENT = ["question", "fault", "health", "away"];
const mats = await matsOf();
const cards = new Map();
const tournament = new Tournament($("#tournament"), notice);
let hall = { boards: {}, problem: "", delay_s: 0, tournament: {} };
let connected = false;

/** One board's element, and how to show a state in it. */
class Card {
  constructor(name) {
    this.name = name;
    this.why = make("span", { class: "why" });
    this.canvas = make("canvas", { role: "img", "aria-label": name });
    this.turn = make("p", { class: "turn" });
    this.said = make("p", { class: "said" });
    this.sides = ["w", "b"].map((letter) => {
      const who = make("span", {}), points = make("b", {});
      return { who, points, element: make("p", { class: `side ${letter}` }, make("i", {}), who, points) };
    });
    this.command = make("input", { autocomplete: "off", spellcheck: false });
    this.slow = make("a", { target: "_blank" });
    this.undo = make("button", { type: "button", onclick: () => this.tell("undo 0") });
    this.send = make("button", {});
    const tools = make("form", { class: "tools", onsubmit: (event) => { event.preventDefault(); this.tell(this.command.value.trim()); } },
      this.undo, this.command, this.send, this.slow);
    this.title = make("button", { class: "name", type: "button", "aria-expanded": "false", onclick: () => this.choose() }, make("b", {}, name), this.why);
    this.element = make("li", { class: "board" }, this.canvas, this.title,
      make("div", { class: "sides" }, ...this.sides.map(({ element }) => element)), this.turn, this.said, tools);
    this.canvas.addEventListener("click", () => this.choose());
  }

  /** The board becomes large, or small again. */
  choose() {
    const large = !this.element.classList.contains("large");
    for (const card of cards.values()) card.grow(card === this && large);
    if (large) this.element.scrollIntoView({ block: "nearest" });
  }

  grow(large) {
    this.element.classList.toggle("large", large);
    this.title.setAttribute("aria-expanded", String(large));
  }

  show(board) {
    const { game, seats, ruling } = board;
    const names = { ...board.names, ...seats };
    this.view ||= new MatView(this.canvas);
    this.view.mat = mats[board.kind] || mats.standard;
    this.view.fit();
    this.view.draw({ pieces: board.pieces, flight: [], leds: "" });
    this.element.classList.toggle("waits", Boolean(board.waits) && board.waits !== "away");
    this.element.classList.toggle("away", !board.online);
    this.why.textContent = board.waits ? say(`hall.${board.waits}`) : "";
    const number = (value) => (Number.isInteger(value) ? written(value) : "");
    const player = (letter) => names[letter === "b" ? "black" : "white"] || colour(letter);
    for (const [k, { who, points }] of this.sides.entries()) {
      who.textContent = player("wb"[k]);
      points.textContent = number(game.score?.[k]);
    }
    this.turn.textContent = whose(game, player, say);
    const text = ruling?.words?.[language];
    this.said.textContent = typeof text === "string" ? text : "";
    this.undo.textContent = say("hall.undo");
    this.send.textContent = say("hall.send");
    this.slow.textContent = say("hall.slow");
    this.slow.hidden = !ruling;
    if (ruling) this.slow.href = `/api/v1/slow/${this.name}/${ruling.b}/${ruling.n}?lang=${language}`;
    this.command.placeholder = say("hall.command");
    this.command.setAttribute("aria-label", say("hall.command"));
  }

  async tell(command) {
    const answer = await fetch("/api/v1/say", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ mat: this.name, command }),
    });
    notice(answer.ok ? say("hall.sent") : (await answer.text()).trim());
    if (answer.ok) this.command.value = "";
  }
}

let hiding = 0;
function notice(text) {
  $("#notice").textContent = text;
  $("#notice").hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { $("#notice").hidden = true; }, 4000);
}

function order([nameA, a], [nameB, b]) {
  const rank = ({ waits }) => (waits ? URGENT.indexOf(waits) : URGENT.length);
  return rank(a) - rank(b) || (a.waits ? a.since_s - b.since_s : 0) || nameA.localeCompare(nameB);
}

function show(changed) {
  const boards = Object.entries(hall.boards).sort(order);
  for (const [name] of boards) if (!cards.has(name)) cards.set(name, new Card(name));
  const list = $("#boards");
  boards.forEach(([name], place) => {
    const { element } = cards.get(name);
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] || null);
  });
  for (const name of changed) cards.get(name)?.show(hall.boards[name]);
  const waiting = boards.filter(([, { waits }]) => waits && waits !== "away").length;
  const parts = [say("hall.boards", { boards: boards.length })];
  if (waiting) parts.push(say("hall.waiting", { waiting }));
  if (hall.delay_s) parts.push(say("hall.late", { seconds: hall.delay_s }));
  if (hall.problem) parts.push(say("hall.database"));
  if (!connected) parts.push(say("hall.gone"));
  $("#state").textContent = parts.join(" · ");
  $("#state").classList.toggle("bad", Boolean(hall.problem) || !connected);
}

function take(message) {
  connected = true;
  if (message.k === "hall") hall = message;
  Object.assign(hall.boards, message.boards);
  if (message.problem !== undefined) hall.problem = message.problem;
  show(Object.keys(message.boards || {}));
  if (message.tournament) showTournament(message.tournament);
}

function showTournament(shown = hall.tournament) {
  hall.tournament = shown;
  tournament.show(shown, Object.keys(hall.boards));
}

async function choose(name) {
  use(await wordsOf(name), name);
  localStorage.setItem("language", name);
  $("#language").value = name;
  show(Object.keys(hall.boards));
  showTournament();
}

$("#language").addEventListener("change", ({ target }) => choose(target.value));
await choose(wanted());
follow(take, () => { connected = false; show([]); });
