// The dialog of help: the game in a minute, the keys, and what lights and numbers mean.

import { make, say } from "mat/words.js";

const STEPS = ["foundations", "turn", "faults", "capture", "red", "end"];
const KEYS = [["1 2 3", "trays"], ["← ↑ ↓ →", "arrows"], [", .", "next"], ["Enter", "enter"], ["Space", "drop"], ["Esc", "back"],
  ["L", "lean"], ["F", "flip"], ["W S", "height"], ["A D", "tilt"], ["Q E", "turn"], ["?", "help"]];
const LIGHTS = [["side", "#c8bea0"], ["side_black", "#003cc8"], ["fault", "#e66e00"], ["red", "#e61400"], ["asks", "#963c78"], ["setup", "#007850"]];

/** @param {HTMLDialogElement} dialog @param {string} edition whose rules are told @param {boolean} virtual whether to tell the keys */
export function openHelp(dialog, edition, virtual) {
  const rules = STEPS.map((step) => make("li", {}, say(`play_${step}_${edition.split("+")[0]}`, {}, `play_${step}`)));
  const rows = (pairs) => make("dl", {}, ...pairs.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
  const lamp = (colour) => {
    const lit = make("i");
    lit.style.background = colour;
    return lit;
  };
  dialog.replaceChildren(
    make("form", { method: "dialog" }, make("h2", {}, say("help"), make("button", { value: "close" }, say("close")))),
    make("ol", {}, ...rules),
    ...(virtual ? [make("h3", {}, say("keys")), make("p", {}, say("how_virtual")),
      rows(KEYS.map(([key, what]) => [make("kbd", {}, key), say(`key_${what}`)]))] : []),
    make("h3", {}, say("lights")), rows(LIGHTS.map(([what, colour]) => [lamp(colour), say(`light_${what}`)])),
    make("h3", {}, say("signs")), rows([["7", say("sign_number")], ["×3", say("sign_tower")]]));
  dialog.showModal();
}
