import type { ReactNode } from 'react';

/** A key of a shortcut. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-sm border border-line bg-panel px-1 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}
