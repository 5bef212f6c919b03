// Before the page is drawn, so that it does not flash in the other theme.
{
  const theme = localStorage.getItem("plaza.theme"); // the pages of clips know it too, and "system"
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
