// Before the page is drawn: that there are scripts, and the language in which its reader wants examples.
document.documentElement.classList.add('js');
try {
  const language = localStorage.getItem('posthorn-docs-language');
  if (language !== null) document.documentElement.dataset.language = language;
} catch {
  // Storage is switched off: the choice then lasts as long as the page.
}
