// Who plays: the players' names, which every viewer sees and which are stored with the game.

import { colour, language, make, say } from "mat/words.js";

/**
 * The fields for both names. `save()` sends them to the server, if they have changed.
 * @param {{white?: string, black?: string}} names as they are
 * @returns {{element: HTMLElement, save: () => Promise<void>}}
 */
export function namesOf(names = {}) {
  const status = make("span", { role: "status" });
  const fields = ["white", "black"].map((side) => make("input", { name: side, value: names[side] || "", maxlength: 80, autocomplete: "off" }));
  const [white, black] = fields;
  const save = async () => {
    if (fields.every((field) => field.value === (names[field.name] || ""))) return;
    const answer = await fetch(`/api/v1/names?lang=${language}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ white: white.value, black: black.value }),
    });
    status.textContent = answer.ok ? say("saved") : await answer.text();
  };
  const swap = () => { [white.value, black.value] = [black.value, white.value]; };
  for (const field of fields) {
    field.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // it would close the dialog
      save();
    };
  }
  return {
    save,
    element: make("section", { class: "names" }, make("h3", {}, say("players")),
      make("div", { class: "row" }, ...fields.map((field, k) => make("label", {}, make("span", {}, colour("wb"[k])), field))),
      make("div", { class: "row" }, make("button", { type: "button", class: "swap", onclick: swap }, say("swap_colours")),
        make("button", { type: "button", class: "save", onclick: save }, say("set")), status)),
  };
}
