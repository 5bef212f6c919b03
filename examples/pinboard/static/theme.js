// Before the page is drawn, so that it does not flash in the other theme.
{
  const theme = localStorage.getItem("pinboard.theme");
  if (theme) document.documentElement.dataset.theme = theme;
}
