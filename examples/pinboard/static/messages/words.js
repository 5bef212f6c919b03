import { words } from "../words.js";

export const t = words({
  en: {
    title: "Messages", start: "New message", group: "New group", search: "Search conversations", none: "No messages yet. Say hello to somebody.", pick: "Choose a conversation, or begin one.",
    you: "You", youSaid: (text) => `You: ${text}`, said: (name, text) => `${name}: ${text}`, recalled: (name) => `${name} recalled a message`, youRecalled: "You recalled a message", unread: (n) => `${n} unread`,
    back: "All conversations", here: "here now", typing: (names) => `${names} is typing …`, write: "Write a message", send: "Send", save: "Save", cancel: "Cancel", replying: (name) => `Replying to ${name}`, editing: "Editing",
    reply: "Reply", edit: "Edit", recall: "Recall", more: "More about this message", edited: "edited", sending: "Sending …", again: "Send again", discard: "Discard", notSent: "Not sent.",
    sent: "Sent", seen: "Seen", seenBy: (names) => `Seen by ${names}`, fresh: "New", toEnd: "To the newest message", nothing: "No messages yet. Say hello!", inReply: "In reply to", earlier: "an earlier message",
    block: (name) => `Block ${name}`, unblock: (name) => `Unblock ${name}`, blockedMine: (name) => `You have blocked ${name}. Neither of you can write.`, blockedOther: "You cannot write to each other.",
    options: "More about this conversation", leave: "Leave the group", left: "You are not in this group any more.", members: (n) => `${n} people`,
    choose: "Who is in the group?", create: "Create group", conversations: "Conversations", conversation: "Conversation", profile: "Profile", recallSure: "Recall this message for everybody?",
  },
  zh: {
    title: "私信", start: "新消息", group: "新群聊", search: "搜索会话", none: "还没有消息，去和大家打个招呼吧。", pick: "选择一个会话，或开始新的会话。",
    you: "我", youSaid: (text) => `我：${text}`, said: (name, text) => `${name}：${text}`, recalled: (name) => `${name}撤回了一条消息`, youRecalled: "你撤回了一条消息", unread: (n) => `${n} 条未读`,
    back: "所有会话", here: "在线", typing: (names) => `${names}正在输入…`, write: "输入消息", send: "发送", save: "保存", cancel: "取消", replying: (name) => `回复${name}`, editing: "编辑",
    reply: "回复", edit: "编辑", recall: "撤回", more: "更多操作", edited: "已编辑", sending: "发送中…", again: "重新发送", discard: "丢弃", notSent: "未发送。",
    sent: "已发送", seen: "已读", seenBy: (names) => `${names}已读`, fresh: "新消息", toEnd: "跳到最新消息", nothing: "还没有消息，打个招呼吧！", inReply: "回复", earlier: "较早的消息",
    block: (name) => `屏蔽${name}`, unblock: (name) => `取消屏蔽${name}`, blockedMine: (name) => `你已屏蔽${name}，双方都无法发送消息。`, blockedOther: "你们无法互发消息。",
    options: "会话选项", leave: "退出群聊", left: "你已不在此群聊中。", members: (n) => `${n} 人`,
    choose: "选择群成员", create: "创建群聊", conversations: "会话列表", conversation: "会话", profile: "主页", recallSure: "为所有人撤回这条消息？",
  },
});

const language = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(language, { weekday: "long" });
const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "long" });
const short = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const list = new Intl.ListFormat(language, { type: "conjunction" });

export const names = (all) => list.format(all);
export const clockOf = (time) => clock.format(new Date(time));

const daysAgo = (time) => {
  const midnight = (when) => new Date(when.getFullYear(), when.getMonth(), when.getDate());
  return Math.round((midnight(new Date()) - midnight(new Date(time))) / 864e5);
};

// dayOf is the day of a time in words.
export function dayOf(time) {
  const days = daysAgo(time);
  if (days < 2) return relative.format(-days, "day");
  return (days < 7 ? weekday : date).format(new Date(time));
}

// whenOf is a time in few characters.
export const whenOf = (time) => (daysAgo(time) === 0 ? clockOf(time) : daysAgo(time) < 7 ? weekday.format(new Date(time)).slice(0, 3) : short.format(new Date(time)));
