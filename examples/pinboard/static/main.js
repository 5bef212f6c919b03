import { drawer } from "./drawer.js";
import { makeButton } from "./make.js";
import { watchService } from "./offline.js";
import { startLive } from "./live.js";
import { loadPeople } from "./people.js";
import { start } from "./router.js";
import { header } from "./top.js";
import { words } from "./words.js";

const t = words({
  en: { skip: "Skip to the content" },
  zh: { skip: "跳到内容" },
});

document.querySelector(".skip").textContent = t("skip");
watchService(document.getElementById("offline"));

await loadPeople();
header(document.getElementById("top"));
makeButton(document.getElementById("tools"));
drawer(document.getElementById("drawer"));
startLive();
start();
