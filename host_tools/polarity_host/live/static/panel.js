// Whose turn it is, the reserves and the score, the open question and what is to be captured.

import { language, make, player, say } from "mat/words.js";

const DRAWN = ["reserve_empty", "declared"]; // ends of a game of three that nobody may have won

const ENDED = ["over", "failed"]; // the mat reports nothing any more

const $ = (selector) => document.querySelector(selector);

/**
 * Shows the game beside the mat.
 * @param {object} parts of the state
 * @param {(command: string) => void} correct sends what players answer
 */
export function showPanel({ game, mat, events, port }, correct) {
  const { phase, turn, active, done, seat, reserve = [], score = [], outcome = [], final, owed = [], in_place: inPlace = [] } = game;
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
    who = say(done ? "played" : "turn_of", { player: player(active) });
    if (seat && turn) what = `${what} · ${say("seat", { seat })}`;
  }
  set("#turn .phase", what);
  set("#turn .who", who);
  $("#turn").classList.toggle("provisional", provisional);
  $("#turn").title = provisional ? say("provisional_why") : "";
  showCounts(reserve, score, over || phase !== "play" ? "" : active, seat);
  showQuestion(game, events, correct);
  const groups = owed.map(([by, ids]) => make("p", {}, say("owed_by", { player: player(by), pieces: ids.join(", ") })));
  $("#owed").hidden = !groups.length;
  const declare = make("div", { class: "row" }, make("button", {
    class: "main", "data-command": "capture", onclick: () => correct("capture"),
  }, say("capture", { pieces: inPlace.join(", ") })));
  $("#owed").replaceChildren(make("h2", {}, say("owed")), ...groups, inPlace.length ? declare : "");
}

function set(selector, text) {
  const element = $(selector);
  if (element.textContent !== text) element.textContent = text;
}

function showCounts(reserve, score, active, seat) {
  const cards = reserve.map((discs, k) => {
    const letter = k % 2 ? "b" : "w", own = reserve.length > 2;
    const name = own ? say("seat", { seat: k + 1 }) : player(letter);
    const playing = active && (own ? seat === k + 1 : active === letter);
    const points = score[k] === undefined ? "" : make("p", {},
      make("b", { class: "score" }, String(score[k]).replace("-", "−")), make("span", {}, say("score")));
    const disc = reserve.length === 3 ? "both" : letter; // three change colours
    return make("div", { class: `count ${disc} ${playing ? "active" : ""}`, "data-player": letter },
      make("i"), make("span", { class: "name" }, name),
      make("p", {}, make("b", { class: "reserve" }, String(discs)), make("span", {}, say("reserve"))), points);
  });
  $("#counts").replaceChildren(...cards);
}

function showQuestion({ question = [] }, events, correct) {
  const asked = question.length === 2;
  $("#question").hidden = !asked;
  if (!asked) return;
  const [number, about] = question;
  const answers = about === "whose" ? [["w", player("w")], ["b", player("b")], ["no", say("denied")]]
    : [["yes", say("yes")], ["no", say("no")]];
  const ruling = events.findLast((event) => event.fields.code === "unsure" && event.fields.facts.includes(number));
  $("#question").replaceChildren(
    make("h2", {}, say("question")),
    make("p", { class: "said" }, ruling ? ruling.words[language] : ""),
    make("div", { class: "row" }, ...answers.map(([word, text]) =>
      make("button", { class: "main", onclick: () => correct(`answer ${number} ${word}`) }, text))),
  );
}
