// The calls of the bell.

import { call, part, put, remove, repeated, to } from "../shared/call.js";

// post has an id of its own, so that it can be repeated.
async function post(path, body) {
  const { id } = await call("POST", "/ids");
  return repeated(() => call("POST", path, { ...body, id }));
}

const group = (user, name) => `${to(user)}/notifications/groups/${part(name)}`;

export const liveOf = (user) => `${to(user)}/bell/live`;
export const unseen = (user) => call("GET", `${to(user)}/bell`);

export function list(user, view, { limit = 20, cursor = "" } = {}) {
  const of = view === "inbox" ? "" : `/${view}`;
  return call("GET", `${to(user)}/notifications${of}?${new URLSearchParams({ limit, cursor })}`);
}

export const markSeen = (user, view) => put(`${to(user)}/notifications/seen`, view);
export const markAllRead = (user, view) => put(`${to(user)}/notifications/allread`, view);
export const markRead = (user, { group, last }) => put(`${to(user)}/notifications/read`, { shown: [{ group, last }] });
export const markUnread = (user, { group: name }) => remove(`${group(user, name)}/read`);
export const archive = (user, { group: name }) => put(`${group(user, name)}/archived`);
export const unarchive = (user, { group: name }) => remove(`${group(user, name)}/archived`);
export const snooze = (user, { group: name }, until) => put(`${group(user, name)}/snoozed`, { until: until.toISOString() });
export const unsnooze = (user, { group: name }) => remove(`${group(user, name)}/snoozed`);
export const dismiss = (user, { announcement }) => remove(`${to(user)}/notifications/announcements/${announcement.id}`);

export const settings = (user) => call("GET", `${to(user)}/settings`);
export const set = (user, choice) => put(`${to(user)}/settings`, choice);
export const blocked = (user) => call("GET", `${to(user)}/blocked`);
export const block = (user, other) => put(`${to(user)}/blocked/${part(other)}`);
export const unblock = (user, other) => remove(`${to(user)}/blocked/${part(other)}`);
export const muted = (user) => call("GET", `${to(user)}/muted`);
export const mute = (user, object) => put(`${to(user)}/muted/${part(object)}`);
export const unmute = (user, object) => remove(`${to(user)}/muted/${part(object)}`);

export const follow = (user, other) => put(`${to(user)}/following/${part(other)}`);
export const unfollow = (user, other) => remove(`${to(user)}/following/${part(other)}`);
export const like = (user, object) => put(`/objects/${part(object)}/reactions/like/${part(user)}`);
export const unlike = (user, object) => remove(`/objects/${part(object)}/reactions/like/${part(user)}`);
export const comment = (user, object, text) => post(`/objects/${part(object)}/comments`, { user, text });

export const announce = (announcement) => post("/announcements", announcement);
export const announced = () => call("GET", "/announcements?limit=5");
export const withdraw = (id) => remove(`/announcements/${id}`);
