import * as api from "./api.js";
import { byId, icon, put, spell } from "./dom.js";

const buckets = 100;

// controls are the buttons, and the progress bar with its heat.
export function controls(video, medium) {
  const seekbar = byId("seek");
  seekbar.max = video.duration;
  let dragging = false;
  let counts = new Array(buckets).fill(0);

  const seek = (at) => { medium.currentTime = at; };
  const toggle = () => { if (medium.paused) medium.play(); else medium.pause(); };

  seekbar.addEventListener("input", () => { dragging = true; });
  seekbar.addEventListener("change", () => { dragging = false; seek(seekbar.valueAsNumber); });
  byId("play").addEventListener("click", toggle);
  byId("stage").addEventListener("click", toggle);
  byId("rate").addEventListener("change", (e) => { medium.playbackRate = Number(e.target.value); });
  addEventListener("keydown", (e) => {
    if (e.target.closest("input, select, button, summary")) return;
    if (e.key === " ") toggle();
    else if (e.key === "ArrowLeft") seek(Math.max(medium.currentTime - 5, 0));
    else if (e.key === "ArrowRight") seek(Math.min(medium.currentTime + 5, video.duration));
    else return;
    e.preventDefault();
  });

  return {
    seek,

    show(at) {
      const shown = dragging ? seekbar.valueAsNumber : at;
      if (!dragging) seekbar.value = at;
      seekbar.style.setProperty("--played", `${(100 * shown) / video.duration}%`);
      put("time", `${spell(shown)} / ${spell(video.duration)}`);
      put("clock", spell(shown));
      icon("play", medium.paused ? "play" : "pause");
    },

    async heat() {
      counts = (await api.heat(video.id, buckets)).data;
      draw(counts);
      return counts;
    },

    // warm adds one to the heat of a moment.
    warm(at) {
      counts[Math.min(Math.floor((at / video.duration) * buckets), buckets - 1)]++;
      draw(counts);
    },
  };
}

function draw(counts) {
  const smooth = counts.map((n, i) => (2 * n + (counts[i - 1] ?? n) + (counts[i + 1] ?? n)) / 4);
  const most = Math.max(...smooth, 1);
  const points = smooth.map((n, i) => `L${i + 0.5} ${(10 - 9 * (n / most)).toFixed(2)}`);
  byId("heat").firstElementChild.setAttribute("d", `M0 10${points.join("")}L100 10Z`);
}
