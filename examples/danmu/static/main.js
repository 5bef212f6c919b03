import * as api from "./api.js";
import { All } from "./all.js";
import { Clock, Ticker } from "./clock.js";
import { controls } from "./controls.js";
import { display } from "./display.js";
import { follow } from "./live.js";
import { Mine } from "./mine.js";
import { Reactions } from "./reactions.js";
import { Recent } from "./recent.js";
import { sending } from "./sending.js";
import { Stage } from "./stage.js";
import { tabs } from "./tabs.js";
import { touch } from "./touch.js";
import { user } from "./user.js";
import { byId, element, put } from "./dom.js";

const id = new URLSearchParams(location.search).get("video") ?? "1";
await document.fonts.load("1em Emoji", "😂").catch(() => {}); // a canvas does not wait for it
api.video(id).then(play, (error) => {
  const reason = error.status === 404 ? `There is no video ${id}.` : `The video could not be read: ${error.message}`;
  document.querySelector("main").replaceChildren(element("p", { id: "refusal", className: "refusal", role: "alert" }, reason));
});

function play(video) {
  const medium = video.src ? byId("video") : new Clock(video.duration);
  if (video.src) medium.src = video.src;
  byId("video").hidden = !video.src;
  byId("clock").hidden = Boolean(video.src);

  const recent = new Recent(video, { failed: refuse });
  const stage = new Stage(byId("stage"), recent.timeline, new Ticker(medium), { me: user, onFrame });
  const panel = controls(video, medium);
  const reactions = new Reactions(video, user, { reported: removed });
  const all = new All(video, user, { seek: panel.seek, likes: (comment) => reactions.likes(comment) });
  const mine = new Mine(video, user, { seek: panel.seek, removed, failed: refuse });

  recent.changed = () => stage.flight.refresh();
  medium.addEventListener("seeked", () => stage.flight.begin());

  const shown = display((chosen) => {
    stage.opacity = chosen.opacity;
    stage.visible = chosen.visible;
    recent.choose(chosen);
    all.choose(({ content }) => {
      const text = content.text.toLowerCase();
      return chosen.words.some((word) => text.includes(word.toLowerCase()));
    }, chosen.words.join("\n"));
  });

  const touching = touch(stage, video, { user, reactions, removed, hideSender: shown?.hideSender });
  reactions.changed = (id) => {
    touching.changed(id);
    all.changed(id);
  };
  medium.addEventListener("seeked", touching.close);
  byId("visible").addEventListener("change", touching.close);
  byId("me").addEventListener("change", () => { reactions.become(); touching.close(); });

  sending(video, medium, user, { sent, failed: refuse });
  byId("me").addEventListener("change", () => { mine.reread(); all.become(); stage.flight.refresh(); });

  const listen = () => follow(id, {
    reread: () => {
      reactions.reread();
      recent.join();
      all.join();
      panel.heat().then((counts) => all.expect(counts)).catch((error) => refuse(error.message));
    },
    sent, removed,
    liked: (now) => reactions.heard(now),
    present: (n) => {
      byId("present").hidden = false;
      put("present", `${n} watching`);
    },
  });
  let live = listen();
  addEventListener("pagehide", () => live.close());
  addEventListener("pageshow", (e) => { if (e.persisted) live = listen(); }); // the viewer came back to the page
  mine.reread();
  tabs(document.querySelector(".tabs"));
  panel.begin();

  function onFrame(at) {
    recent.at(at);
    all.at(at);
    reactions.at(at);
    panel.show(at);
    const { aloft, dropped } = stage.flight;
    put("count", `${aloft.length} flying` + (dropped ? ` · ${dropped} found no lane` : ""));
  }

  // sent is called for this page's own comments too.
  function sent(comment) {
    all.add(comment);
    mine.add(comment);
    if (!recent.add(comment)) return;
    if (!document.hidden) stage.flight.arrive(comment, comment.userId === user());
    panel.warm(comment.content.time);
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
