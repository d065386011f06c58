// Whose turn it is in one line, for who only watches.

import { next } from "mat/todo.js";

/**
 * @param {object} game of the state
 * @param {(letter: string) => string} player says who plays white ("w") or black ("b")
 * @param {(key: string, values?: object) => string} say a word of the page
 * @returns {string} "" where it is not known
 */
export function whose(game, player, say) {
  const { phase, outcome = [] } = game;
  if (outcome.length) return outcome[1] ? say("wins", { player: player(outcome[1]) }) : say("draw");
  if (phase === "red_disc") return say("red_first");
  if (phase === "foundations") return say("founding");
  return game.active ? say("turn_of", { player: player(next(game)) }) : "";
}
