import * as api from "./api.js";
import { byId } from "../shared/dom.js";
import { listen } from "../shared/stream.js";
import { Inbox } from "./inbox.js";
import { Outbox } from "./outbox.js";
import { choices } from "./people.js";
import { Talk } from "./talk.js";

// The name in the corner is whatever its reader types: a real service has sessions.
const stored = "plaza.messages.user";
const me = byId("me");
const asked = new URLSearchParams(location.search);
me.value = asked.get("user") ?? localStorage.getItem(stored) ?? "ann";

let unreached = false;
function failed(error) {
  unreached = !error.status;
  byId("refusal").textContent = unreached ? "The server cannot be reached." : error.message;
}

let live;
const outbox = new Outbox({ changed: () => talk.render(), sent: (message) => { talk.stored(message); inbox.reread(); } });
const talk = new Talk({ outbox, failed, gone: () => watch({ conversation: false }), rejoined: openGroup });
const inbox = new Inbox({ choose: open, failed, read: seen });

function seen() {
  if (unreached) byId("refusal").textContent = "";
  talk.check(inbox.find(talk.conversation));
}

// watch listens to the inbox, and to the conversation that is open.
function watch({ conversation = true } = {}) {
  live?.close();
  byId("cut").hidden = false;
  const of = conversation ? talk.conversation : "";
  let read = false;
  const reread = () => {
    read = true;
    inbox.reread();
    talk.reread();
  };
  live = listen(api.liveOf(me.value, of), {
    joined: () => {
      byId("cut").hidden = true;
      reread();
    },
    reset: reread,
    inbox: (events) => {
      inbox.reread();
      events.forEach((event) => talk.elsewhere(event));
    },
    batch: (events) => events.forEach((event) => talk.happened(event)),
    present: (names) => talk.people.here(names ?? []),
    gone: () => talk.people.left(),
    error: () => {
      byId("cut").hidden = false;
      if (!read) reread(); // a page without a stream shows what there was
    },
  });
}

function become() {
  me.value = me.value.trim() || localStorage.getItem(stored) || "ann";
  localStorage.setItem(stored, me.value);
  byId("refusal").textContent = "";
  shut();
  inbox.become(me.value);
  outbox.become(me.value);
  watch();
}

let turn = 0; // a choice of a conversation, which replaces those before it

// open shows a conversation and says so in the address, so that a reload shows it again.
function open(entry) {
  turn++;
  byId("refusal").textContent = "";
  talk.open(me.value, entry);
  inbox.mark(entry.conversation);
  const { conversation, other } = entry;
  address({ user: me.value, ...(other === undefined ? { group: conversation } : { with: other }) });
  watch();
  if (matchMedia("(pointer: fine)").matches) byId("text").focus();
}

function shut() {
  turn++;
  talk.close();
  inbox.mark("");
  address({ user: me.value });
}

const address = (query) => history.replaceState(null, "", `?${new URLSearchParams(query)}`);

async function openPair(other) {
  const user = me.value, mine = ++turn;
  try {
    const { conversation } = await api.pair(user, other);
    if (user === me.value && mine === turn) open(inbox.find(conversation) ?? { conversation, other });
  } catch (error) {
    failed(error);
  }
}

function openGroup(conversation) {
  open(inbox.find(conversation) ?? { conversation });
}

byId("start").addEventListener("submit", async (e) => {
  e.preventDefault();
  const other = byId("with").value.trim();
  if (!other) return;
  byId("with").value = "";
  await openPair(other);
});

byId("gather").addEventListener("submit", async (e) => {
  e.preventDefault();
  const [group, members] = [byId("group").value.trim(), byId("members").value.split(",").map((name) => name.trim()).filter(Boolean)];
  try {
    await api.create(me.value, group, members);
  } catch (error) {
    return failed(error);
  }
  e.target.reset();
  byId("new-group").open = false;
  openGroup(group);
});

byId("choices").addEventListener("toggle", (e) => {
  if (!e.target.open) return;
  const shutMenu = () => { byId("choices").open = false; };
  byId("choice-list").replaceChildren(...choices(talk.people, {
    failed,
    clear: () => { shutMenu(); talk.clear(); },
    add: async (other) => { await api.add(me.value, talk.conversation, other); shutMenu(); },
    leave: async () => {
      shutMenu();
      await api.leave(me.value, talk.conversation).then(back, failed);
    },
  }));
});

function back() {
  const { conversation } = talk;
  shut();
  watch();
  (byId("inbox").querySelector(`[data-key="${CSS.escape(conversation ?? "")}"] button`) ?? byId("with")).focus();
}

byId("back").addEventListener("click", back);
document.addEventListener("click", (e) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(e.target)) menu.open = false;
});
document.addEventListener("keydown", (e) => {
  if (e.key !== "Escape" || e.isComposing) return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (talk.conversation) back();
});
byId("choice-list").addEventListener("click", (e) => { if (e.target.matches("button.quiet")) byId("choices").open = false; });

me.addEventListener("change", become);
become();
const begun = turn;
inbox.reread().then(() => { // which knows what is unread
  if (turn !== begun) return;
  if (asked.get("with")) openPair(asked.get("with"));
  else if (asked.get("group")) openGroup(asked.get("group"));
});
addEventListener("pagehide", () => live.close());
addEventListener("pageshow", (e) => e.persisted && become()); // the reader came back to the page
