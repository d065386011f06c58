// The page's own words, in the chosen language.

import { written } from "mat/numbers.js";

const LANGUAGES = ["en", "fr", "de", "nl"];
let words = {};
export let language = "en";

/** The language chosen before, else the browser's, else English. @returns {string} */
export function wanted() {
  const chosen = localStorage.getItem("language");
  if (LANGUAGES.includes(chosen)) return chosen;
  const spoken = navigator.languages.map((one) => one.slice(0, 2));
  return spoken.find((one) => LANGUAGES.includes(one)) || "en";
}

/** Loads a language's words and puts them into the page's `data-words` and `data-title`. @param {string} name */
export async function speak(name) {
  const answer = await fetch(`/api/v1/words/${name}`);
  use((await answer.json()).page, name);
  localStorage.setItem("language", name);
}

/** Uses these words. @param {Object<string, string>} messages @param {string} name of the language */
export function use(messages, name) {
  words = messages;
  language = name;
  document.documentElement.lang = name;
  for (const element of document.querySelectorAll("[data-words]")) element.textContent = say(element.dataset.words);
  for (const element of document.querySelectorAll("[data-title]")) {
    element.title = say(element.dataset.title);
    element.setAttribute("aria-label", element.title);
  }
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", say(element.dataset.label));
}

/** A message of the catalogue's section `page`, or else `other`, filled in. @param {string} key @param {object} values @returns {string} */
export function say(key, values = {}, other = key) {
  return (words[key] ?? words[other] ?? key).replace(/\{(\w+)\}/g, (_, name) => filled(values[name]));
}

/** A value in a message: a number as the language writes it, or a text, which may be there by language. */
function filled(value) {
  if (typeof value === "number") return number(value, 2, 0);
  return value?.[language] ?? value ?? "";
}

/** A number as the language writes it. @param {number} value @param {number} digits @param {number} least of these @returns {string} */
export const number = (value, digits = 0, least = digits) => written(value, language, digits, least);

/** A moment as the language writes it, in this computer's time. @param {number} ms since 1970 @returns {string} */
export function dayAndTime(ms) {
  const at = new Date(ms), two = (value) => String(value).padStart(2, "0");
  const parts = { Y: at.getFullYear(), m: two(at.getMonth() + 1), d: two(at.getDate()), H: two(at.getHours()), M: two(at.getMinutes()) };
  return say("stats.day_and_time").replace(/%(\w)/g, (_, part) => parts[part]);
}

/** The name of an edition and its options. @param {string} name such as "temple+starting_point" @returns {string} */
export const edition = (name) => name.split("+").map((part) => words[`editions.${part}`] ?? part).join(", ");

/** Why something was refused, in words. @param {string} why as the mat or the server has it @returns {string} */
export const refusal = (why) => say(`refusals.${why}`, {}, "refusals.unknown");

let people = {};

/** Names the players. @param {{white?: string, black?: string}} names */
export const name = (names) => { people = names; };

/** The name that a player gave, if any. @param {string} letter "w" or "b" @returns {string} */
export const named = (letter) => people[letter === "b" ? "black" : "white"] || "";

/** The colour of a player. @param {string} letter "w" or "b" @returns {string} */
export const colour = (letter) => say(letter === "b" ? "black" : "white");

/** A player by name and colour, or by colour alone. @param {string} letter "w" or "b" @returns {string} */
export const player = (letter) => (named(letter) ? `${named(letter)} (${colour(letter)})` : colour(letter));

/** Attributes by which an element follows the language: for its text, or for its title (`data-title`). */
export const worded = (key) => ({ "data-words": key });
export const titled = (key) => ({ "data-title": key, title: say(key), "aria-label": say(key) });

/**
 * An element: `make("p", {class: "said"}, "text", child, …)`; strings become text, never markup.
 * @param {string} tag
 * @param {object} attributes `on…` are listeners; false or undefined ones are left out
 * @returns {HTMLElement}
 */
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
