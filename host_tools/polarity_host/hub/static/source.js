// Where the hall comes from: the hub's WebSocket, or files that any static host serves.

/** Whether this page is one of files. */
export const isOfFiles = "files" in document.body.dataset;

const AGAIN_MS = 1000;

/** A file of the hall as JSON. @param {string} path @param {RequestCache} cache */
async function file(path, cache = "default") {
  const answer = await fetch(path, { cache });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

/** The words of a language, by the page's keys. @param {string} name */
export const wordsOf = async (name) => (await file(isOfFiles ? `words/${name}.json` : `/api/v1/words/${name}`)).page;

/** The mats that a board may be on, by kind. */
export const matsOf = () => file(isOfFiles ? "mats.json" : "/api/v1/mats");

/** Follows the hall for good. @param {(message: object) => void} take @param {() => void} lost */
export const follow = (take, lost) => (isOfFiles ? followFiles(take, lost) : followSocket(take, lost));

function followSocket(take, lost) {
  const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/api/v1/live`);
  socket.onmessage = ({ data }) => take(JSON.parse(data));
  socket.onclose = () => { lost(); setTimeout(() => followSocket(take, lost), AGAIN_MS); };
}

/** now.json names the newest tick; each tick is a file that never changes, so caches may keep it. */
async function followFiles(take, lost) {
  let seq = -1, everyMs = 2 * AGAIN_MS;
  for (;;) {
    try {
      const now = await file("now.json", "no-store");
      everyMs = 1000 * now.every_s;
      if (seq < now.first - 1 || seq > now.seq) {
        const whole = await file(`whole/${now.whole}.json`);
        seq = whole.seq;
        take(whole);
      }
      while (seq < now.seq) take(await file(`ticks/${++seq}.json`));
    } catch {
      lost();
      seq = -1;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
