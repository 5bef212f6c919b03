// What the rows say.

const verbs = {
  follow: "followed",
  like: "liked",
  love: "loved",
  comment: "commented on",
  reply: "replied to",
  mention: "mentioned you on",
};

// titles are the verbs in the settings.
export const titles = {
  "": "Anything else",
  follow: "Somebody follows you",
  like: "Likes",
  love: "Loves",
  comment: "Comments on something of yours",
  reply: "Replies to your comments",
  mention: "Mentions",
};

// thing names an object for a reader, such as picture:bob:1 or comment:32S…:picture:bob:1.
export function thing(ref, me) {
  const [kind, ...rest] = ref.split(":");
  const id = rest.join(":");
  if (kind === "user") return id === me ? "you" : id;
  if (kind === "comment") {
    const object = rest.slice(1).join(":");
    return object ? `your comment on ${thing(object, me)}` : "your comment";
  }
  const at = id.lastIndexOf(":");
  if (at <= 0) return ref;
  const owner = id.slice(0, at);
  return `${owner === me ? "your" : `${owner}’s`} ${kind} ${id.slice(at + 1)}`;
}

const name = (actor) => actor.replace(/^user:/, "");

// about is what an entry's group is about.
export const about = (entry) => entry.activity.target ?? entry.activity.object;

// sentence returns the parts of a row's text. Those in an array are strong.
export function sentence(entry, me) {
  const actors = (entry.actors ?? [entry.activity.actor]).map(name);
  const { verb } = entry.activity;
  const each = ["comment", "reply", "mention"].includes(verb); // n counts these, and not people
  const parts = [...who(actors, entry, each), ` ${verbs[verb] ?? verb} `, [thing(about(entry), me)]];
  if (each && entry.n > actors.length) parts.push(` ${entry.n}${entry.more ? "+" : ""} times`);
  return parts;
}

function who(actors, { n, more }, each) {
  const [first, second] = actors;
  const others = (each ? actors.length : n) - 1;
  if (others < 1) return [[first]];
  if (others === 1 && second) return [[first], " and ", [second]];
  return [[first], ` and ${others}${more || (each && actors.length === 5 && n > 5) ? "+" : ""} others`];
}

const units = [["day", 86_400], ["hour", 3600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const moment = new Intl.DateTimeFormat("en", { weekday: "short", hour: "numeric", minute: "2-digit" });

export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  for (const [unit, length] of units) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}

export const at = (time) => moment.format(new Date(time));

// naps are the choices of the snooze menu.
export function naps(now = new Date()) {
  const morning = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  return [
    ["For an hour", new Date(now.getTime() + 3_600_000)],
    ["Until tomorrow", morning(1)],
    ["Until Monday", morning(((8 - now.getDay()) % 7) || 7)],
  ];
}
