import { useEffect } from 'react';

const TYPING = 'input, textarea, select, [contenteditable=true]';
/** Frames until a row that was scrolled to is in the page. */
const TRIES = 10;
const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** `j` and `k` go from row to row; Enter opens what has the focus. The arrows do so within the list. */
export function useRowKeys(count: number, scrollTo: (index: number) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      const { target } = event;
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const isElement = target instanceof Element;
      if (isElement && target.closest(`${TYPING}, dialog, [role=menu]`) !== null) return;
      const row = isElement ? target.closest<HTMLElement>('[data-email-row]') : null;
      if (row === null && event.key.startsWith('Arrow')) return;
      event.preventDefault();
      const from = row === null ? firstInSight() - 1 : Number(row.dataset['emailRow']);
      const index = Math.max(0, Math.min(count - 1, from + step));
      if (from + step < 0) document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      else focusRow(index, scrollTo);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function firstInSight(): number {
  const rows = document.querySelectorAll<HTMLElement>('[data-email-row]');
  const first = [...rows].find((row) => row.getBoundingClientRect().top >= 0);
  return Number(first?.dataset['emailRow'] ?? 0);
}

function focusRow(index: number, scrollTo: (index: number) => void): void {
  scrollTo(index);
  let tries = 0;
  const attempt = (): void => {
    const link = document.querySelector<HTMLElement>(`[data-email-row="${index}"] a`);
    if (link !== null) link.focus({ preventScroll: true });
    else if (tries++ < TRIES) requestAnimationFrame(attempt);
  };
  attempt();
}
