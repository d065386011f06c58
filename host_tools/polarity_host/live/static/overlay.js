// An overlay for a stream and, with `?tv`, a whole screen to be read from afar. `?lang=de` chooses the language.

import { MatView } from "mat/draw.js";
import { written } from "mat/numbers.js";
import { whose } from "mat/whose.js";

const query = new URLSearchParams(location.search);
const language = ["en", "fr", "de", "nl"].find((name) => name === query.get("lang")) || "en";
const $ = (selector) => document.querySelector(selector);
const state = { events: [] };
const view = new MatView($("canvas"));
const { page: words } = await (await fetch(`/api/v1/words/${language}`)).json();
const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

document.documentElement.lang = language;
document.body.classList.toggle("tv", query.has("tv"));

function listen() {
  const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/api/v1/live`);
  socket.onmessage = ({ data }) => {
    const { k, events = [], ...parts } = JSON.parse(data);
    if (k === "state") state.events = [];
    Object.assign(state, parts);
    state.events.push(...events.filter((event) => event.k === "ruling"));
    if (parts.game || parts.names || events.length) show();
    if (parts.pieces || parts.flight || parts.leds || parts.mat) draw();
  };
  socket.onclose = () => setTimeout(listen, 1000);
}

function draw() {
  view.mat = state.mat;
  if (view.mat && !view.size) view.fit();
  view.draw({ pieces: state.pieces, flight: state.flight, leds: state.leds || "" });
}

const player = (letter) => state.names?.[letter === "b" ? "black" : "white"] || say(letter === "b" ? "black" : "white");

function show() {
  if (!state.game) return;
  const { reserve, score } = state.game;
  const number = (value) => (value === undefined ? "" : written(value, language));
  $("#turn").textContent = whose(state.game, player, say);
  for (const [k, letter] of ["w", "b"].entries()) {
    $(`#${letter} .name`).textContent = player(letter);
    $(`#${letter} .reserve`).textContent = `${say("reserve")} ${number(reserve[k])}`;
    $(`#${letter} .score`).textContent = score.length ? `${say("score")} ${number(score[k])}` : "";
  }
  const ruling = state.events.at(-1);
  $("#ruling").textContent = ruling ? ruling.words[language] : "";
}

listen();
