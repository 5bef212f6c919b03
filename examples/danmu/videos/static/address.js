import { byId, element } from "./dom.js";

// What the page's address asks for.
const query = new URLSearchParams(location.search);

// The id of the video to play, and the name of the viewer.
export const videoAsked = query.get("video");
export const userAsked = query.get("user")?.trim();

// backAsked is the page to link back to, which is one of this origin.
const backAsked = own(query.get("back"));

// own returns the address of a path of this origin, or null for any other text.
export function own(path) {
  if (!/^\/(?!\/)/.test(path ?? "")) return null;
  try {
    const url = new URL(path, location.origin);
    return url.origin === location.origin ? url.href : null; // "/\" begins another host, as "//" does
  } catch {
    return null;
  }
}

// showWays shows the links to other videos and back.
export function showWays(videos, id) {
  byId("videos").hidden = videos.length < 2;
  byId("videos").replaceChildren(...videos.map((video) => {
    const other = new URLSearchParams(query);
    other.set("video", video.id);
    return element("a", { href: `?${other}`, ariaCurrent: video.id === id ? "page" : null }, video.title || video.id);
  }));
  byId("back").hidden = !backAsked;
  if (backAsked) byId("back").href = backAsked;
}
