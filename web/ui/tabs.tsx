import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';

export interface TabsProps {
  label: string;
  value: string;
  onChange(value: string): void;
  tabs: readonly { value: string; label: ReactNode; content: ReactNode }[];
}

/** Tabs that the arrow keys select. Keep `value` in the URL. */
export function Tabs({ label, value, onChange, tabs }: TabsProps) {
  const id = useId();
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.value === value),
  );
  const shown = tabs[at];
  const list = useRef<HTMLDivElement>(null);
  // On phones the tab named in the URL may be out of view. Scroll the row of tabs to it, without scrolling the page.
  useEffect(() => {
    const [row, tab] = [list.current, list.current?.children[at] as HTMLElement | undefined];
    if (row !== null && tab !== undefined)
      row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [at]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const last = tabs.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    const next = to === undefined ? undefined : tabs[to];
    if (next === undefined) return;
    event.preventDefault();
    onChange(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <div>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab === shown}
            aria-controls={tab === shown ? `${id}-panel` : undefined}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className="-mb-px flex h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:text-text sm:h-9"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        key={shown?.value}
        id={`${id}-panel`}
        role="tabpanel"
        tabIndex={0}
        aria-labelledby={shown && `${id}-${shown.value}`}
        className="pt-4 focus-visible:outline-offset-4"
      >
        {shown?.content}
      </div>
    </div>
  );
}
