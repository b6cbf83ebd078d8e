import { useState } from 'react';
import type { LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { toastFailure } from '../../../ui/toast.tsx';
import type { useLog } from './use-log.ts';

const MAX_SELECTED = 200;

export interface Selection {
  /** The selected emails, as they were when they were selected. */
  emails: readonly LoggedEmail[];
  has(id: string): boolean;
  /** @param isRange whether to select all rows between this row and the row toggled last */
  toggle(index: number, isRange: boolean): void;
  clear(): void;
}

interface Selected {
  /** The list of the emails. */
  of: string;
  emails: ReadonlyMap<string, LoggedEmail>;
  /** The row toggled last: its index among the rows that were there first, because new rows are added above them. */
  last: number | null;
}

/** The selected rows of a list. @param of the list; a selection made in another list is dropped */
export function useSelection(of: string, log: ReturnType<typeof useLog>): Selection {
  const [stored, setSelected] = useState<Selected>({ of, emails: new Map(), last: null });
  const { emails, last } = stored.of === of ? stored : { emails: new Map<string, LoggedEmail>(), last: null };
  const { added, rowAt } = log;
  return {
    emails: [...emails.values()],
    has: (id) => emails.has(id),
    toggle(index, isRange) {
      const row = rowAt(index);
      if (row === undefined) return;
      const next = new Map(emails);
      if (isRange && last !== null) {
        const [from, to] = [last + added, index].toSorted((a, b) => a - b) as [number, number];
        for (let at = from; at <= to && next.size <= MAX_SELECTED; at++) {
          const between = rowAt(at);
          if (between !== undefined) next.set(between.id, between);
        }
      } else if (!next.delete(row.id)) next.set(row.id, row);
      if (next.size > MAX_SELECTED) toastFailure(`You can select up to ${MAX_SELECTED} emails at once.`);
      else setSelected({ of, emails: next, last: index - added });
    },
    clear: () => setSelected({ of, emails: new Map(), last: null }),
  };
}
