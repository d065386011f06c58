// Whose turn it is, the reserves and the score, the open question and what is to be captured.

import { watching } from "mat/link.js";
import { next, todo } from "mat/todo.js";
import { colour, language, make, named, number, player, say } from "mat/words.js";

const DRAWN = ["reserve_empty", "declared"]; // ends of a game of three that nobody may have won

const ENDED = ["over", "failed"]; // the mat reports nothing any more

const $ = (selector) => document.querySelector(selector);

/**
 * Shows the game beside the mat.
 * @param {object} parts of the state
 * @param {(command: string) => void} correct sends what players answer
 */
export function showPanel(parts, correct) {
  const { game, mat, events, port } = parts;
  const { phase, turn, active, done, seat, reserve = [], score = [], outcome = [], final, in_place: inPlace = [] } = game;
  const over = outcome.length === 2, provisional = over && !final && !ENDED.includes(port.state);
  let what = turn ? say("turn", { number: turn }) : "", who = "";
  if (!mat) who = say("waiting");
  else if (over) {
    what = say(provisional ? "provisional" : "over");
    if (outcome[1] || seat) who = say("wins", { player: seat ? say("seat", { seat }) : player(outcome[1]) });
    else who = say(reserve.length === 3 && !DRAWN.includes(outcome[0]) ? "one_lost" : "draw");
  } else if (phase === "red_disc") who = say("red_first");
  else if (phase === "foundations") who = say("founding");
  else if (active) {
    const alone = reserve.length === 2; // of more players it is not known here who is next
    who = say(done && !alone ? "played" : "turn_of", { player: player(next(game)) });
    if (done && turn && alone) what = `${what} · ${say("played", { player: player(active) })}`;
    if (seat && turn) what = `${what} · ${say("seat", { seat })}`;
  }
  set("#turn .phase", what);
  set("#turn .who", who);
  $("#turn").classList.toggle("provisional", provisional);
  $("#turn").title = provisional ? say("provisional_why") : "";
  showCounts(game, over || phase !== "play" ? "" : next(game));
  showQuestion(game, events, correct);
  showResult(parts, who, correct);
  const list = todo(parts);
  const items = list.map(({ text, count }) => make("li", {}, text, count && action(`reserve ${count[1]} ${count[0]}`, say("count_tray", { number: count[1] }), correct)));
  const declare = make("div", { class: "row" }, action("capture", say("capture", { pieces: inPlace.join(", ") }), correct, "main"));
  const begins = list.length && ["red_disc", "foundations"].includes(phase) && reserve.length === 2;
  const unnamed = begins && !watching && !named("w") && !named("b");
  const ask = make("div", { class: "row" }, make("button", { class: "players", onclick: () => $("#game").click() }, say("who_plays")));
  change($("#owed"), list.length || inPlace.length ? [make("h2", {}, say("todo")), make("ul", {}, ...items), inPlace.length ? declare : "", unnamed ? ask : ""] : []);
}

/** A button that sends the mat a command. */
const action = (command, text, correct, style = "") =>
  make("button", { class: style, "data-command": command, onclick: () => correct(command) }, text);

/** Replaces what an element shows if that is different, so that nothing pressed or focused is lost. */
function change(element, children) {
  const shown = make("div", {}, ...children).innerHTML;
  element.hidden = !children.length;
  if (element.shown !== shown) element.replaceChildren(...children);
  element.shown = shown;
}

function showResult({ game, events }, who, correct) {
  const end = events.findLast((event) => event.fields.code === "end");
  change($("#result"), game.phase === "over" ? [
    make("h2", {}, who), make("p", {}, end ? end.words[language] : ""),
    make("p", {}, game.score.map((points, k) => `${game.score.length > 2 ? say("seat", { seat: k + 1 }) : player("wb"[k])} ${number(points)}`).join(" · ")),
    make("p", { class: "soft" }, scoreWhy(game)),
    make("div", { class: "row" }, action(`new ${game.edition}`, say("rematch"), correct, "main rematch")),
  ] : []);
}

const scoreWhy = ({ edition, phase }) => say(`score_${edition.split("+")[0]}`, {}, "score_why") + (phase === "over" ? "" : ` ${say("score_now")}`);

function set(selector, text) {
  const element = $(selector);
  if (element.textContent !== text) element.textContent = text;
}

function showCounts(game, active) {
  const { reserve = [], score = [], seat } = game;
  const cards = reserve.map((discs, k) => {
    const letter = k % 2 ? "b" : "w", own = reserve.length > 2;
    const name = own ? say("seat", { seat: k + 1 }) : named(letter) || colour(letter);
    const playing = active && (own ? seat === k + 1 : active === letter);
    const points = score[k] === undefined ? "" : make("p", { class: "points", title: scoreWhy(game) },
      make("b", { class: "score" }, number(score[k])), make("span", {}, say("score")));
    const disc = reserve.length === 3 ? "both" : letter; // three change colours
    return make("div", { class: `count ${disc} ${playing ? "active" : ""}`, "data-player": letter },
      make("i"), make("span", { class: "name", title: own ? name : player(letter) }, name),
      make("p", { class: "left" }, make("b", { class: "reserve" }, String(discs)), make("span", {}, say("reserve"))), points,
      own ? "" : make("p", { class: "clock", role: "timer", "data-side": letter, hidden: true }));
  });
  change($("#counts"), cards);
}

function showQuestion({ question = [] }, events, correct) {
  if (question.length !== 2) return change($("#question"), []);
  const [asked, about] = question;
  const answers = about === "whose" ? [["w", player("w")], ["b", player("b")], ["no", say("denied")]]
    : [["yes", say("yes")], ["no", say("no")]];
  const ruling = events.findLast((event) => event.fields.code === "unsure" && event.fields.facts.includes(asked));
  change($("#question"), [
    make("h2", {}, say("question")),
    make("p", { class: "said" }, ruling ? ruling.words[language] : ""),
    make("div", { class: "row" }, ...answers.map(([word, text]) =>
action(`answer ${asked} ${word}`, text, correct, "main"))),
  ]);
}
