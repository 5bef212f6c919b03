// The clips. Each plays on a page of its own, with danmu.
import { get, me } from "../api.js";
import { h, sheet } from "../dom.js";
import { failure, skeleton } from "../parts.js";
import { personLink } from "../people.js";
import { words } from "../words.js";

const t = words({
  en: { title: "Clips", what: "Comments fly over the picture at the moment they are about. Write one while it plays." },
  zh: { title: "短片", what: "弹幕会在对应的时刻飞过画面。边看边发一条吧。" },
});

const length = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`;

export async function show(main) {
  await sheet("/screens/clips.css");
  const list = h("ul", { class: "list clips" }, skeleton(2));
  main.append(h("h1", {}, t("title")), h("p", { class: "dim" }, t("what")), list);
  async function fill() {
    try {
      list.replaceChildren(...(await get("/api/clips")).items.map(draw));
    } catch (error) {
      list.replaceChildren(failure(error, fill));
    }
  }
  await fill();
}

function draw(clip) {
  const query = new URLSearchParams({ video: clip.id, user: me(), back: "/clips" });
  const picture = h("video", { src: `${clip.src}#t=${clip.seconds / 4}`, muted: true, loop: true, playsInline: true, preload: "metadata", tabIndex: -1, "aria-hidden": "true" });
  const link = h("a", { class: "watch", href: `/watch/?${query}`, "data-outside": true }, picture, h("span", { class: "length" }, length(clip.seconds)), h("strong", {}, clip.title));
  link.addEventListener("pointerenter", () => picture.play().catch(() => {})); // a browser may refuse
  link.addEventListener("pointerleave", () => picture.pause());
  return h("li", { class: "card" }, link, h("div", { class: "pad" }, personLink(clip.owner, 28)));
}
