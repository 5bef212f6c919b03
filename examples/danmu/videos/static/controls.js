import { byId, icon, put, spell } from "./dom.js";
import { gestures } from "./gestures.js";
import { Heat } from "./heat.js";
import { idle } from "./idle.js";
import { keys } from "./keys.js";
import { notice } from "./notice.js";
import { screens } from "./screens.js";
import { begin, volume } from "./volume.js";
import { words } from "./words.js";

const t = words({
  en: { play: "Play", pause: "Pause", paused: "Paused", playing: "Playing", speed: (rate) => `Speed ${rate}×`, on: "Danmu on", off: "Danmu off", at: (now, total) => `${now} of ${total}` },
  zh: { play: "播放", pause: "暂停", paused: "已暂停", playing: "继续播放", speed: (rate) => `倍速 ${rate}×`, on: "弹幕已开启", off: "弹幕已关闭", at: (now, total) => `${now}，共 ${total}` },
});

// controls are what the viewer plays with: the progress bar, the buttons, the keys and
// the gestures.
export function controls(video, medium) {
  const player = byId("player"), seekbar = byId("seek"), rate = byId("rate"), visible = byId("visible");
  const total = spell(video.duration);
  seekbar.max = video.duration;
  let dragging = false;

  const seek = (at) => { medium.currentTime = at; };
  const heat = new Heat(video, seek);
  const sound = volume(medium);
  const screen = screens(medium);
  const rest = idle(player, medium);

  function toggle() {
    if (medium.paused) medium.play().catch(() => {}); // the viewer paused it before it began
    else medium.pause();
    notice(t(medium.paused ? "paused" : "playing"));
  }

  function to(at) {
    const there = Math.min(Math.max(at, 0), video.duration);
    seek(there);
    notice(`${spell(there)} / ${total}`);
  }

  const skip = (seconds) => to(medium.currentTime + seconds);

  function faster(by) {
    const next = rate.selectedIndex + by;
    if (!rate.options[next]) return;
    rate.selectedIndex = next;
    rate.dispatchEvent(new Event("change"));
  }

  seekbar.addEventListener("input", () => { dragging = true; });
  seekbar.addEventListener("change", () => { dragging = false; seek(seekbar.valueAsNumber); });
  byId("play").addEventListener("click", toggle);
  rate.addEventListener("change", () => {
    medium.playbackRate = Number(rate.value);
    notice(t("speed", rate.value));
  });
  visible.addEventListener("change", () => notice(t(visible.checked ? "on" : "off")));
  gestures(byId("stage"), { toggle, skip, full: screen.full, isFull: screen.isFull, controls: rest.toggle });
  keys(player, {
    toggle, skip, faster,
    to: (part) => to(part * video.duration),
    louder: sound.change,
    mute: sound.toggle,
    danmu: () => visible.click(),
    full: screen.full,
    theatre: screen.theatre,
  });

  return {
    seek,
    begin: () => begin(medium),
    heat: () => heat.read(),
    warm: (at) => heat.warm(at),

    show(at) {
      const shown = dragging ? seekbar.valueAsNumber : at;
      if (!dragging) seekbar.value = at;
      seekbar.style.setProperty("--part", `${(100 * shown) / video.duration}%`);
      put("time", `${spell(shown)} / ${total}`);
      put("clock", spell(shown));
      const text = t("at", spell(shown), total);
      if (seekbar.ariaValueText !== text) seekbar.ariaValueText = text;
      const does = medium.paused ? "play" : "pause";
      if (byId("play").ariaLabel !== t(does)) byId("play").ariaLabel = t(does);
      icon("play", does);
      heat.show(shown);
    },
  };
}
