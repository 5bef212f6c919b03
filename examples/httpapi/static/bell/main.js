import { acts } from "./acts.js";
import { byId } from "../shared/dom.js";
import { watch } from "./live.js";
import { Panel } from "./panel.js";

// The name in the corner is whatever its reader types: a real service has sessions.
const key = "plaza.bell.user";
const me = byId("me");
me.value = new URLSearchParams(location.search).get("user") ?? localStorage.getItem(key) ?? "ann";

const say = (id) => (text) => {
  for (const other of ["done", "refusal"]) byId(other).textContent = other === id ? text : "";
};
const failed = say("refusal");

const panel = new Panel({ failed });
let live;

function become() {
  me.value = me.value.trim() || localStorage.getItem(key) || "ann";
  localStorage.setItem(key, me.value);
  live?.close();
  panel.become(me.value);
  live = watch(me.value, () => panel.reread());
}

me.addEventListener("change", become);
acts(() => me.value, { done: say("done"), failed });
become();

// Announcements begin to show, and snoozed groups come back, without a ring.
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && panel.reread());
addEventListener("pagehide", () => live.close());
addEventListener("pageshow", (e) => e.persisted && become()); // the reader came back to the page
