import { del, put } from "./api.js";
import { h } from "./dom.js";
import { optimistic } from "./parts.js";
import { words } from "./words.js";

const t = words({
  en: { follow: "Follow", following: "Following", label: (name) => `Follow ${name}`, unfollow: (name) => `Following: unfollow ${name}` },
  zh: { follow: "关注", following: "已关注", label: (name) => `关注 ${name}`, unfollow: (name) => `已关注：取消关注 ${name}` },
});

// followButton follows a person, board or tag. changed(by) is called with 1 or -1 as the
// number of followers changes.
export function followButton(source, name, follows, changed = () => {}) {
  const button = h("button", { class: "button follow", type: "button", onclick: toggle });
  function show(on) {
    if (on !== follows) changed(on ? 1 : -1);
    follows = on;
    draw();
  }
  function draw() {
    button.textContent = follows ? t("following") : t("follow");
    button.setAttribute("aria-label", t(follows ? "unfollow" : "label", name));
    button.classList.toggle("primary", !follows);
  }
  async function toggle() {
    const on = !follows, path = `/api/follows/${encodeURIComponent(source)}`;
    button.disabled = true;
    await optimistic(() => show(on), () => show(!on), () => (on ? put(path) : del(path)));
    button.disabled = false;
    button.focus();
  }
  draw();
  return button;
}
