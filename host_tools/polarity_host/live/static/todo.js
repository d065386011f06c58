// What the players have to do now: a checklist, and the discs that it is about.

import { player, say } from "mat/words.js";

/**
 * @param {object} parts of the state; `virtual` where the mat is played on in the page
 * @returns {{text: string, ids?: number[], bodies?: number[], count?: [string, number]}[]} `ids` of the mat's pieces,
 *   `bodies` of the virtual mat's; `count`: a side and its tray's discs, which may be counted anew
 */
export function todo({ game, virtual, mat, port }) {
  const { phase, turn, active, done, owed = [], due = [], outcome = [] } = game;
  if (!mat || outcome.length || port.state === "failed") return [];
  if (phase === "red_disc") return [{ text: say("todo_red") }];
  const list = owed.map(([by, ids]) => ({ text: say("owed_by", { player: player(by), pieces: ids.join(", ") }), ids }));
  if (virtual?.bodies) {
    for (const [body, side] of virtual.due) list.unshift({ text: say("todo_back", { player: player(side) }), bodies: [body] });
    for (const [side, number] of Object.entries(virtual.missing)) {
      const text = say(number > 0 ? "todo_missing" : "todo_surplus", { player: player(side), number: Math.abs(number) });
      list.push({ text, count: [side, virtual.reserves[side]] });
    }
  } else {
    for (const [id, side] of due) list.unshift({ text: say("todo_back", { player: player(side) }), ids: [id] });
  }
  if (phase === "foundations") list.push({ text: say("todo_foundation", { player: player(active) }) });
  else if (phase === "play" && !list.length && active) list.push({ text: say("todo_turn", { player: player(next(game)) }) });
  return list;
}

/** Who plays now or, once the one whose turn it is has played, next. @param {object} game @returns {string} "w" or "b" */
export function next({ turn, active, done, reserve = [] }) {
  if (!turn) return "w";
  return done && reserve.length === 2 ? (active === "w" ? "b" : "w") : active;
}
