import { readText, writeText } from "./storage.js";

// The page speaks English and Chinese. Each module has its own words in both:
//
//	const t = words({ en: { likes: (n) => `${n} likes` }, zh: { likes: (n) => `${n} 个赞` } });
//	t("likes", 3)
const key = "plaza.language"; // other pages of this origin may use it too

export const languages = { en: "English", zh: "中文" };

const stored = readText(key);
export const language = Object.hasOwn(languages, stored) ? stored : navigator.language.startsWith("zh") ? "zh" : "en";
const locale = language === "zh" ? "zh-CN" : "en";
document.documentElement.lang = locale;

// speak changes the language of the whole page.
export function speak(other) {
  writeText(key, other);
  location.reload();
}

export function words(dictionary) {
  const mine = dictionary[language];
  return (name, ...values) => (typeof mine[name] === "function" ? mine[name](...values) : mine[name]);
}

const places = { word: "textContent", label: "ariaLabel", title: "title", placeholder: "placeholder" };

// fill writes words into the elements that name them: by data-word as their text, by
// data-label, data-title and data-placeholder.
export function fill(t) {
  for (const [data, property] of Object.entries(places)) {
    for (const e of document.querySelectorAll(`[data-${data}]`)) e[property] = t(e.dataset[data]);
  }
}

const numbers = new Intl.NumberFormat(locale);
export const count = (n) => numbers.format(n);

const shorts = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
export const short = (n) => shorts.format(n);

const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
export const exact = (date) => moments.format(date);

export const percent = (part) => `${Math.round(100 * part)}${language === "zh" ? "" : " "}%`;
