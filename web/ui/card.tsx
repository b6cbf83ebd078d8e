import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface CardProps {
  /** Its heading; its contents are a part of the page of that name. */
  title?: string;
  /** Beside the heading. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A part of a page that stands for itself. */
export function Card({ title, aside, children, className }: CardProps) {
  return (
    <section
      aria-label={title}
      className={classes('rounded-lg border border-line bg-page p-4 sm:p-5', className)}
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
