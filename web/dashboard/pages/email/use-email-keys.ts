import { useEffect } from 'react';

const TYPING = 'input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable=true]';

interface EmailKeys {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  back(): void;
}

/** `j` and `k` go on in the list that one came from, Esc goes back to it (docs/design.md, Keyboard). */
export function useEmailKeys({ previous, next, back }: EmailKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(TYPING) !== null) return;
      if (document.querySelector('dialog[open], [role=menu]:popover-open') !== null) return;
      const action = { j: next, k: previous, Escape: back }[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
