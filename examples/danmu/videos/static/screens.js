import { byId, icon } from "./dom.js";
import { notice } from "./notice.js";
import { words } from "./words.js";

const t = words({
  en: { theatre: "Theatre mode", narrow: "Theatre mode off", noPip: "Picture in picture is not possible now" },
  zh: { theatre: "宽屏模式", narrow: "已退出宽屏模式", noPip: "现在无法使用画中画" },
});

// screens are the sizes of the player: the whole screen, the width of the window, and a
// small window over all others.
export function screens(medium) {
  const player = byId("player"), main = document.querySelector("main");
  const isFull = () => player.classList.contains("full");

  function show() {
    icon("full", isFull() ? "leave" : "full");
    byId("full").ariaPressed = isFull();
    byId("theatre").ariaPressed = main.classList.contains("theatre");
  }

  function fill(on) {
    player.classList.toggle("full", on);
    show();
  }

  // A browser that shows only bare videos on the whole screen, as on iPhones, fills its
  // window: there are no danmu on a bare video.
  async function full() {
    if (document.fullscreenElement === player) return document.exitFullscreen();
    if (isFull()) return fill(false);
    fill(true);
    try {
      await player.requestFullscreen({ navigationUI: "hide" });
      await screen.orientation.lock("landscape");
    } catch { /* it fills the window, or is not turned */ }
  }

  function theatre() {
    notice(t(main.classList.toggle("theatre") ? "theatre" : "narrow"));
    show();
  }

  async function pip() {
    try {
      if (document.pictureInPictureElement) await document.exitPictureInPicture();
      else await medium.requestPictureInPicture();
    } catch {
      notice(t("noPip"));
    }
  }

  document.addEventListener("fullscreenchange", () => fill(document.fullscreenElement === player));
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && isFull() && !document.fullscreenElement && !e.defaultPrevented) fill(false);
  });
  byId("full").addEventListener("click", full);
  byId("theatre").addEventListener("click", theatre);

  byId("pip").hidden = !document.pictureInPictureEnabled || !medium.requestPictureInPicture;
  byId("pip").addEventListener("click", pip);
  medium.addEventListener("enterpictureinpicture", () => { byId("pip").ariaPressed = true; });
  medium.addEventListener("leavepictureinpicture", () => { byId("pip").ariaPressed = false; });
  show();
  return { full, theatre, isFull };
}
