import { classes } from './classes.ts';
import { Copy } from './copy.tsx';

export interface CodeBlockProps {
  code: string;
  /** The name of the code, for screen readers and the copy button. */
  label: string;
  /** Wraps long lines instead of scrolling. */
  isWrapped?: boolean;
  className?: string;
}

export function CodeBlock({ code, label, isWrapped = false, className }: CodeBlockProps) {
  return (
    <div
      className={classes(
        'flex items-start overflow-hidden rounded-md border border-line bg-sunken',
        className,
      )}
    >
      {/* The tab stop lets users scroll the code with the keyboard. */}
      <pre
        tabIndex={0}
        aria-label={label}
        className={classes(
          'max-h-96 min-w-0 grow overflow-auto py-3 pl-3.5 font-mono text-sm focus-visible:-outline-offset-2',
          isWrapped && 'break-words whitespace-pre-wrap',
        )}
      >
        <code>{code}</code>
      </pre>
      <div className="m-1 shrink-0">
        <Copy text={code} what={label} />
      </div>
    </div>
  );
}
