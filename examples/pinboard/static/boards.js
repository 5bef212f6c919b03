import { get, post } from "./api.js";
import { h } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { board: "Board", fresh: "New board …", name: "Name of the new board" },
  zh: { board: "画板", fresh: "新建画板…", name: "新画板的名称" },
});

// boardField lets one choose one of one's own boards or name a new one. chosen() resolves
// with the board's id.
export async function boardField() {
  const boards = (await get("/api/boards")).items;
  const name = h("input", { class: "field", maxLength: 60, placeholder: t("name"), "aria-label": t("name"), hidden: boards.length > 0 });
  const choice = h("select", { class: "field", "aria-label": t("board"), onchange: fresh },
    boards.map((b) => h("option", { value: b.id }, b.name)), h("option", { value: "" }, t("fresh")));
  function fresh() {
    name.hidden = name.disabled = choice.value !== "";
    name.required = choice.value === "";
    if (!name.hidden) name.focus();
  }
  name.required = boards.length === 0;
  return {
    element: h("div", { class: "boardfield" }, boards.length > 0 && choice, name),
    name: () => choice.selectedOptions[0]?.value ? choice.selectedOptions[0].textContent : name.value,
    chosen: async () => choice.value || (await post("/api/boards", { name: name.value })).id,
  };
}
