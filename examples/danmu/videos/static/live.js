const again = 5000; // milliseconds until a page that was refused asks again

// follow listens to a video's room until it is closed. Unless it was refused, the
// browser reconnects by itself and says where it was. Reread is called at first,
// after joining so that nothing is missed, and when the room cannot go on from
// there; state with open, lost and refused. A service that cannot keep streams open sends
// pause before it ends one, and the browser asks again later.
export function follow(id, { reread, sent, removed, liked, present, state = () => {} }) {
  let source, timer;
  const open = () => {
    source = new EventSource(`videos/${encodeURIComponent(id)}/live`);
    const on = (name, do_) => source.addEventListener(name, (e) => do_(JSON.parse(e.data)));
    on("joined", reread);
    on("reset", reread);
    on("present", present);
    on("batch", (events) => {
      for (const e of events) {
        if (e.sent) sent(e.sent);
        else if (e.liked) liked(e.liked);
        else removed(e.removed);
      }
    });
    let paused = false; // the service ended the stream as planned
    source.addEventListener("pause", () => { paused = true; });
    source.addEventListener("open", () => state("open"));
    source.addEventListener("error", () => {
      if (paused) {
        paused = false;
        return;
      }
      const refused = source.readyState === EventSource.CLOSED;
      state(refused ? "refused" : "lost");
      if (refused) timer = setTimeout(open, again);
    });
  };
  const retry = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    open();
  };
  addEventListener("online", retry);
  open();
  return {
    close() {
      removeEventListener("online", retry);
      clearTimeout(timer);
      source.close();
    },
  };
}
