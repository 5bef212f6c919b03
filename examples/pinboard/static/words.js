// The page speaks English and Chinese. Each module has its own words in both:
//
//	const t = words({ en: { pins: (n) => `${n} pins` }, zh: { pins: (n) => `${n} 个图钉` } });
//	t("pins", 3)
//
// The pages of clips know the choice too.
export const languages = { en: "English", zh: "中文" };
export const language = localStorage.getItem("plaza.language") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
document.documentElement.lang = language === "zh" ? "zh-CN" : "en";

// speak changes the language of the whole page.
export function speak(other) {
  localStorage.setItem("plaza.language", other);
  location.reload();
}

export function words(dictionary) {
  return (key, ...values) => {
    const word = dictionary[language]?.[key] ?? dictionary.en[key];
    return typeof word === "function" ? word(...values) : word;
  };
}

const t = words({ en: { now: "just now" }, zh: { now: "刚刚" } });
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
const steps = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

// ago is the age of a time. time shows it, with the exact time as its title.
export function ago(when) {
  const seconds = (new Date(when) - Date.now()) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return t("now");
}

export function exact(when) {
  return new Date(when).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

export const number = (n) => new Intl.NumberFormat(document.documentElement.lang, { notation: n >= 10000 ? "compact" : "standard" }).format(n);
