// The theme that the viewer chose. A plain script in the head, so that the first paint has it.
{
  const themes = ["system", "light", "dark"];
  let stored = null;
  try {
    stored = localStorage.getItem("plaza.theme");
  } catch { /* the browser keeps nothing */ }
  document.documentElement.dataset.theme = themes.includes(stored) ? stored : "system";
}
