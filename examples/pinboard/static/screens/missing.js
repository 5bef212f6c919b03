import { missing } from "../parts.js";
import { words } from "../words.js";

const t = words({ en: { none: "There is nothing at this address." }, zh: { none: "此地址没有内容。" } });

export function show(main) {
  main.append(missing(t("none")));
}
