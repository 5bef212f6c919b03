import * as api from "./api.js";
import { byId, put, spell } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { tip: (at, n) => `${at} · ${n} danmu`, peak: (at) => `Most danmu ${at}` },
  zh: { tip: (at, n) => `${at} · ${n} 条弹幕`, peak: (at) => `弹幕高峰 ${at}` },
});

const buckets = 100;
const worthy = 3; // danmu in one bucket, from which on the peak is labelled
const thumb = 14; // pixels

// Heat is the strip over the progress bar: how many danmu each part of the video has, its
// peak, and the tip that says so.
export class Heat {
  #counts = new Array(buckets).fill(0);
  #pointed = null; // seconds
  #peak = 0; // seconds

  constructor(video, seek) {
    this.video = video;
    const seekbar = byId("seek");
    byId("peak").addEventListener("click", () => seek(this.#peak));
    seekbar.addEventListener("pointermove", (e) => {
      const { left, width } = seekbar.getBoundingClientRect();
      const part = (e.clientX - left - thumb / 2) / (width - thumb);
      this.#point(Math.min(Math.max(part, 0), 1) * video.duration);
    });
    for (const event of ["pointerleave", "pointercancel", "blur"]) seekbar.addEventListener(event, () => this.#point(null));
  }

  async read() {
    this.#counts = (await api.heat(this.video.id, buckets)).data;
    this.#draw();
    return this.#counts;
  }

  // warm adds one to the heat of a moment.
  warm(at) {
    this.#counts[this.#bucket(at)]++;
    this.#draw();
  }

  // show keeps the tip of a viewer at the keyboard where the progress is.
  show(at) {
    if (byId("seek").matches(":focus-visible:not(:hover)")) this.#point(at);
  }

  #bucket(at) {
    return Math.min(Math.floor((at / this.video.duration) * buckets), buckets - 1);
  }

  #point(at) {
    this.#pointed = at;
    this.#tip();
  }

  #tip() {
    const at = this.#pointed;
    byId("tip").hidden = at === null;
    if (at === null) return;
    byId("tip").style.setProperty("--at", at / this.video.duration);
    put("tip", t("tip", spell(at), this.#counts[this.#bucket(at)]));
  }

  #draw() {
    const counts = this.#counts;
    const smooth = counts.map((n, i) => (2 * n + (counts[i - 1] ?? n) + (counts[i + 1] ?? n)) / 4);
    const most = Math.max(...smooth, 1);
    const points = smooth.map((n, i) => `L${i + 0.5} ${(10 - 9 * Math.sqrt(n / most)).toFixed(2)}`); // few are seen beside many
    byId("heat").firstElementChild.setAttribute("d", `M0 10${points.join("")}L100 10Z`);

    const top = smooth.indexOf(Math.max(...smooth)), peak = byId("peak");
    this.#peak = (top / buckets) * this.video.duration;
    peak.hidden = counts[top] < worthy;
    peak.style.setProperty("--at", (top + 0.5) / buckets);
    put("peak", t("peak", spell(this.#peak)));
    this.#tip();
  }
}
