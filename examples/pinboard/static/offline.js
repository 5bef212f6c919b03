// What the page does while the service cannot be reached: it says so, asks whether it is
// back, and warns those who leave the page before everything was sent.
import { traffic, waiting } from "./api.js";
import { words } from "./words.js";

const t = words({
  en: { offline: "Pinboard does not answer. What you write waits here." },
  zh: { offline: "Pinboard 没有应答。你写的内容会在这里等待。" },
});

const every = 2000; // between two questions, in ms

// kept are writes that outlive the page: messages wait in the window's storage.
const kept = ({ path }) => /^\/api\/talks\/[^/]+\/messages$/.test(path);

export function watchService(notice) {
  let timer;
  async function ask() {
    try {
      if ((await fetch("/icon.svg", { method: "HEAD", cache: "no-store" })).ok) traffic.dispatchEvent(new Event("reached"));
    } catch { /* not yet */ }
  }
  traffic.addEventListener("unreachable", () => {
    notice.textContent = t("offline");
    notice.hidden = false;
    timer ??= setInterval(ask, every);
  });
  traffic.addEventListener("reached", () => {
    notice.hidden = true;
    clearInterval(timer);
    timer = undefined;
  });
  addEventListener("offline", () => traffic.dispatchEvent(new Event("unreachable")));
  addEventListener("online", ask);
  addEventListener("beforeunload", (e) => { if ([...waiting].some((write) => !kept(write))) e.preventDefault(); });
}
