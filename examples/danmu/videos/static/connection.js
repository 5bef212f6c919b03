import { byId, put } from "./dom.js";

const calm = 1500; // milliseconds until a lost stream is spoken of

// Connection knows whether the service can be reached. It has an event change, and an
// event again when it is worth trying at once.
class Connection extends EventTarget {
  #stream = "open";
  #reached = true;

  constructor() {
    super();
    addEventListener("online", () => this.#again());
    addEventListener("offline", () => this.#tell());
  }

  // state is up, offline, unreachable, or interrupted if only the stream is.
  get state() {
    if (!navigator.onLine) return "offline";
    if (!this.#reached || this.#stream === "lost") return "unreachable";
    return this.#stream === "refused" ? "interrupted" : "up";
  }

  // stream says that the live stream is open, lost or refused.
  stream(state) {
    const opened = state === "open" && this.#stream !== "open";
    this.#stream = state;
    if (state === "open") this.#reached = true;
    if (opened) this.#again();
    else this.#tell();
  }

  // call says whether a request had an answer.
  call(answered) {
    if (answered === this.#reached) return;
    this.#reached = answered;
    this.#tell();
  }

  #again() {
    this.#tell();
    this.dispatchEvent(new Event("again"));
  }

  #tell() { this.dispatchEvent(new Event("change")); }
}

export const connection = new Connection();

const banners = {
  up: "",
  offline: "You are offline. Your danmu will be sent when you are back.",
  unreachable: "The service cannot be reached. Your danmu will be sent when it is back.",
  interrupted: "New danmu of others do not arrive at the moment. Trying again …",
};

// showConnection says above the page when there is none.
export function showConnection() {
  let timer = 0;
  const show = () => {
    clearTimeout(timer);
    timer = 0;
    const { state } = connection;
    byId("connection").dataset.state = state;
    put("connection", banners[state]);
    byId("present").classList.toggle("stale", state !== "up");
  };
  connection.addEventListener("change", () => {
    if (connection.state === "up" || connection.state === "offline") show();
    else timer ||= setTimeout(show, calm);
  });
  show();
}

// watching is the number of viewers in words.
export const watching = (n) => (n <= 1 ? "Only you are watching" : `${n.toLocaleString("en")} people are watching`);
