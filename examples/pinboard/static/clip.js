// What Pinboard adds to the page of a clip, which is that of examples/danmu/videos: the
// drawer, and in each request whose click it is.
import { me, signed, traffic } from "./api.js";
import { h, sheet } from "./dom.js";
import { drawer } from "./drawer.js";
import { requests } from "/watch/api.js";

// The page's own module, which runs after this one, takes its user from the address. A link
// may name another than the person of this window.
const address = new URL(location.href);
address.searchParams.set("user", me());
history.replaceState(null, "", address);
requests.headers = (method) => signed(method !== "GET");
requests.ended = () => traffic.dispatchEvent(new Event("spent"));

// In a tree of its own neither page's sheets reach the other's elements.
const host = h("div", { id: "drawer" }), place = h("div", { id: "drawer" });
const tree = host.attachShadow({ mode: "open" });
document.body.append(host);
await Promise.all([sheet("/clip.css"), sheet("/style.css", tree)]);
tree.append(place);
drawer(place, tree);
