// The bar's button that draws a picture and pins it.
import { post } from "./api.js";
import { boardField } from "./boards.js";
import { picture, pinHref, ready } from "./cards.js";
import { dialog } from "./dialog.js";
import { glyph, h } from "./dom.js";
import { failure, toast } from "./parts.js";
import { go } from "./router.js";
import { words } from "./words.js";

const t = words({
  en: { make: "Make a picture", another: "Another one", title: "Title", publish: "Publish", done: "It is now in your followers' homes." },
  zh: { make: "画一张图", another: "换一张", title: "标题", publish: "发布", done: "关注你的人已经能看到了。" },
});

export function makeButton(tools) {
  tools.append(h("button", { class: "icon make", type: "button", "aria-label": t("make"), title: t("make"), onclick: make }, glyph("plus")));
}

async function make() {
  await ready;
  const shown = h("div", { class: "easel" }, h("div", { class: "skeleton" }));
  const title = h("input", { class: "field", maxLength: 100, required: true, placeholder: t("title"), "aria-label": t("title") });
  const place = h("div", {}, h("div", { class: "skeleton" }));
  const publish = h("button", { class: "button primary", disabled: true }, t("publish"));
  const opened = dialog(t("make"), h("form", { class: "makeform", onsubmit: send },
    shown,
    h("div", { class: "makefields" },
      h("button", { class: "button", type: "button", onclick: draw }, glyph("brush"), t("another")),
      title, place, publish)));
  let drawn, board;

  async function draw() {
    try {
      const next = await post("/api/pictures");
      if (!drawn || title.value === drawn.title) title.value = next.title;
      drawn = next;
      shown.replaceChildren(picture(drawn, { loading: "eager" }));
    } catch (error) {
      shown.replaceChildren(failure(error, draw));
    }
    publish.disabled = !drawn || !board;
  }
  async function choose() {
    try {
      board = await boardField();
      place.replaceChildren(board.element);
    } catch (error) {
      place.replaceChildren(failure(error, choose));
    }
    publish.disabled = !drawn || !board;
  }
  async function send(e) {
    e.preventDefault();
    publish.disabled = true;
    const pin = { picture: drawn.picture, proof: drawn.proof, title: title.value };
    try {
      await post("/api/pins", { ...pin, board: await board.chosen() });
      opened.close();
      toast(t("done"));
      go(pinHref(pin.picture));
    } catch (error) {
      toast(error.message);
      publish.disabled = false;
    }
  }
  await Promise.all([draw(), choose()]);
}
