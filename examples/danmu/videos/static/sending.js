import { byId, put } from "./dom.js";
import { look } from "./look.js";

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
    if (left < 0) put("left", `${-left} too many`);
    else if (left > near) put("left", "");
    else if (left === near || left === 0) put("left", `${left} characters left`);
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
      failed(`This has ${length()} characters, at most ${longest} can fly.`);
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
