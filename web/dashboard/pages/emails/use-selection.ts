import { useState } from 'react';
import type { LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { toastFailure } from '../../../ui/toast.tsx';
import type { useLog } from './use-log.ts';

const MAX_SELECTED = 200;

export interface Selection {
  /** The selected emails, as they were when they were selected. */
  emails: readonly LoggedEmail[];
  /** The id of the row toggled last; null if there is none. */
  last: string | null;
  has(id: string): boolean;
  /** @param isRange whether to select all rows between this row and the row toggled last */
  toggle(index: number, isRange: boolean): void;
  /** Removes emails from the selection, unless a selection in another list has replaced it. */
  remove(ids: ReadonlySet<string>): void;
  clear(): void;
}

interface Selected {
  /** The list of the emails. */
  of: string;
  emails: ReadonlyMap<string, LoggedEmail>;
  last: string | null;
}

/** The selected rows of a list. @param of the list; a selection made in another list is dropped */
export function useSelection(of: string, log: ReturnType<typeof useLog>): Selection {
  const nothing: Selected = { of, emails: new Map(), last: null };
  const [stored, setSelected] = useState(nothing);
  const { emails, last } = stored.of === of ? stored : nothing;
  const { indexOf, rowAt } = log;
  return {
    emails: [...emails.values()],
    last,
    has: (id) => emails.has(id),
    toggle(index, isRange) {
      const row = rowAt(index);
      if (row === undefined) return;
      const next = new Map(emails);
      // Rows move when new emails arrive, so the start of a range is looked up by its id.
      const start = isRange && last !== null ? indexOf(last) : -1;
      if (start !== -1) {
        const [from, to] = [start, index].toSorted((a, b) => a - b) as [number, number];
        for (let at = from; at <= to && next.size <= MAX_SELECTED; at++) {
          const between = rowAt(at);
          if (between !== undefined) next.set(between.id, between);
        }
      } else if (!next.delete(row.id)) next.set(row.id, row);
      if (next.size > MAX_SELECTED) toastFailure(`You can select up to ${MAX_SELECTED} emails at once.`);
      else setSelected({ of, emails: next, last: row.id });
    },
    remove: (ids) =>
      setSelected((before) =>
        before.of === of
          ? { ...before, emails: new Map([...before.emails].filter(([id]) => !ids.has(id))) }
          : before,
      ),
    clear: () => setSelected((before) => (before.of === of ? nothing : before)),
  };
}
