import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface CardProps {
  /** The heading, which also names the section. */
  title?: string;
  /** Shown beside the heading. */
  aside?: ReactNode;
  /** Highlights the card. For a result that disappears when the user leaves the page. */
  isNew?: boolean;
  children: ReactNode;
  className?: string;
}

/** A separate section of a page. */
export function Card({ title, aside, isNew = false, children, className }: CardProps) {
  return (
    <section
      aria-label={title}
      className={classes(
        'rounded-lg border bg-page p-4 sm:p-5',
        isNew ? 'border-accent' : 'border-line',
        className,
      )}
    >
      {title !== undefined && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          <h2 className="text-lg">{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}
