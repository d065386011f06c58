// Slow motion in the live page: fetches the evidence of a ruling and plays it in a dialog.

import { Player } from "mat/player.js";
import { language, make, say } from "mat/words.js";

/** Opens the dialog for a ruling. @param {HTMLDialogElement} dialog @param {object} event @param {() => boolean} dark */
export function openSlow(dialog, event, dark) {
  const base = `/api/v1/boots/${event.b}`;
  return show(dialog, `${base}/evidence/${event.n}`, `${base}/slow/${event.n}.html`, dark);
}

/** Opens the dialog for a whole stored game. @param {HTMLDialogElement} dialog @param {number} game @param {() => boolean} dark */
export function openWhole(dialog, game, dark) {
  const base = `/api/v1/games/${game}/play`;
  return show(dialog, base, `${base}.html`, dark);
}

async function show(dialog, from, file, dark) {
  const answer = await fetch(from);
  if (!answer.ok) return;
  const evidence = await answer.json();
  const stage = make("div");
  const save = make("button", { class: "save", onclick: () => { location.href = `${file}?lang=${language}`; } }, say("save"));
  const close = make("button", { class: "close", onclick: () => dialog.close() }, say("close"));
  dialog.replaceChildren(stage);
  dialog.showModal();
  const player = new Player(stage, evidence, { say, language, dark, extra: [save, close] });
  dialog.addEventListener("close", () => player.play(false), { once: true });
}
