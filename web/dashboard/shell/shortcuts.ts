/** Keys that work on every page (docs/design.md, Keyboard). */
import { useEffect } from 'react';

const CHORD_MS = 1500;
const TYPING = 'input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable=true]';

export interface ShortcutActions {
  /** The key after `g`. @returns whether it leads somewhere */
  go(key: string): boolean;
  openPalette(): void;
  openHelp(): void;
}

export function useShortcuts({ go, openPalette, openHelp }: ShortcutActions): void {
  useEffect(() => {
    let chordUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      const { key } = event;
      // Within the shadow of an editor, too.
      const [target] = event.composedPath();
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      const isTyping = target instanceof Element && target.closest(TYPING) !== null;
      const isCovered = document.querySelector('dialog[open], [role=menu]:popover-open') !== null;
      if (hasModifier || isTyping || isCovered || event.defaultPrevented) return;
      const isChord = event.timeStamp < chordUntil;
      chordUntil = 0;
      if (isChord && go(key)) event.preventDefault();
      else if (key === 'g') chordUntil = event.timeStamp + CHORD_MS;
      else if (key === '?') openHelp();
      else if (key === '/') {
        event.preventDefault();
        focusSearch(openPalette);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

/** The search of the page, if it has one: `<Input type="search">` within main. */
function focusSearch(otherwise: () => void): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) otherwise();
  else {
    field.focus();
    field.select();
  }
}
