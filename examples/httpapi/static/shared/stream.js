const again = 5000; // milliseconds until a page that was refused asks again

// listen calls on[name] with the data of each event of a stream, until it is closed.
// Unless it was refused, the browser reconnects by itself and says where it was.
export function listen(path, on) {
  let source, timer;
  const open = () => {
    source = new EventSource(path);
    for (const [name, call] of Object.entries(on)) source.addEventListener(name, (e) => call(e.data && JSON.parse(e.data)));
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
