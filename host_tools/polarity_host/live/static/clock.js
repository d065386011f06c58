// The clock of the game: each player's time, counted up or down. Nothing is ruled by it.

import { say } from "mat/words.js";

export const MINUTES = ["", "0", "5", "10", "20", "30"]; // no clock, counted up, or so much for each

/** What is chosen on this computer, of MINUTES. @returns {string} */
export const chosen = () => (MINUTES.includes(localStorage.getItem("clock")) ? localStorage.getItem("clock") : "");

/** @param {string} minutes of MINUTES */
export const choose = (minutes) => localStorage.setItem("clock", minutes);

/** What a choice is called. @param {string} minutes @returns {string} */
export function named(minutes) {
  if (!minutes) return say("clock_none");
  return Number(minutes) ? say("clock_each", { number: minutes }) : say("clock_up");
}

/** Shows both clocks in the elements of class `clock`. @param {object} parts of the state */
export function showClocks({ game, t_ms }) {
  const minutes = chosen(), { clock, phase } = game;
  for (const element of document.querySelectorAll("#counts .clock")) {
    element.hidden = !minutes || !clock || game.reserve.length !== 2 || ["red_disc", "foundations"].includes(phase);
    if (element.hidden) continue;
    const side = element.dataset.side, running = clock.running === side;
    const spent = clock.spent_ms["wb".indexOf(side)] + (running ? Math.max(0, t_ms - clock.since_ms) : 0);
    const left = Number(minutes) * 60000 - spent;
    const text = Number(minutes) ? shown(left) : shown(spent);
    if (element.textContent !== text) element.textContent = text;
    element.title = named(minutes);
    element.classList.toggle("spent", Number(minutes) > 0 && left < 0);
  }
}

/** As minutes and seconds. */
function shown(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  return `${ms < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
