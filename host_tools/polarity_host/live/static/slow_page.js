// A slow motion as a self-contained file: the evidence is in the page.

import { Player } from "mat/player.js";

const { evidence, language, words } = JSON.parse(document.getElementById("data").textContent);
const say = (key, values = {}) => (words[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.lang = language;
new Player(document.getElementById("slow"), evidence, { say, language, dark });
