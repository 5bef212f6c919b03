import { Flight } from "./flight.js";
import { leftOf, modes } from "./lanes.js";
import { sprite } from "./sprite.js";

// Standing comments have both ends on the stage.
const standing = ({ content: { position } }) => position === modes.top || position === modes.bottom;

// Stage draws a flight over the picture, frame by frame.
export class Stage {
  opacity = 1;
  visible = true;
  font = 1; // times the usual size
  area = 1; // of the height

  constructor(canvas, timeline, ticker, { me, onFrame }) {
    Object.assign(this, { canvas, ticker, me, onFrame });
    this.pen = canvas.getContext("2d");
    this.flight = new Flight(timeline, (comment) => sprite(comment, {
      scale: this.scale, ratio: this.ratio, mine: comment.userId === this.me(),
      fit: standing(comment) ? this.width : undefined,
    }));
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
    const frame = () => {
      this.#draw(); // a hidden page has no frames, so the first one after it is a jump
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // boxes are the comments on the stage, with their places.
  boxes() {
    return this.flight.aloft.map((c) => ({
      id: c.comment.id, text: c.comment.content.text, mode: c.mode,
      left: leftOf(c, this.at, this.width), top: c.top, width: c.width, height: c.height,
    }));
  }

  // look changes how comments are shown.
  look({ opacity, visible, font, area, crossing }) {
    const refit = font !== this.font || area !== this.area;
    Object.assign(this, { opacity, visible, font, area });
    this.flight.crossing = crossing;
    if (!refit) return;
    this.#fit();
    this.flight.refresh();
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.width = clientWidth;
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.scale = Math.min(Math.max(clientHeight / 540, 0.62), 1.6) * this.font; // small players stay readable
    this.canvas.width = clientWidth * this.ratio;
    this.canvas.height = clientHeight * this.ratio;
    this.flight.resize(clientWidth, clientHeight * this.area);
  }

  #draw() {
    this.at = this.ticker.now();
    this.flight.step(this.at);
    const { pen, ratio, canvas } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (this.visible) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.globalAlpha = this.opacity;
      for (const c of this.flight.aloft) {
        pen.drawImage(c.image, leftOf(c, this.at, this.width), c.top, c.width, c.height);
      }
    }
    this.onFrame(this.at);
  }
}
