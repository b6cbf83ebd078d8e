import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../../../ui/classes.ts';
import { countLink } from '../../../ui/count-link.ts';
import { utc } from '../../../ui/times.ts';
import { type Counted, searchFor } from './query-text.ts';

interface EmailsLinkProps {
  /** The number that the link belongs to. */
  value: number;
  /** What the number counts. Null if no search finds exactly these emails. */
  counts: Counted | null;
  /** Since when all emails still exist; null if none were deleted because of their age. */
  retainedSince: string | null;
  /** The number as text, and what it counts. */
  children: ReactNode;
  /** Why no search finds exactly these emails, if `counts` is null. */
  reason?: string;
  className?: string;
}

/** A number that leads to the emails that it counts. It is no link if there are none, or if some of them are no longer stored. */
export function EmailsLink({ value, counts, retainedSince, children, reason, className }: EmailsLinkProps) {
  const isFound = counts !== null && isRetained(counts, retainedSince);
  if (value === 0 || !isFound)
    return (
      <span
        className={className}
        {...(value > 0 && { title: counts === null ? reason : notRetainedText(retainedSince) })}
      >
        {children}
      </span>
    );
  return (
    <Link to="/emails" search={{ q: searchFor(counts) }} className={classes(countLink, className)}>
      {children}
    </Link>
  );
}

/** Whether all emails of a number are still stored. */
export function isRetained({ since }: Counted, retainedSince: string | null): boolean {
  return retainedSince === null || (since !== undefined && Date.parse(since) >= Date.parse(retainedSince));
}

function notRetainedText(retainedSince: string | null): string {
  return `Some of these emails are no longer stored. All emails since ${utc.dayMonth(retainedSince ?? '')} are.`;
}
