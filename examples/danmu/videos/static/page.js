import { fill, language, languages, speak, words } from "./words.js";

// The words of index.html.
const t = words({
  en: {
    page: "Danmu · Plaza", back: "← Back", danmu: "Danmu", onPlaza: "on Plaza", videos: "Videos", you: "You are", name: "Your name",
    player: "Player", stage: "Comments flying over the video", choose: "Choose a flying danmu",
    copy: "Copy", recall: "Recall", hide: "Hide sender", report: "Report", sure: "Report this danmu?", keep: "Keep it",
    there: "Go there", seek: "Playing time", play: "Play", mute: "Mute", volume: "Volume", why: "Show more", visible: "Show or hide the danmu (d)",
    rate: "Speed", rateKeys: "Speed (< and >)", help: "Keyboard shortcuts", helpKey: "Keyboard shortcuts (?)", pip: "Picture in picture", pipAlone: "Picture in picture, without danmu",
    theatre: "Theatre mode", theatreKey: "Theatre mode (t)", full: "Full screen", fullKey: "Full screen (f)",
    look: "Colour, size and position", write: "Say something that flies …", text: "Your danmu", send: "Send",
    color: "Colour", own: "Another colour", free: "Choose another colour", size: "Size", small: "Small", usual: "Usual", large: "Large",
    position: "Position", scroll: "Scroll", reverse: "Reverse", top: "Top", bottom: "Bottom", waiting: "Waiting to be sent",
    using: "Use these shortcuts", close: "Close",
    side: "Beside the video", all: "All", mine: "Mine", display: "Display",
    findHint: "Find a danmu …", find: "Find a danmu", grid: "All danmu of the video", time: "Time", likes: "Likes", mostLiked: "The most liked first", sent: "Sent", newest: "The newest first", greyed: "Show them, greyed",
    none: "What you send is listed here.", more: "More",
    busy: "Not all danmu fit at busy moments. Smaller text, a faster flight or a larger area shows more; merged repeats leave room for others.",
    density: "Density", everything: "Everything", ten: "At most 10 a second", three: "At most 3 a second", half: "Half of them", eighth: "An eighth of them", merge: "Merge repeats",
    area: "Area", quarterArea: "Upper quarter", halfArea: "Upper half", fullArea: "Whole picture", font: "Text size", speed: "Speed", opacity: "Opacity",
    blocked: "Blocked", modes: "Block danmu that", colored: "Coloured", kind: "What to block", word: "Word", pattern: "Expression", user: "Sender", block: "Block",
    words: "Blocked words, expressions and senders", import: "Import", export: "Export",
  },
  zh: {
    page: "弹幕 · Plaza", back: "← 返回", danmu: "弹幕", onPlaza: "由 Plaza 提供", videos: "视频", you: "我是", name: "你的昵称",
    player: "播放器", stage: "飞过画面的弹幕", choose: "选择一条正在飞过的弹幕",
    copy: "复制", recall: "撤回", hide: "屏蔽用户", report: "举报", sure: "确定举报这条弹幕？", keep: "取消",
    there: "跳到这里", seek: "播放进度", play: "播放", mute: "静音", volume: "音量", why: "显示更多", visible: "开启或关闭弹幕（d）",
    rate: "倍速", rateKeys: "倍速（< 和 >）", help: "快捷键", helpKey: "快捷键（?）", pip: "画中画", pipAlone: "画中画（不含弹幕）",
    theatre: "宽屏模式", theatreKey: "宽屏模式（t）", full: "全屏", fullKey: "全屏（f）",
    look: "弹幕颜色、字号和模式", write: "发个友善的弹幕见证当下", text: "你的弹幕", send: "发送",
    color: "颜色", own: "其他颜色", free: "选择其他颜色", size: "字号", small: "小", usual: "标准", large: "大",
    position: "模式", scroll: "滚动", reverse: "逆向", top: "顶部", bottom: "底部", waiting: "等待发送",
    using: "启用快捷键", close: "关闭",
    side: "弹幕面板", all: "弹幕列表", mine: "我的弹幕", display: "弹幕设置",
    findHint: "搜索弹幕…", find: "搜索弹幕", grid: "视频的全部弹幕", time: "时间", likes: "点赞", mostLiked: "按点赞数排序", sent: "发送时间", newest: "按发送时间排序", greyed: "以灰色显示",
    none: "你发送的弹幕会列在这里。", more: "加载更多",
    busy: "弹幕太多时无法全部显示。缩小字号、加快弹幕速度或扩大显示区域可以显示更多；合并重复弹幕也能腾出位置。",
    density: "弹幕密度", everything: "全部", ten: "每秒最多 10 条", three: "每秒最多 3 条", half: "二分之一", eighth: "八分之一", merge: "合并重复弹幕",
    area: "显示区域", quarterArea: "1/4 屏", halfArea: "半屏", fullArea: "满屏", font: "字号", speed: "弹幕速度", opacity: "不透明度",
    blocked: "屏蔽", modes: "按类型屏蔽", colored: "彩色", kind: "屏蔽类别", word: "关键词", pattern: "正则", user: "用户", block: "屏蔽",
    words: "屏蔽的关键词、正则表达式和用户", import: "导入", export: "导出",
  },
});

// showWords fills the page, and the button of the other language.
export function showWords() {
  document.title = t("page");
  fill(t);
  document.getElementById("mine").dataset.none = t("none");
  const [code, name] = Object.entries(languages).find(([other]) => other !== language);
  Object.assign(document.getElementById("language"), { lang: code, textContent: code === "zh" ? "中" : "EN", title: name, ariaLabel: name, onclick: () => speak(code) });
}
