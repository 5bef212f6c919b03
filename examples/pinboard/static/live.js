// What happens to the person of this window, at the moment it happens. The window has one
// stream, and reads again whenever that begins again.
import { events, get } from "./api.js";
import { badge } from "./top.js";
import { words } from "./words.js";

const t = words({
  en: { unseen: (n) => `${n} new`, unread: (n) => `${n} unread` },
  zh: { unseen: (n) => `${n} 条新通知`, unread: (n) => `${n} 条未读` },
});

// live has the events "again" after a pause, when all must be read again, "bell", "inbox",
// and of the conversation that is watched "batch", "present" and "gone". Their details are
// what the service sent.
export const live = new EventTarget();

// on listens to live until the function that it returns is called.
export function on(listeners) {
  const all = Object.entries(listeners).map(([name, call]) => [name, (e) => call(e.detail)]);
  for (const [name, call] of all) live.addEventListener(name, call);
  return () => { for (const [name, call] of all) live.removeEventListener(name, call); };
}

// once reads one time for all calls during a read, after it.
export function once(read) {
  let running = null, again = false;
  return () => {
    again = true;
    running ??= (async () => {
      try {
        while (again) {
          again = false;
          await read();
        }
      } finally {
        running = null;
      }
    })();
    return running;
  };
}

const later = 5000; // milliseconds until a stream that was refused is asked for again
let source = null, timer = 0, room = "";

function open() {
  close();
  if (document.hidden) return;
  const mine = events(`/api/events${room ? `?with=${encodeURIComponent(room)}` : ""}`);
  source = mine;
  for (const name of ["bell", "inbox", "batch", "present", "gone", "joined", "reset"]) {
    mine.addEventListener(name, (e) => {
      const again = name === "joined" || name === "reset";
      if (source === mine) live.dispatchEvent(new CustomEvent(again ? "again" : name, { detail: JSON.parse(e.data) }));
    });
  }
  mine.addEventListener("error", () => { // otherwise the browser reconnects by itself
    if (source === mine && mine.readyState === EventSource.CLOSED) timer = setTimeout(open, later);
  });
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

// watch also watches a conversation, named as in its address. "" watches none.
export function watch(conversation) {
  if (room === conversation) return;
  room = conversation;
  open();
}

export function startLive() {
  const quiet = (read) => once(() => read().catch(() => {})); // the next event reads again
  const bell = quiet(async () => {
    const { n, more } = await get("/api/bell/unseen");
    badge("bell", n > 99 || more ? "99+" : n || "", t("unseen", n));
  });
  const inbox = quiet(async () => {
    const { messages } = await get("/api/inbox/unread");
    badge("messages", messages > 99 ? "99+" : messages || "", t("unread", messages));
  });
  on({ again: () => { bell(); inbox(); }, bell, inbox });
  open();
  // A browser opens six connections to a server of HTTP/1.1, and streams of hidden tabs, and
  // of pages that it keeps for its back button, would take them all.
  document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
}
