const double = 300; // milliseconds between two clicks that are one gesture
const near = 40; // pixels between them
const far = 10; // seconds that a double tap at a side jumps

// gestures are the clicks and taps on the picture. A click plays or pauses; a second one
// takes that back and fills the screen. On a full screen, where a tap shows the controls,
// two taps at a side jump.
export function gestures(stage, { toggle, full, isFull, skip, controls }) {
  let last = { timeStamp: -Infinity }, type = "";
  stage.addEventListener("pointerdown", (e) => { type = e.pointerType; });
  stage.addEventListener("click", (e) => {
    if (e.defaultPrevented) return; // it was for a danmu
    const twice = e.timeStamp - last.timeStamp < double && Math.hypot(e.clientX - last.clientX, e.clientY - last.clientY) < near;
    last = twice ? { timeStamp: -Infinity } : e;
    if (type === "touch" && isFull()) controls();
    else toggle();
    if (!twice) return;
    const part = e.offsetX / stage.clientWidth;
    if (type !== "touch" || (part > 0.3 && part < 0.7)) full();
    else skip(part < 0.5 ? -far : far);
  });
}
