// The calls of conversations.

import { call, part, put, remove, repeated, to } from "../shared/call.js";

const within = (user, conversation) => `${to(user)}/conversations/${part(conversation)}`;
const page = ({ limit = 30, cursor = "" } = {}) => new URLSearchParams({ limit, cursor });

export const liveOf = (user, conversation) => `${to(user)}/inbox/live${conversation ? `?${new URLSearchParams({ conversation })}` : ""}`;
export const inbox = (user, at) => call("GET", `${to(user)}/inbox?${page(at)}`);
export const unread = (user) => call("GET", `${to(user)}/inbox/unread`);

export const pair = (user, other) => call("GET", `${to(user)}/pairs/${part(other)}`);
export const block = (user, other) => put(`${to(user)}/blocked/${part(other)}`);
export const unblock = (user, other) => remove(`${to(user)}/blocked/${part(other)}`);

export const create = (user, group, members) => put(`${to(user)}/groups/${part(group)}`, { members });
export const members = (user, conversation) => call("GET", `${within(user, conversation)}/members`);
export const add = (user, conversation, other) => put(`${within(user, conversation)}/members/${part(other)}`);
export const leave = (user, conversation) => remove(`${within(user, conversation)}/members`);

export const history = (user, conversation, at) => call("GET", `${within(user, conversation)}/messages?${page(at)}`);
export const clear = (user, conversation) => remove(`${within(user, conversation)}/messages`);
export const send = (user, conversation, message) => repeated(() => call("POST", `${within(user, conversation)}/messages`, message));
export const edit = (user, conversation, seq, text) => put(`${within(user, conversation)}/messages/${seq}`, { text });
export const recall = (user, conversation, seq) => remove(`${within(user, conversation)}/messages/${seq}`);

export const receipts = (user, conversation) => call("GET", `${within(user, conversation)}/read`);
export const read = (user, conversation, upTo) => put(`${within(user, conversation)}/read`, { upTo });
export const typing = (user, conversation) => call("PUT", `${within(user, conversation)}/typing`);
