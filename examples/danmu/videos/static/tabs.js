// tabs shows one panel of a tablist at a time. Arrow keys move between its tabs.
export function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];
  const choose = (tab) => {
    for (const other of all) {
      const chosen = other === tab;
      other.ariaSelected = chosen;
      other.tabIndex = chosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
  };
  list.addEventListener("click", (e) => {
    const tab = e.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (e) => {
    const at = all.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[e.key];
    if (to === undefined || at < 0) return;
    e.preventDefault();
    const tab = all.at(to % all.length);
    tab.focus();
    choose(tab);
  });
  choose(all[0]);
}
