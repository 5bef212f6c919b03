import { byId, element } from "./dom.js";

const colors = {
  White: "#ffffff", Red: "#fe0302", Orange: "#ff7204", Yellow: "#ffd302",
  Lime: "#a0ee00", Green: "#00cd00", Blue: "#4dabff", Purple: "#c25bff", Pink: "#ff7db8", Black: "#222222",
};

const longest = 100; // code points, as the service counts; maxlength counts UTF-16

// sending reads the form and sends what was written at the playing time. Send throws
// if it is refused.
export function sending(video, medium, user, { send, failed }) {
  const form = byId("send"), text = byId("text");
  byId("colors").append(...Object.entries(colors).map(([name, color], i) => {
    const input = element("input", { type: "radio", name: "color", value: color, checked: i === 0, ariaLabel: name });
    input.style.setProperty("--color", color);
    return input;
  }));

  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const written = text.value;
    if (!written.trim()) return;
    const length = [...written].length;
    if (length > longest) {
      failed(`This has ${length} characters, at most ${longest} can fly.`);
      return;
    }
    const chosen = new FormData(form);
    text.value = "";
    failed("");
    try {
      await send({
        objectId: video.id,
        userId: user(),
        content: {
          text: written,
          color: chosen.get("color"),
          size: chosen.get("size"),
          position: Number(chosen.get("position")),
          time: Math.round(medium.currentTime * 1000) / 1000,
        },
      });
    } catch (error) {
      if (!text.value) text.value = written;
      failed(error.message);
    }
  });
}
