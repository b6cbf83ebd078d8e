import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface CardProps {
  /** Its heading; its contents are a part of the page of that name. */
  title?: string;
  /** Beside the heading. */
  aside?: ReactNode;
  /** What has just come about, and is gone when the page is left. */
  isNew?: boolean;
  children: ReactNode;
  className?: string;
}

/** A part of a page that stands for itself. */
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
