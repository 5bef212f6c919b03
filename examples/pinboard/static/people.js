import { h } from "./dom.js";

const all = new Map();

// loadPeople must have ended before the others are called.
export async function loadPeople() {
  for (const p of await (await fetch("/api/people")).json()) all.set(p.id, p);
}

export const people = () => [...all.values()];
export const person = (id) => all.get(id) ?? { id, name: id, bio: "", place: "" };

export const avatar = (id, size = 40) => h("img", { class: "avatar", src: `/avatars/${encodeURIComponent(id)}.svg`, width: size, height: size, alt: "" });

export const personLink = (id, size = 32) => h("a", { class: "person", href: `/people/${encodeURIComponent(id)}` }, avatar(id, size), person(id).name);
