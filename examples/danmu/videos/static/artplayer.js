import Artplayer from "./artplayer/artplayer.mjs";
import artplayerPluginDanmuku from "./artplayer/artplayer-plugin-danmuku.mjs";
import { videoAsked } from "./address.js";
import { token } from "./api.js";
import { byId, put } from "./dom.js";
import { reasonOf } from "./reasons.js";
import { user } from "./user.js";
import { count, fill, language, words } from "./words.js";

const t = words({
  en: { with: "with the danmu of Plaza", you: "You are", before: "What you send here flies on ", own: "Plaza's own page", after: " too, and the other way round.", none: "This video has no picture, and ArtPlayer needs one.", present: (n) => `${count(n)} watching` },
  zh: { with: "播放 Plaza 的弹幕", you: "我是", before: "在这里发送的弹幕也会出现在 ", own: "Plaza 自己的页面", after: "，反之亦然。", none: "这个视频没有画面，无法用 ArtPlayer 播放。", present: (n) => `${count(n)} 人在看` },
});
fill(t);

// ArtPlayer on the service: what a player needs of it, in one file. The danmu of a video
// are a file in ArtPlayer's format, live ones are events, and one is sent by a POST.

const part = encodeURIComponent;
const near = 5; // seconds behind which a live danmu still flies at once
const none = "#FFFFFF"; // the colour of danmu whose sender chose none

const known = new Map(); // the danmu by id, as ArtPlayer takes them
const gone = new Set(); // ids of those that were taken back

async function call(path, body) {
  const answer = await fetch(path, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const json = await answer.json();
  if (answer.ok) return json;
  throw new Error(reasonOf(json, answer.status));
}

// read is the plugin's danmuku option. Danmu that came live while it read stay.
async function read() {
  try {
    for (const danmu of await call(`videos/${part(id)}/danmu/artplayer`)) known.set(danmu.id, timed(danmu));
  } catch (error) {
    refuse(error);
  }
  return [...known.values()].map((danmu) => ({ ...danmu }));
}

// ArtPlayer reads a time of 0 as now.
const timed = (danmu) => ({ ...danmu, time: danmu.time || 0.001 });

// danmuOf is a danmu of an event as ArtPlayer takes it, or none if it has no such mode.
function danmuOf({ id, content }) {
  const { text, time, position, color, size } = content;
  if (position > 3) return null; // those are placed by programs
  return timed({ id, text, time, mode: position === 3 ? 0 : position, color: color ?? none, style: size ? { fontSize: size } : {} });
}

// send is the plugin's beforeEmit option. If the danmu is refused, its text stays.
let repeated = { text: "", key: "" }; // the same text again is the same danmu, unless it was sent
async function send(danmu) {
  if (repeated.text !== danmu.text) repeated = { text: danmu.text, key: token(), time: danmu.time };
  try {
    const sent = await call("danmu/send", {
      objectId: id, userId: user(), key: repeated.key,
      content: { text: danmu.text, time: Math.min(repeated.time, video.duration), position: danmu.mode, color: danmu.color === none ? "" : danmu.color },
    });
    repeated = { text: "", key: "" };
    put("refusal", "");
    danmu.twin = known.has(sent.id); // its event came before the answer
    danmu.id = sent.id;
    known.set(sent.id, danmuOf(sent));
    return true;
  } catch (error) {
    refuse(error);
    return false;
  }
}

function refuse(error) {
  put("refusal", error.message);
}

function sent(comment) {
  const danmu = danmuOf(comment);
  if (!danmu || known.has(danmu.id)) return;
  known.set(danmu.id, danmu);
  const behind = art.currentTime - danmu.time;
  emit({ ...danmu, time: behind >= 0 && behind < near ? art.currentTime + 0.1 : danmu.time });
}

const emit = (danmu) => art.plugins.artplayerPluginDanmuku.emit(danmu);

function removed(danmu) {
  gone.add(danmu);
  known.delete(danmu);
  const flying = document.querySelector(`.art-danmuku [data-id="${CSS.escape(danmu)}"]`);
  if (flying) flying.style.visibility = "hidden";
}

async function chosen() {
  const id = videoAsked ?? (await call("videos")).data[0].id;
  return { id, video: await call(`videos/${part(id)}`) };
}

const { id, video } = await chosen().catch((error) => refuse(error)) ?? {};
if (video && !video.src) refuse(new Error(t("none")));
const art = video?.src && new Artplayer({
  container: "#player", url: video.src, lang: language === "zh" ? "zh-cn" : "en", muted: true, autoplay: true, loop: true,
  setting: true, playbackRate: true, pip: innerWidth >= 560, fullscreen: true,
  plugins: [artplayerPluginDanmuku({
    danmuku: () => read(), // the plugin takes no async function
    beforeEmit: (danmu) => send(danmu),
    filter: (danmu) => !danmu.twin && !gone.has(danmu.id),
    beforeVisible: (danmu) => !gone.has(danmu.id),
    maxLength: 100,
  })],
});

if (art) {
  const stream = new EventSource(`videos/${part(id)}/live`);
  const on = (name, act) => stream.addEventListener(name, (e) => act(JSON.parse(e.data)));
  const reread = () => art.plugins.artplayerPluginDanmuku.load();
  on("joined", reread); // what was sent between the first reading and now
  on("reset", reread);
  on("present", (n) => put("present", t("present", n)));
  on("batch", (events) => {
    for (const e of events) {
      if (e.sent) sent(e.sent);
      if (e.removed) removed(e.removed);
    }
  });
  addEventListener("pagehide", () => stream.close());
  window.art = art; // for the console and the tests
}
