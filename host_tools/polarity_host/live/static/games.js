// The dialog of stored games: search, names, rulings and slow motion.

import { watching } from "mat/link.js";
import { Story } from "mat/story.js";
import { colour as player, dayAndTime, edition, language, make, say } from "mat/words.js";

const API = "/api/v1";
const FORMS = ["html", "text", "json", "csv"];
const NAMES = ["white", "black", "event"];

/** Opens the dialog. @param {HTMLDialogElement} dialog @param {((event: object) => void)} slow shows a ruling in slow motion; its `whole(game)` plays a whole game */
export function openGames(dialog, slow) {
  const list = make("ol", { class: "list" });
  const search = {
    player: make("input", { type: "search", name: "player" }),
    event: make("input", { type: "search", name: "event" }),
    edition: make("select", { name: "edition" }, make("option", { value: "" }, say("any")),
      ...["temple", "fourlang", "original", "scaled"].map((name) => make("option", { value: name }, edition(name)))),
    since: make("input", { type: "date", name: "since" }),
    until: make("input", { type: "date", name: "until" }),
  };
  const query = () => new URLSearchParams(
    Object.entries(search).map(([name, field]) => [name, field.value]).filter(([, value]) => value));
  let latest;
  const find = async () => {
    const asked = latest = query();
    const found = await games(asked);
    if (asked === latest) showGames(list, found, (game) => showGame(dialog, game, slow)); // answers may overtake each other
  };
  const form = make("form", { onsubmit: (event) => event.preventDefault() },
    ...Object.entries(search).map(([name, field]) => make("label", {}, say(`search_${name}`), field)),
    make("button", {
      type: "button", class: "stats",
      onclick: () => { open(`${API}/stats.html?lang=${language}&${query()}`, "_blank", "noopener"); },
    }, say("stats")));
  for (const field of Object.values(search)) field.oninput = find;
  dialog.replaceChildren(head(dialog, say("earlier")), form, list);
  if (!dialog.open) dialog.showModal();
  return find();
}

async function games(query) {
  const answer = await fetch(`${API}/games?${query}`);
  return answer.ok ? (await answer.json()).games.reverse() : [];
}

function head(dialog, title, ...more) {
  return make("h2", {}, title, make("span", { class: "row" }, ...more,
    make("button", { class: "close", onclick: () => dialog.close() }, say("close"))));
}

function showGames(list, found, open) {
  const items = found.map((game) => make("li", {}, make("button", { "data-game": game.id, onclick: () => open(game) },
    make("small", {}, day(game)), make("b", {}, who(game)), make("small", {}, edition(game.edition)), make("span", {}, result(game)))));
  list.replaceChildren(...(items.length ? items : [make("li", { class: "none" }, say("no_games"))]));
}

function day(game) {
  return dayAndTime(game.begun_ms);
}

function who(game) {
  const names = `${game.white || player("w")} – ${game.black || player("b")}`;
  return game.event ? `${names} · ${game.event}` : names;
}

function result(game) {
  if (game.winner === null) return say("goes_on");
  return game.winner ? say("wins", { player: game[game.winner === "w" ? "white" : "black"] || player(game.winner) }) : say("draw");
}

async function showGame(dialog, game, slow) {
  const [events, evidence] = await Promise.all(["events", "evidence"].map(
    async (what) => (await (await fetch(`${API}/games/${game.id}/${what}`)).json())[what]));
  const story = make("section", { class: "story" },
    make("h2", {}, say("story"), make("label", {}, make("input", { type: "checkbox" }), ` ${say("facts")}`)),
    make("ol", {}));
  const links = FORMS.map((form) => make("button", {
    "data-form": form, onclick: () => { location.href = `${API}/games/${game.id}/record.${form}?lang=${language}`; },
  }, form.toUpperCase()));
  dialog.replaceChildren(
    head(dialog, who(game), make("button", { class: "back", onclick: () => openGames(dialog, slow) }, say("back_to_games"))),
    make("p", {}, `${day(game)} · ${edition(game.edition)} · ${result(game)}`),
    evidence.length ? make("div", { class: "row" }, make("button", { class: "main whole", onclick: () => slow.whole(game.id) }, say("watch_whole"))) : "",
    ...(watching ? [] : [names(dialog, game, slow)]), make("div", { class: "row" }, make("span", {}, say("save_as")), ...links), story);
  const stored = new Set(events.filter((event) => evidence.includes(event.n)).map((event) => `${event.b}/${event.n}`));
  new Story(story, { slow }).show(events, stored);
}

/** The form for the names of the players and the event, and for notes. */
function names(dialog, game, slow) {
  const fields = Object.fromEntries(NAMES.map((name) => [name, make("input", { name, value: game[name], maxlength: 80 })]));
  fields.notes = make("textarea", { name: "notes", rows: 2, maxlength: 2000 });
  fields.notes.value = game.notes;
  const status = make("span", { role: "status" });
  const save = async (event) => {
    event.preventDefault();
    const written = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const answer = await fetch(`${API}/games/${game.id}/names?lang=${language}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(written),
    });
    if (answer.ok) return showGame(dialog, { ...game, ...written }, slow);
    status.textContent = await answer.text();
  };
  const label = (name) => make("label", { class: name === "notes" ? "wide" : "" }, say(`name_${name}`), fields[name]);
  return make("form", { onsubmit: save }, ...[...NAMES, "notes"].map(label),
    make("button", { class: "main" }, say("set")), status);
}
