import { liveOf } from "./api.js";

const again = 5000; // milliseconds until a page that was refused asks again

// watch listens to a user's bell until it is closed. A ring only says that something
// has changed. Unless it was refused, the browser reconnects by itself and says where
// it was. Reread is called after joining, so that nothing is missed.
export function watch(user, reread) {
  let source, timer;
  const open = () => {
    source = new EventSource(liveOf(user));
    for (const name of ["joined", "ring", "reset"]) source.addEventListener(name, reread);
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
