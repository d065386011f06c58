// Questions before what cannot be taken back.

import { make, say } from "mat/words.js";

/** Asks yes or no. @param {string} question @returns {Promise<boolean>} */
export function ask(question) {
  const dialog = make("dialog", { class: "ask", "aria-label": question },
    make("form", { method: "dialog" }, make("p", {}, question),
      make("div", { class: "row" }, make("button", { class: "main", value: "yes" }, say("yes")), make("button", { value: "" }, say("no")))));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((then) => dialog.addEventListener("close", () => {
    dialog.remove();
    then(dialog.returnValue === "yes");
  }));
}
