// Runs before the page is drawn: marks that scripts are on, and sets the reader's language for examples.
document.documentElement.classList.add('js');
try {
  const language = localStorage.getItem('posthorn-docs-language');
  if (language !== null) document.documentElement.dataset.language = language;
} catch {
  // Storage is disabled: the choice lasts only for this page.
}
