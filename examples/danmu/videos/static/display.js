import { blocking } from "./blocking.js";
import { byId, put } from "./dom.js";
import { crossings } from "./lanes.js";
import { areas, load, onOther, save } from "./settings.js";
import { percent, words } from "./words.js";

const t = words({
  en: {
    speeds: ["Very slow", "Slow", "Usual", "Fast", "Very fast"], unkept: "Your browser does not keep these settings: they last only while this page is open.",
    off: "Danmu are off", busy: (n, all) => `Busy moment: showing ${n} of ${all}`, flying: (n) => `${n} flying`,
  },
  zh: {
    speeds: ["极慢", "较慢", "适中", "较快", "极快"], unkept: "浏览器无法保存这些设置，关闭页面后失效。",
    off: "弹幕已关闭", busy: (n, all) => `显示 ${n} / ${all} 条`, flying: (n) => `${n} 条弹幕`,
  },
});

const speeds = t("speeds");

// display calls changed now and whenever the viewer changes what to see, and decided
// when blocks have tested comments that they did not know.
export function display(changed, decided = () => {}) {
  let { settings, blocks: rules } = load();
  const visible = byId("visible");
  const inputs = Object.fromEntries(Object.keys(settings).map((name) => [name, byId(name)]));

  const tell = () => {
    const [sample, cap] = settings.density.split(",").map(Number);
    put("font-value", percent(settings.font));
    put("speed-value", speeds[settings.speed - 1]);
    put("opacity-value", percent(settings.opacity));
    inputs.speed.setAttribute("aria-valuetext", speeds[settings.speed - 1]);
    inputs.font.setAttribute("aria-valuetext", percent(settings.font));
    inputs.opacity.setAttribute("aria-valuetext", percent(settings.opacity));
    changed({
      ...settings, sample, cap, blocks,
      crossing: crossings[settings.speed - 1], area: areas[settings.area], visible: visible.checked,
    });
  };
  const keep = () => {
    put("unkept", save(settings, blocks.stored()) ? "" : t("unkept"));
    tell();
  };
  const fill = () => {
    for (const [name, input] of Object.entries(inputs)) {
      if (input.type === "checkbox") input.checked = settings[name];
      else input.value = settings[name];
    }
  };

  const { blocks, hide, load: loadBlocks } = blocking({ rules, changed: keep, decided });
  for (const [name, input] of Object.entries(inputs)) {
    input.addEventListener("input", () => {
      settings = { ...settings, [name]: { checkbox: input.checked, range: input.valueAsNumber }[input.type] ?? input.value };
      keep();
    });
  }
  visible.addEventListener("input", tell);
  byId("why").addEventListener("click", () => {
    byId("tab-display").click();
    byId("busy").hidden = false;
    byId("busy").scrollIntoView({ block: "center" });
    byId("density").focus({ preventScroll: true });
  });
  onOther(() => {
    ({ settings, blocks: rules } = load());
    fill();
    loadBlocks(rules);
    tell();
  });
  fill();
  tell();
  return { hideSender: (user) => hide("users", user), blocks };
}

// showCount says how many danmu fly, and whether there was room for all.
export function showCount({ aloft, missing }, visible) {
  const busy = visible && missing > 0;
  put("count", !visible ? t("off") : busy ? t("busy", aloft.length, aloft.length + missing) : t("flying", aloft.length));
  byId("why").hidden = !busy;
  if (busy) byId("busy").hidden = false;
}
