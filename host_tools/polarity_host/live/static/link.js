// The WebSocket to the server. It is opened again whenever it closes.

/** Whether the link by which this page was opened is one for watching only: the server refuses the rest. */
export const watching = document.documentElement.dataset.role === "spectator";

const RETRY_MS = [250, 500, 1000, 2000];

export class Link {
  /**
   * @param {(message: object) => void} onMessage for each message
   * @param {(open: boolean) => void} onState when it opens and closes
   */
  constructor(onMessage, onState) {
    this.onMessage = onMessage;
    this.onState = onState;
    this.tries = 0;
    this.waiting = []; // what was sent while there was no connection
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/v1/live`);
    this.socket.onopen = () => {
      this.tries = 0;
      this.onState(true);
      for (const text of this.waiting.splice(0)) this.socket.send(text);
    };
    this.socket.onmessage = (event) => this.onMessage(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.onState(false);
      setTimeout(() => this.open(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
    };
  }

  /** Sends a message; while there is no connection, once there is one again. @param {object} message */
  send(message) {
    const text = JSON.stringify(message);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (message.do !== "move") this.waiting.push(text);
  }
}
