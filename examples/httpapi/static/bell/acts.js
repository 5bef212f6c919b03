import * as api from "./api.js";
import { button, byId, element } from "../shared/dom.js";
import { at } from "./words.js";

const day = 86_400_000; // milliseconds

// acts are what rings the bells of others. Me returns who acts.
export function acts(me, { done, failed }) {
  const person = () => byId("person").value.trim();
  const picture = () => `picture:${person()}:1`;
  const doing = async (call, text) => {
    try {
      await call();
      done(text());
    } catch (error) {
      failed(error.message);
    }
  };
  for (const [id, call, text] of [
    ["follow", () => api.follow(me(), person()), () => `You follow ${person()}.`],
    ["unfollow", () => api.unfollow(me(), person()), () => `You no longer follow ${person()}.`],
    ["like", () => api.like(me(), picture()), () => `You like ${person()}’s picture.`],
    ["unlike", () => api.unlike(me(), picture()), () => `You no longer like ${person()}’s picture.`],
  ]) byId(id).addEventListener("click", () => doing(call, text));

  byId("say").addEventListener("submit", (e) => {
    e.preventDefault();
    const text = byId("text").value;
    byId("text").value = "";
    doing(() => api.comment(me(), picture(), text), () => `You commented on ${person()}’s picture.`);
  });

  byId("announce").addEventListener("submit", (e) => {
    e.preventDefault();
    const [title, text] = [byId("title").value, byId("body").value];
    const until = new Date(Date.now() + day).toISOString();
    e.target.reset();
    doing(async () => { await api.announce({ title, text, until }); await announced(); }, () => "Announced.");
  });

  let turn = 0;
  async function announced() {
    const mine = ++turn;
    const { items } = await api.announced();
    if (mine !== turn) return; // it is read again
    byId("announced").replaceChildren(...items.map(({ id, title, from, withdrawn }) => element("li", {},
      element("span", {}, title),
      element("span", { class: "time" }, withdrawn ? "withdrawn" : `from ${at(from)}`),
      withdrawn ? undefined : button("Withdraw", () => doing(async () => { await api.withdraw(id); await announced(); }, () => "Withdrawn."), { class: "quiet" }))));
  }
  announced().catch((error) => failed(error.message));
}
