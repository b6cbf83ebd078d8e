/** Keys that work on every page (docs/design.md, Keyboard). */
import { useEffect, useRef } from 'react';

const CHORD_MS = 1500;
const TYPING = 'input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable=true]';

export interface ShortcutActions {
  /** The key after `g`. @returns whether it leads somewhere */
  go(key: string): boolean;
  openPalette(): void;
  openHelp(): void;
}

export function useShortcuts({ go, openPalette, openHelp }: ShortcutActions): void {
  const chordUntil = useRef(0);
  useEffect(() => {
    // Before the page, whose own keys the second one may be: k goes to the row before, and g k to API keys.
    const onSecondKey = (event: KeyboardEvent): void => {
      const isChord = event.timeStamp < chordUntil.current;
      chordUntil.current = 0;
      if (isChord && isForPage(event) && go(event.key)) event.preventDefault();
    };
    const onKey = (event: KeyboardEvent): void => {
      const { key } = event;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (!isForPage(event)) return;
      if (key === 'g') chordUntil.current = event.timeStamp + CHORD_MS;
      else if (key === '?') openHelp();
      else if (key === '/') {
        event.preventDefault();
        focusSearch(openPalette);
      }
    };
    document.addEventListener('keydown', onSecondKey, true);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onSecondKey, true);
      document.removeEventListener('keydown', onKey);
    };
  });
}

/** Nobody types, nothing covers the page, and no part of it has taken the key. */
function isForPage(event: KeyboardEvent): boolean {
  // Within the shadow of an editor, too.
  const [target] = event.composedPath();
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  const isTyping = target instanceof Element && target.closest(TYPING) !== null;
  const isCovered = document.querySelector('dialog[open], [role=menu]:popover-open') !== null;
  return !hasModifier && !isTyping && !isCovered && !event.defaultPrevented;
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
