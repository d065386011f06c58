// The page's own words, in the language chosen.

const LANGUAGES = ["en", "fr", "de", "nl"];
let words = {};
export let language = "en";

/** The language chosen before, else the browser's, else English. */
export function wanted() {
  const kept = localStorage.getItem("language");
  if (LANGUAGES.includes(kept)) return kept;
  const spoken = navigator.languages.map((one) => one.slice(0, 2));
  return spoken.find((one) => LANGUAGES.includes(one)) || "en";
}

/** Loads a language's words and puts them into the page's `data-words` and `data-title`. */
export async function speak(wish) {
  const answer = await fetch(`/api/v1/words/${wish}`);
  use((await answer.json()).page, wish);
  localStorage.setItem("language", wish);
}

/** Uses these words. */
export function use(theirs, name) {
  words = theirs;
  language = name;
  document.documentElement.lang = name;
  for (const element of document.querySelectorAll("[data-words]")) element.textContent = say(element.dataset.words);
  for (const element of document.querySelectorAll("[data-title]")) {
    element.title = say(element.dataset.title);
    element.setAttribute("aria-label", element.title);
  }
}

/** A word of the catalogue's section `page`, filled in. */
export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const player = (letter) => say(letter === "b" ? "black" : "white");

/** What an element needs to be told anew in another language: its text, or its name (`data-title`). */
export const worded = (key) => ({ "data-words": key });
export const titled = (key) => ({ "data-title": key, title: say(key), "aria-label": say(key) });

/** An element: `make("p", {class: "said"}, "text", child, …)`; text stays text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}
