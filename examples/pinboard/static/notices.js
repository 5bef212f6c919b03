// Notifications in words.
import { person } from "./people.js";
import { words } from "./words.js";

// about is the subject of a notification, such as picture:ann.1a2b.
export const about = (e) => e.activity?.target ?? e.activity?.object ?? "";

const split = (ref) => [ref.slice(0, Math.max(0, ref.indexOf(":"))), ref.slice(ref.indexOf(":") + 1)];

// pictureOf is the picture that a notification is about, or "".
export function pictureOf(e) {
  const [kind, id] = split(about(e));
  if (kind === "picture") return id;
  return kind === "comment" ? id.split("/")[0] : "";
}

// pathOf is the page of a notification.
export function pathOf(e) {
  const [kind, id] = split(about(e)), picture = pictureOf(e);
  if (picture) return `/pins/${encodeURIComponent(picture)}`;
  if (kind === "board") return `/boards/${encodeURIComponent(id)}`;
  return `/people/${encodeURIComponent(e.actors?.[0] ?? e.activity.actor)}`;
}

// Those in an array are strong.
const t = words({
  en: {
    one: (a) => [[a]], two: (a, b) => [[a], " and ", [b]], many: (a, n) => [[a], " and ", [n === 1 ? "another" : `${n} others`]],
    title: (text) => `“${text}”`,
    follow: (who) => [...who, " followed you"],
    followBoard: (who, board) => [...who, " followed your board ", [board]],
    like: (who, title) => [...who, " liked your picture ", [title]],
    pin: (who, title) => [...who, " saved your picture ", [title]],
    likeComment: (who, title) => [...who, " liked your comment on ", [title || "a picture"]],
    comment: (who, title) => [...who, " commented on your picture ", [title]],
    reply: (who, title) => [...who, " replied to your comment on ", [title || "a picture"]],
    mention: (who, title) => [...who, " mentioned you in a comment on ", [title || "a picture"]],
    other: (who, title) => [...who, " did something with ", [title || "a picture"]],
    remove: (what) => ["A moderator removed ", ...what], hide: (what) => ["A moderator hid ", ...what], unhide: (what) => ["A moderator shows ", ...what, " again"],
    yours: (title) => ["your picture ", [title]], yourComment: (title) => ["your comment on ", [title || "a picture"]],
  },
  zh: {
    one: (a) => [[a]], two: (a, b) => [[a], "和", [b]], many: (a, n) => [[a], "和另外 ", [`${n}`], " 人"],
    title: (text) => `《${text}》`,
    follow: (who) => [...who, "关注了你"],
    followBoard: (who, board) => [...who, "关注了你的画板", [board]],
    like: (who, title) => [...who, "赞了你的图片", [title]],
    pin: (who, title) => [...who, "收藏了你的图片", [title]],
    likeComment: (who, title) => [...who, "赞了你在", [title || "某张图片"], "下的评论"],
    comment: (who, title) => [...who, "评论了你的图片", [title]],
    reply: (who, title) => [...who, "回复了你在", [title || "某张图片"], "下的评论"],
    mention: (who, title) => [...who, "在", [title || "某张图片"], "的评论中提到了你"],
    other: (who, title) => [...who, "与", [title || "某张图片"], "有互动"],
    remove: (what) => ["管理员删除了", ...what], hide: (what) => ["管理员隐藏了", ...what], unhide: (what) => ["管理员恢复显示了", ...what],
    yours: (title) => ["你的图片", [title]], yourComment: (title) => ["你在", [title || "某张图片"], "下的评论"],
  },
});

// byModerator tells whether a moderator did it, whose name its author does not learn.
export const byModerator = (e) => ["remove", "hide", "unhide"].includes(e.activity.verb);

// sentence returns the parts of a notification's text.
export function sentence(e, title) {
  const [kind, id] = split(about(e)), { verb } = e.activity;
  if (byModerator(e)) return t(verb, t(kind === "comment" ? "yourComment" : "yours", title ? t("title", title) : ""));
  const name = { follow: kind === "board" ? "followBoard" : "follow", like: kind === "comment" ? "likeComment" : "like", pin: "pin", comment: "comment", reply: "reply", mention: "mention" }[verb] ?? "other";
  return t(name, who(e), kind === "board" ? id.slice(id.indexOf(".") + 1) : title ? t("title", title) : "");
}

// who names the newest and counts the others. For comments it counts the people that are
// known, since one person may have written several.
function who(e) {
  const actors = (e.actors ?? [e.activity.actor]).map((id) => person(id).name);
  const people = ["like", "pin", "follow"].includes(e.activity.verb);
  const n = people ? e.n : actors.length;
  if (n <= 1) return t("one", actors[0]);
  if (n === 2 && actors[1]) return t("two", actors[0], actors[1]);
  return t("many", actors[0], people && e.more ? `${n - 1}+` : n - 1);
}
