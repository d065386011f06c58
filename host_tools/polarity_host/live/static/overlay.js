// An overlay for a stream, and the shortest example of a client of the live server (API.md).

const language = new URLSearchParams(location.search).get("lang") || "en";
const state = { events: [] };

function listen() {
  const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/api/v1/live`);
  socket.onmessage = ({ data }) => {
    const { k, events = [], ...parts } = JSON.parse(data);
    if (k === "state") state.events = [];
    Object.assign(state, parts);
    state.events.push(...events.filter((event) => event.k === "ruling"));
    if (parts.game || events.length) show();
  };
  socket.onclose = () => setTimeout(listen, 1000);
}

function show() {
  const { turn, reserve } = state.game;
  const ruling = state.events.at(-1);
  document.getElementById("turn").textContent = turn || "";
  document.querySelectorAll("#reserves b").forEach((element, k) => { element.textContent = reserve[k] ?? ""; });
  document.getElementById("ruling").textContent = ruling ? ruling.words[language] : "";
}

listen();
