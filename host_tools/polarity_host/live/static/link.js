// The WebSocket to the server, opened again whenever it closes.

const AGAIN_MS = [250, 500, 1000, 2000];

/** Calls `heard(message)` for each message and `state(open)` when it opens and closes. */
export class Link {
  constructor(heard, state) {
    this.heard = heard;
    this.state = state;
    this.tries = 0;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/v1/live`);
    this.socket.onopen = () => {
      this.tries = 0;
      this.state(true);
    };
    this.socket.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.state(false);
      setTimeout(() => this.open(), AGAIN_MS[Math.min(this.tries++, AGAIN_MS.length - 1)]);
    };
  }

  /** Sends a message; what is said while nobody listens is not sent. */
  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
