import { words } from "./words.js";

const t = words({
  en: { refused: ({ field, reason }) => [field, reason].filter(Boolean).join(" ") },
  zh: { refused: ({ reason, status }) => reasons[reason] ?? `请求被拒绝（${status}）` },
});

// reasons are the service's refusals in its own words. Those that the page never causes are left out.
const reasons = {
  "The service cannot be reached.": "无法连接服务。",
  "Something failed there.": "服务出错了。",
  "something failed here": "服务出错了。",
  "it was sent too long ago to be recalled": "发送时间太久，不能撤回了。",
  "too many at once": "操作太频繁，请稍后再试。",
  "too many requests": "操作太频繁，请稍后再试。",
  "too much at once: repeat it later": "服务繁忙，请稍后再试。",
  "something is missing here: repeat it later": "服务暂时不可用，请稍后再试。",
  "it may have been done: repeat it with the same key": "结果未知，请重试。",
  "it took too long": "服务响应超时。",
  "this is not yours": "这不是你的弹幕。",
  "there is none": "弹幕不存在。",
  "it was removed": "弹幕已被删除。",
  "you cannot report your own": "不能举报自己的弹幕。",
  "is not known here": "这里没有这个用户。",
  "is empty": "内容不能为空。",
  "has more than 100 characters": "最多 100 个字。",
  "is after the end": "时间超出了视频长度。",
};

// reasonOf says why the service refused, for people.
export const reasonOf = (problem, status) => t("refused", { ...problem, status });
