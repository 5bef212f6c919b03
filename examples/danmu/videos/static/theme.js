// The theme that the viewer chose. A plain script in the head, so that the first paint has it.
{
  const key = "plaza.danmu.theme";
  const themes = ["system", "light", "dark"];
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // the browser keeps nothing
    }
  };
  let theme = themes.includes(stored()) ? stored() : "system";
  root.dataset.theme = theme;

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const next = () => themes[(themes.indexOf(theme) + 1) % themes.length];
    const show = () => {
      root.dataset.theme = theme;
      button.querySelector("use").setAttribute("href", `icons.svg#${theme}`);
      button.title = `Theme: ${theme}`;
      button.ariaLabel = `Theme: ${theme}. Change to ${next()}`;
    };
    button.addEventListener("click", () => {
      theme = next();
      show();
      try {
        localStorage.setItem(key, theme);
      } catch { /* it holds for this page */ }
    });
    show();
  });
}
