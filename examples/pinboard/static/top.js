// The bar above every screen.
import { me, signIn } from "./api.js";
import { glyph, h } from "./dom.js";
import { avatar, people, person } from "./people.js";
import { language, languages, speak, words } from "./words.js";

const t = words({
  en: { home: "Home", bell: "Notifications", messages: "Messages", weekly: "This week", clips: "Clips", account: (name) => `You are ${name}`, profile: "Your profile", settings: "Settings", moderation: "Moderation", as: "Sign in as …", window: "Another person in a new window", dark: "Dark", light: "Light", screens: "Screens", search: "Find a person" },
  zh: { home: "首页", bell: "通知", messages: "私信", weekly: "本周榜", clips: "短片", account: (name) => `当前用户：${name}`, profile: "我的主页", settings: "设置", moderation: "审核", as: "切换用户…", window: "在新窗口以他人身份打开", dark: "深色", light: "浅色", screens: "页面", search: "查找用户" },
});

const places = [["/", "home", "home"], ["/weekly", "weekly", "trophy"], ["/clips", "clips", "film"], ["/bell", "bell", "bell"], ["/messages", "messages", "message"]];

export function header(top) {
  const nav = h("nav", { "aria-label": t("screens") }, places.map(([href, name, icon]) => h("a", { href, "data-place": name }, glyph(icon), h("span", {}, t(name)))));
  top.append(h("a", { class: "brand", href: "/" }, glyph("pin"), h("span", {}, "Pinboard")), nav, h("div", { id: "tools", class: "row" }), account());
  document.addEventListener("screen", () => {
    for (const link of nav.children) {
      if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  });
}

// badge shows a count on a place of the bar, such as "bell". Zero hides it.
export function badge(place, text, label) {
  const link = document.querySelector(`.top nav [data-place="${place}"]`);
  link.querySelector(".badge")?.remove();
  if (text) link.append(h("span", { class: "badge" }, h("span", { "aria-hidden": "true" }, text), h("span", { class: "visually-hidden" }, ` ${label}`)));
}

function account() {
  const sheet = h("div", { class: "sheet", hidden: true },
    h("a", { href: `/people/${me()}` }, avatar(me(), 24), t("profile")),
    h("a", { href: "/settings" }, glyph("gear"), t("settings")),
    h("a", { href: "/moderation" }, glyph("shield"), t("moderation")),
    h("button", { onclick: theme }, glyph("sun"), dark() ? t("light") : t("dark")),
    Object.entries(languages).filter(([code]) => code !== language).map(([code, name]) => h("button", { lang: code, onclick: () => speak(code) }, glyph("language"), name)),
    h("button", { onclick: () => chooser((id) => signIn(id)) }, glyph("people"), t("as")),
    h("button", { onclick: () => chooser(elsewhere) }, glyph("window"), t("window")));
  const button = h("button", { class: "icon", "aria-label": t("account", person(me()).name), "aria-expanded": "false", onclick: () => toggle(sheet.hidden) }, avatar(me(), 32));
  const toggle = (shown) => { sheet.hidden = !shown; button.setAttribute("aria-expanded", String(shown)); };
  document.addEventListener("click", (e) => { if (!menu.contains(e.target) || sheet.contains(e.target)) toggle(false); });
  const menu = h("div", { class: "menu", onkeydown: (e) => { if (e.key === "Escape") { toggle(false); button.focus(); } } }, button, sheet);
  return menu;
}

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function theme(e) {
  const other = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = other;
  localStorage.setItem("plaza.theme", other);
  e.currentTarget.lastChild.textContent = dark() ? t("light") : t("dark");
}

// elsewhere opens a window of another person, unless the browser blocks it.
function elsewhere(id) {
  const other = open("about:blank");
  if (other) signIn(id, "/", Object.assign(other, { opener: null }));
}

// chooser lets one choose a person.
export function chooser(chosen) {
  const list = h("ul", { class: "list people" });
  const find = h("input", { class: "field", type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: fill });
  const dialog = h("dialog", { class: "card pad", "aria-label": t("search"), onclose: () => dialog.remove() }, find, list);
  function fill() {
    const text = find.value.trim().toLowerCase();
    const found = people().filter((p) => p.id !== me() && `${p.id} ${p.name}`.toLowerCase().includes(text)).slice(0, 50);
    list.replaceChildren(...found.map((p) => h("li", {}, h("button", { class: "button", onclick: () => { dialog.close(); chosen(p.id); } }, avatar(p.id, 28), p.name))));
  }
  fill();
  document.body.append(dialog);
  dialog.showModal();
}
