// What the page says.

const clock = new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" });
const short = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

const daysAgo = (time) => Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 86_400_000);

export const clockOf = (time) => clock.format(new Date(time));

export function dayOf(time) {
  const ago = daysAgo(time);
  return ago === 0 ? "Today" : ago === 1 ? "Yesterday" : day.format(new Date(time));
}

// when is the time of a conversation in the inbox.
export function when(time) {
  const ago = daysAgo(time);
  return ago <= 0 ? clockOf(time) : ago === 1 ? "Yesterday" : short.format(new Date(time));
}

// said is a message on one line.
export function said(message) {
  if (message.recalled) return "recalled a message";
  return message.text || "sent something that this page cannot show";
}

// preview is the last line of a conversation, for me.
export function preview({ last, other }, me) {
  if (!last) return "No messages";
  if (last.recalled) return `${last.sender === me ? "You" : last.sender} recalled a message`;
  if (last.sender === me) return `You: ${said(last)}`;
  return other ? said(last) : `${last.sender}: ${said(last)}`;
}

// listed joins names: ann, bob and cleo.
export const listed = (names) => new Intl.ListFormat("en").format(names);

export const writing = (names) => names.length === 0 ? "" : names.length > 2 ? "Several people are typing …" : `${listed(names)} ${names.length === 1 ? "is" : "are"} typing …`;
