import { byId, put } from "./dom.js";
import { count, words } from "./words.js";

const calm = 1500; // milliseconds until a lost stream is reported

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

const t = words({
  en: {
    up: "", offline: "You are offline. Your danmu will be sent when you are back.",
    unreachable: "The service cannot be reached. Your danmu will be sent when it is back.",
    interrupted: "New danmu from others are not arriving at the moment. Trying again …",
    alone: "Only you are watching", present: (n) => `${count(n)} people are watching`, brief: (n) => `${count(n)} watching`,
  },
  zh: {
    up: "", offline: "你已离线，弹幕会在恢复连接后发送。",
    unreachable: "无法连接服务，弹幕会在恢复后发送。",
    interrupted: "暂时收不到别人的新弹幕，正在重试…",
    alone: "只有你在看", present: (n) => `${count(n)} 人正在看`, brief: (n) => `${count(n)} 人在看`,
  },
});

// showConnection says above the page when there is none.
export function showConnection() {
  let timer = 0;
  const show = () => {
    clearTimeout(timer);
    timer = 0;
    const { state } = connection;
    byId("connection").dataset.state = state;
    put("connection", t(state));
    byId("present").classList.toggle("stale", state !== "up");
  };
  connection.addEventListener("change", () => {
    if (connection.state === "up" || connection.state === "offline") show();
    else timer ||= setTimeout(show, calm);
  });
  show();
}

// showPresent says how many watch, on a phone in few words.
export function showPresent(n) {
  byId("present").hidden = false;
  put("present", n <= 1 ? t("alone") : t("present", n));
  byId("present").dataset.brief = t("brief", n);
}
