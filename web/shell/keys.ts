/**
 * Keyboard shortcuts of a page (docs/design.md, Keyboard). Each part of the page registers its own shortcuts. The
 * handlers of the part registered last are called first.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Handlers by `KeyboardEvent.key`, or by two consecutive keys: `g i`, `* a`. If a handler returns false, the handler of
 * the next part is called.
 */
export type KeyMap = Readonly<Record<string, ((event: KeyboardEvent) => unknown) | undefined>>;

const CHORD_MS = 1500;
const TYPING = 'input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable=true]';
/** While one of these elements exists, shortcuts do nothing: letters typed while a composer opens must not archive or delete mail. */
const COVERS = 'dialog:modal, [role=menu]:popover-open, [data-opening]';

const parts: { map: KeyMap }[] = [];
let chord = { key: '', until: 0 };

export function useKeys(map: KeyMap): void {
  const part = useRef({ map });
  useLayoutEffect(() => {
    part.current.map = map;
  });
  useEffect(() => {
    const { current } = part;
    parts.unshift(current);
    if (parts.length === 1) document.addEventListener('keydown', onKey);
    return () => {
      parts.splice(parts.indexOf(current), 1);
      if (parts.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, []);
}

/** Whether the user is typing text, so that keys are not shortcuts. */
function isTyping(event: Event): boolean {
  // The composed path also finds an editor inside a shadow root.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(TYPING) !== null;
}

function onKey(event: KeyboardEvent): void {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event) || document.querySelector(COVERS) !== null) return;
  const isSecond = event.timeStamp < chord.until;
  const name = isSecond ? `${chord.key} ${key}` : key;
  chord = { key: '', until: 0 };
  if (parts.some(({ map }) => map[name] !== undefined && map[name](event) !== false)) event.preventDefault();
  else if (!isSecond && isBeginning(key)) chord = { key, until: event.timeStamp + CHORD_MS };
}

function isBeginning(key: string): boolean {
  return parts.some(({ map }) => Object.keys(map).some((name) => name.startsWith(`${key} `)));
}
