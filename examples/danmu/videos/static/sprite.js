const usual = 25; // pixels, on a player 540 high
const least = 12; // pixels, the smallest size of a text that must fit
const lines = 12; // of a comment, at most
const side = 8192; // pixels, the largest canvas of browsers
const family = `Emoji, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", system-ui, sans-serif`;

const signs = new Intl.Segmenter(); // an emoji of several code points is one

// sprite measures a comment, with its outline, to be moved over the stage. Width and
// height are in CSS pixels; imageOf draws it. A text wider than fit becomes smaller and breaks into
// lines. It is only drawn, never markup.
export function sprite(comment, { scale, ratio, mine, fit = Infinity }) {
  const { text, color = "#ffffff", size } = comment.content;
  const written = `${text}${comment.repeats ? ` ×${comment.repeats + 1}` : ""}`.split(/\r\n|\r|\n/, lines);
  const pixels = Math.round((Math.min(parseFloat(size), 64) || usual) * scale);

  let s = shape(written, pixels, mine);
  if (s.width > fit) {
    const smaller = Math.floor((pixels * (fit - 2 * s.pad)) / (s.width - 2 * s.pad));
    s = shape(written, Math.min(pixels, Math.max(smaller, least)), mine);
  }
  if (s.width > fit) s = shape(written.flatMap((line) => wrap(line, fit - 2 * s.pad, s.font)).slice(0, lines), s.pixels, mine);
  return { draw: () => draw(s, color, Math.min(ratio, side / s.width, side / s.height), mine), width: s.width, height: s.height };
}

// imageOf draws a sprite when it is first wanted: most of a crowd find no lane.
export const imageOf = (c) => c.image ??= c.draw();

function shape(texts, pixels, mine) {
  const font = `600 ${pixels}px ${family}`;
  const edge = Math.max(1.5, pixels / 11);
  const pad = Math.ceil(edge * 2 + (mine ? 4 : 0));
  const high = Math.ceil(pixels * 1.3);
  const width = Math.ceil(Math.max(...texts.map((line) => widthOf(line, font)))) + 2 * pad;
  return { texts, pixels, font, edge, pad, high, width, height: high * texts.length };
}

function wrap(text, width, font) {
  const rows = [""];
  for (const { segment } of signs.segment(text)) {
    const longer = rows.at(-1) + segment;
    if (widthOf(longer, font) <= width) rows[rows.length - 1] = longer;
    else rows.push(segment);
  }
  return rows.filter(Boolean);
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

function draw({ texts, font, edge, pad, high, width, height }, color, ratio, mine) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * ratio);
  canvas.height = Math.floor(height * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(canvas.width / width, canvas.height / height);
  pen.font = font;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = edge * 2;
  pen.fillStyle = color;
  pen.strokeStyle = dark(pen.fillStyle) ? "rgba(255,255,255,.85)" : "rgba(0,0,0,.85)";
  texts.forEach((line, i) => {
    const y = high * (i + 0.5) + edge / 2;
    pen.strokeText(line, pad, y);
    pen.fillText(line, pad, y);
  });
  if (mine) {
    pen.lineWidth = 1.5;
    pen.strokeStyle = pen.fillStyle;
    pen.strokeRect(1, 1, width - 2, height - 2);
  }
  return canvas;
}

// dark reports whether a colour is dark, in the spelling of a canvas: #rrggbb.
function dark(color) {
  const rgb = parseInt(color.slice(1), 16);
  return 0.3 * (rgb >> 16) + 0.59 * ((rgb >> 8) & 255) + 0.11 * (rgb & 255) < 70;
}
