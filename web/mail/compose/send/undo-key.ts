/** The key z takes back what is on its way, as long as that can be. */
const TYPING = 'input, textarea, select, [contenteditable=true]';

/** @returns what forgets it */
export function onUndoKey(undo: () => void, ms: number): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'z' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.closest(TYPING) !== null) return;
    if (document.querySelector('dialog:modal, [role=menu]:popover-open') !== null) return;
    event.preventDefault();
    undo();
  };
  // Before the keys of the page: this is what was done last.
  document.addEventListener('keydown', onKey, { capture: true });
  const forget = () => document.removeEventListener('keydown', onKey, { capture: true });
  setTimeout(forget, ms);
  return forget;
}
