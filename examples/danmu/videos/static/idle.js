const patience = 3000; // milliseconds

// idle hides the controls of a player that fills the screen while the viewer only
// watches. The pointer, a touch or a key brings them back.
export function idle(player, medium) {
  let timer, place = "";
  const busy = () => medium.paused || player.querySelector("#text:focus, #look:not([hidden]), dialog[open]");

  const rest = () => {
    if (busy()) wake();
    else player.classList.add("idle");
  };
  function wake() {
    player.classList.remove("idle");
    clearTimeout(timer);
    timer = setTimeout(rest, patience);
  }

  player.addEventListener("pointermove", (e) => {
    const now = `${e.screenX},${e.screenY}`; // browsers report moves of the page under the pointer too
    if (now !== place) wake();
    place = now;
  });
  player.addEventListener("pointerdown", (e) => { if (e.target.id !== "stage") wake(); });
  player.addEventListener("focusin", wake);
  addEventListener("keydown", wake);
  document.addEventListener("fullscreenchange", wake);
  medium.addEventListener("pause", wake);
  wake();

  return {
    // toggle is what a tap on the picture does.
    toggle() {
      if (player.classList.contains("idle")) wake();
      else rest();
    },
  };
}
