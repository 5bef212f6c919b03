const again = 5000; // milliseconds after which a page that was refused asks again

// follow listens to what happens in a video's room until it is closed. The
// browser reconnects by itself, but where it was refused, and says where it
// was; reread is called where the room cannot go on from there, and at first:
// after joining, so that nothing falls between.
export function follow(id, { reread, sent, removed, present }) {
  let source, timer;
  const open = () => {
    source = new EventSource(`/videos/${encodeURIComponent(id)}/live`);
    const on = (name, do_) => source.addEventListener(name, (e) => do_(JSON.parse(e.data)));
    on("joined", reread);
    on("reset", reread);
    on("present", present);
    on("batch", (events) => {
      for (const e of events) {
        if (e.sent) sent(e.sent);
        else removed(e.removed);
      }
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, again);
    });
  };
  open();
  return {
    close() {
      clearTimeout(timer);
      source.close();
    },
  };
}
