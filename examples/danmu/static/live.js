// follow listens to what happens in a video's room. The browser reconnects by
// itself and says where it was; reread is called where the room cannot go on
// from there, and at first: after joining, so that nothing falls between.
export function follow(id, { reread, sent, removed, present }) {
  const source = new EventSource(`/videos/${encodeURIComponent(id)}/live`);
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
  return source;
}
