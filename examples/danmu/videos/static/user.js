import { token } from "./api.js";
import { userAsked } from "./address.js";
import { byId } from "./dom.js";
import { readText, writeText } from "./storage.js";

const key = "plaza.danmu.user";
const input = byId("me");

let name = userAsked || readText(key) || `guest-${token().slice(0, 5)}`;
input.value = name;
input.readOnly = Boolean(userAsked);
if (!userAsked) writeText(key, name);
input.addEventListener("change", () => {
  name = input.value.trim() || name;
  input.value = name;
  writeText(key, name);
});

// user is the chosen name, or the one that the page's address asks for. Nobody checks it: a real service has sessions.
export const user = () => input.value;
