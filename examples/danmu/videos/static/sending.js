import { byId, put } from "./dom.js";
import { look } from "./look.js";
import { words } from "./words.js";

const t = words({
  en: { over: (n) => `${n} too many`, left: (n) => `${n} characters left`, long: (n, most) => `This has ${n} characters, at most ${most} can fly.` },
  zh: { over: (n) => `超出 ${n} 个字`, left: (n) => `还可输入 ${n} 个字`, long: (n, most) => `共 ${n} 个字，最多 ${most} 个字。` },
});

const longest = 100; // code points, as the service counts; maxlength counts UTF-16
const near = 20; // that are left when the viewer is warned

// sending reads the form and sends what was written at the playing time. Send throws
// if it is refused.
export function sending(video, medium, user, { send, failed }) {
  const form = byId("send"), text = byId("text");
  const chosen = look();
  const length = () => [...text.value].length;

  const count = () => {
    const left = longest - length();
    put("letters", left === longest ? "" : `${length()}/${longest}`);
    byId("letters").classList.toggle("near", left <= near && left >= 0);
    byId("letters").classList.toggle("over", left < 0);
    text.ariaInvalid = left < 0;
    if (left < 0) put("left", t("over", -left));
    else if (left > near) put("left", "");
    else if (left === near || left === 0) put("left", t("left", left));
  };
  text.addEventListener("input", count);

  const write = (value) => {
    text.value = value;
    count();
  };

  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const written = text.value;
    if (!written.trim()) return;
    if (length() > longest) {
      failed(t("long", length(), longest));
      return;
    }
    write("");
    failed("");
    try {
      await send({
        objectId: video.id,
        userId: user(),
        content: { text: written, ...chosen(), time: Math.round(medium.currentTime * 1000) / 1000 },
      });
    } catch (error) {
      if (!text.value) write(written);
      failed(error.message);
    }
  });
}
