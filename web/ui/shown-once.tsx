import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';

interface ShownOnceProps {
  label: string;
  text: string;
  /** The name of the text, for the copy button's label: `the password`. */
  what: string;
  /** Explains that the text is not shown again, or where to store the text. */
  children: ReactNode;
}

/** A new password or secret that is shown only once. */
export function ShownOnce({ label, text, what, children }: ShownOnceProps) {
  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <output aria-label={label} className="min-w-0 flex-1 font-mono text-sm break-all">
          {text}
        </output>
        <Copy text={text} what={what} />
      </div>
      <p className="text-warn">{children}</p>
    </div>
  );
}
