// Runs before the page is drawn. Marks the page as having scripts, and sets the language that the reader chose for examples.
document.documentElement.classList.add('js');
try {
  const language = localStorage.getItem('posthorn-docs-language');
  if (language !== null) document.documentElement.dataset.language = language;
} catch {
  // Storage is disabled, so the choice applies only to this page.
}
