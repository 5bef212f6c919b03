import { token } from "./api.js";
import { byId } from "./dom.js";

const key = "plaza.danmu.user";
const input = byId("me");

input.value = localStorage.getItem(key) ?? `guest-${token().slice(0, 5)}`;
localStorage.setItem(key, input.value);
input.addEventListener("change", () => {
  input.value = input.value.trim() || localStorage.getItem(key);
  localStorage.setItem(key, input.value);
});

// user is the chosen name. Nobody checks it: a real service has sessions.
export const user = () => input.value;
