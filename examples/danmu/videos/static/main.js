import { showWays, videoAsked } from "./address.js";
import * as api from "./api.js";
import { All } from "./all.js";
import { Clock, Ticker } from "./clock.js";
import { controls } from "./controls.js";
import { connection, showConnection, showPresent } from "./connection.js";
import { display, showCount } from "./display.js";
import { follow } from "./live.js";
import { Mine } from "./mine.js";
import { notice } from "./notice.js";
import { Outbox } from "./outbox.js";
import { showWords } from "./page.js";
import { Reactions } from "./reactions.js";
import { Recent } from "./recent.js";
import { sending } from "./sending.js";
import { Stage } from "./stage.js";
import { tabs } from "./tabs.js";
import { themes } from "./themes.js";
import { touch } from "./touch.js";
import { user } from "./user.js";
import { waiting } from "./waiting.js";
import { byId, element, put } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: {
    none: (id) => `There is no video ${id}.`, unread: (reason) => `The video could not be read: ${reason}`, sent: "Sent",
    unseen: "Sent. You do not see it yourself, because you block it.", writing: "First send or clear what you are writing.",
  },
  zh: {
    none: (id) => `没有视频 ${id}。`, unread: (reason) => `无法读取视频：${reason}`, sent: "已发送",
    unseen: "已发送。因为你屏蔽了它，所以你自己看不到。", writing: "请先发送或清空正在写的内容。",
  },
});

showWords();
themes();
await document.fonts.load("1em Emoji", "😂").catch(() => {}); // a canvas does not wait for it
choose().then(play, (error) => {
  const reason = error.status === 404 ? t("none", videoAsked) : t("unread", error.message);
  document.querySelector("main").replaceChildren(element("p", { id: "refusal", className: "refusal", role: "alert" }, reason));
});

// choose reads the video that the address asks for, or the first.
async function choose() {
  const { data } = await api.videos();
  const id = videoAsked ?? data[0].id;
  showWays(data, id);
  return api.video(id);
}

function play(video) {
  if (video.title) document.title = `${video.title} · Plaza`;
  const medium = video.src ? byId("video") : new Clock(video.duration);
  if (video.src) medium.src = video.src;
  byId("video").hidden = !video.src;
  byId("clock").hidden = Boolean(video.src);

  const recent = new Recent(video, { failed: refuse, me: user });
  const ticker = new Ticker(medium);
  const stage = new Stage(byId("stage"), recent.timeline, { now }, { me: user, onFrame });
  const panel = controls(video, medium);
  const reactions = new Reactions(video, user, { reported: removed });
  const all = new All(video, user, {
    seek: panel.seek,
    open: (comment, button) => touching.beside(comment, button),
    likes: (comment) => reactions.likes(comment),
  });
  const mine = new Mine(video, user, { seek: panel.seek, removed, failed: refuse });

  recent.changed = () => stage.flight.refresh();
  medium.addEventListener("seeked", () => stage.flight.begin());
  recent.fly = (comment, own) => { if (!document.hidden) stage.flight.arrive(comment, own); };
  const { blocks, hideSender } = display((chosen) => {
    stage.look(chosen);
    recent.choose(chosen);
    all.choose((comment) => chosen.blocks.blocks(comment), chosen.blocks.version);
  }, () => {
    recent.decided();
    all.decided();
  });

  const touching = touch(stage, video, { user, reactions, removed, hideSender });
  reactions.changed = (id) => {
    touching.changed(id);
    all.changed(id);
  };
  medium.addEventListener("seeked", touching.close);
  byId("visible").addEventListener("change", touching.close);

  showConnection();
  const outbox = new Outbox({ sent: delivered, changed: () => showWaiting() });
  const showWaiting = waiting(outbox, { edit });
  showWaiting();
  connection.addEventListener("again", () => outbox.again());

  sending(video, medium, user, { send: (message) => outbox.send(message), failed: refuse });
  byId("me").addEventListener("change", () => {
    mine.reread();
    all.become();
    recent.become();
    reactions.become();
    touching.close();
  });

  const listen = () => follow(video.id, {
    reread: () => {
      reactions.reread();
      recent.join();
      all.join();
      panel.heat().then((counts) => all.expect(counts)).catch((error) => refuse(error.message));
    },
    sent, removed, state: (state) => connection.stream(state),
    liked: (now) => reactions.heard(now),
    present: showPresent,
  });
  let live = listen();
  addEventListener("pagehide", () => live.close());
  addEventListener("pageshow", (e) => { if (e.persisted) live = listen(); }); // the viewer came back to the page
  mine.reread();
  tabs(document.querySelector(".tabs"));
  panel.begin();

  function onFrame(at) {
    all.at(at);
    reactions.at(at);
    panel.show(at);
    showCount(stage.flight, stage.visible);
  }

  // now is the playing time of the next frame, for which recent has chosen its comments.
  function now() {
    const at = ticker.now();
    recent.at(at);
    return at;
  }

  // sent is called for this page's own comments too.
  function sent(comment) {
    all.add(comment);
    mine.add(comment);
    if (recent.add(comment)) panel.warm(comment.content.time);
  }

  // delivered is called once the service has a comment of this browser.
  function delivered(comment) {
    notice(t("sent"));
    if (comment.objectId === video.id) sent(comment);
    else mine.add(comment);
    if (blocks.blocks(comment)) refuse(t("unseen"));
  }

  // edit gives a text back unless another one is being written.
  function edit(text) {
    const input = byId("text");
    if (input.value.trim()) refuse(t("writing"));
    else input.value = text;
    input.dispatchEvent(new Event("input"));
    input.focus();
    return input.value === text;
  }

  function removed(danmu) {
    recent.remove(danmu);
    all.remove(danmu);
    touching.remove(danmu);
    stage.remove(danmu);
    mine.remove(danmu);
  }

  // For the console and the tests.
  window.danmu = {
    onScreen: () => stage.boxes(),
    dropped: () => stage.flight.dropped,
    seek: panel.seek,
    medium,
  };
}

function refuse(reason) {
  put("refusal", reason);
}
