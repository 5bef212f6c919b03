import { byId, icon } from "./dom.js";
import { notice } from "./notice.js";
import { read, write } from "./storage.js";
import { percent, words } from "./words.js";

const t = words({
  en: { none: "This video has no sound", unmute: "Unmute (m)", mute: "Mute (m)", off: "muted", muted: "Muted", volume: (part) => `Volume ${part}` },
  zh: { none: "此视频没有声音", unmute: "取消静音（m）", mute: "静音（m）", off: "静音", muted: "已静音", volume: (part) => `音量 ${part}` },
});

const key = "plaza.danmu.volume";

// audible reports whether a <video> has sound. Each browser has its own name for that.
const audible = (video) => video.mozHasAudio ?? (video.audioTracks ? video.audioTracks.length > 0 : video.webkitAudioDecodedByteCount > 0);

// volume is the button and the slider of the sound, and remembers both. A medium without
// sound, or that is not a video, has neither.
export function volume(medium) {
  const mute = byId("mute"), slider = byId("volume");
  let silent = true;

  if (medium instanceof HTMLVideoElement) {
    const { level, muted } = read(key) ?? {};
    medium.volume = level >= 0 && level <= 1 ? level : 1;
    medium.muted = muted === true;
    const look = () => {
      silent = !audible(medium);
      show();
    };
    for (const event of ["canplay", "timeupdate"]) medium.addEventListener(event, look);
    medium.addEventListener("volumechange", show);
    mute.addEventListener("click", toggle);
    slider.addEventListener("input", () => set(slider.valueAsNumber));
    show();
  } else {
    mute.hidden = slider.hidden = true;
  }

  function show() {
    const off = silent || medium.muted || medium.volume === 0;
    mute.disabled = slider.hidden = silent;
    mute.title = t(silent ? "none" : off ? "unmute" : "mute");
    mute.ariaPressed = off;
    icon("mute", off ? "muted" : "sound");
    slider.value = off ? 0 : medium.volume;
    slider.style.setProperty("--part", `${100 * slider.value}%`);
    slider.ariaValueText = off ? t("off") : percent(medium.volume);
  }

  function keep() { write(key, { level: medium.volume, muted: medium.muted }); }

  function set(level) {
    medium.volume = Math.min(Math.max(Math.round(100 * level) / 100, 0), 1);
    medium.muted = false;
    keep();
  }

  function toggle() {
    if (silent) return;
    if (medium.volume === 0) medium.volume = 0.5;
    else medium.muted = !medium.muted;
    keep();
    notice(medium.muted ? t("muted") : t("volume", percent(medium.volume)));
  }

  return {
    toggle,

    // change makes the sound louder or softer, and reports whether there is any.
    change(by) {
      if (silent) return false;
      set((medium.muted ? 0 : medium.volume) + by);
      notice(t("volume", percent(medium.volume)));
      return true;
    },
  };
}

// begin plays. If the browser wants a click before a page may have sound, it plays
// without sound.
export async function begin(medium) {
  try {
    await medium.play();
  } catch (error) {
    if (error.name !== "NotAllowedError") return; // such as that the viewer has paused it
    medium.muted = true;
    await medium.play().catch(() => {}); // then it waits for the click
  }
}
