// The dialog of the commands that concern the game as a whole.

import { ask } from "mat/ask.js";
import { audible, setAudible } from "mat/sounds.js";
import { choose, chosen, MINUTES, named } from "mat/clock.js";
import { namesOf } from "mat/names.js";
import { edition as rules, make, player, say } from "mat/words.js";

const EDITIONS = ["temple", "fourlang", "original", "scaled"];

/**
 * Opens the dialog. `correct(command)` sends the chosen command, `earlier()` shows stored games and
 * `maintain(what)` starts the doctor or the calibration.
 * @param {HTMLDialogElement} dialog
 * @param {{game: object, names: object}} parts of the state
 */
export function openMenu(dialog, { game, names }, { correct, earlier, maintain }) {
  const send = (command) => () => {
    correct(command);
    dialog.close();
  };
  const certainly = (question, command) => async () => {
    if (await ask(question)) send(command)();
  };
  const edition = make("select", { name: "edition", "aria-label": say("search_edition") }, ...[...new Set([...EDITIONS, game.edition].filter(Boolean))].map((name) =>
    make("option", { value: name, selected: name === game.edition }, rules(name))));
  const counted = ["w", "b"].map((letter, k) => {
    const discs = make("input", { type: "number", min: 0, max: 99, value: game.reserve?.[k] ?? 0, "aria-label": player(letter) });
    const set = () => send(`reserve ${discs.valueAsNumber || 0} ${letter}`)();
    return make("div", { class: "row counted" }, make("span", {}, player(letter)), discs, make("button", { type: "button", onclick: set }, say("set")));
  });
  const sounds = make("button", { type: "button", class: "sounds", "aria-pressed": String(audible()), onclick: () => {
    setAudible(!audible());
    sounds.setAttribute("aria-pressed", String(audible()));
  } }, say("sounds"));
  const clock = make("select", { name: "clock", "aria-label": say("clock"), onchange: () => choose(clock.value) },
    ...MINUTES.map((minutes) => make("option", { value: minutes, selected: minutes === chosen() }, named(minutes))));
  const players = game.reserve?.length > 2 ? null : namesOf(names);
  const begin = async () => {
    if (game.phase !== "over" && !(await ask(say("ask_new")))) return;
    await players?.save();
    send(`new ${edition.value}`)();
  };
  dialog.replaceChildren(make("form", { method: "dialog" },
    make("h2", {}, say("game"), make("button", { value: "close" }, say("close"))),
    make("div", { class: "row" }, make("button", { type: "button", "data-command": "undo 0", onclick: send("undo 0") }, say("undo_last")),
      make("button", { type: "button", class: "earlier", onclick: () => { dialog.close(); earlier(); } }, say("earlier")), sounds),
    players?.element ?? "",
    make("h3", {}, say("new_game")),
    make("div", { class: "row" }, edition, make("button", { type: "button", class: "begin", onclick: begin }, say("new_game"))),
    make("h3", {}, say("count")), ...counted,
    make("h3", {}, say("clock")), clock,
    make("h3", {}, say("declare")),
    make("div", { class: "row" },
      ...["w", "b"].map((letter) => make("button", { type: "button", "data-command": `declare ${letter}`, onclick: certainly(say("ask_end", { result: say("wins", { player: player(letter) }) }), `declare ${letter}`) }, say("wins", { player: player(letter) }))),
      make("button", { type: "button", onclick: certainly(say("ask_end", { result: say("draw") }), "declare draw") }, say("draw"))),
    make("h3", {}, say("maintenance.mat")),
    make("div", { class: "row" }, ...["doctor", "calibrate"].map((what) => make("button", {
      type: "button", "data-maintenance": what, onclick: () => { dialog.close(); maintain(what); },
    }, say(`maintenance.${what}`)))),
  ));
  dialog.showModal();
}
