/** The selected conversations of a list. */
import { useState } from 'react';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import type { Rows } from './rows.ts';

export interface Selection {
  ids: ReadonlySet<string>;
  /** Whether the whole list is selected, including rows that are not loaded. */
  isAll: boolean;
  count: number;
  has(id: string): boolean;
  /** @param isRange whether to select all rows between this row and the row selected last */
  toggle(index: number, isRange: boolean): void;
  /** Selects the loaded rows that pass a test. */
  choose(passes: (row: ConversationRow) => boolean): void;
  chooseAll(): void;
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

/** @param isWhole whether the list has all conversations of a folder or a search. Otherwise only loaded rows can be selected together */
export function useSelection(key: string, rows: Rows<ConversationRow>, isWhole: boolean): Selection {
  const [selected, setSelected] = useState({ key, ids: NONE, isAll: false, last: -1 });
  // A selection made in another list does not apply to this list.
  const { ids, isAll, last } = selected.key === key ? selected : { ids: NONE, isAll: false, last: -1 };
  const set = (next: { ids: ReadonlySet<string>; isAll?: boolean; last?: number }) =>
    setSelected({ key, isAll: false, last: -1, ...next });
  return {
    ids,
    isAll,
    count: isAll ? rows.count : ids.size,
    has: (id) => isAll || ids.has(id),
    toggle(index, isRange) {
      const row = rows.at(index);
      if (row === undefined) return;
      const before = isAll ? new Set(rows.known.map(({ id }) => id)) : new Set(ids);
      if (isRange && last >= 0) {
        const [from, to] = last < index ? [last, index] : [index, last];
        for (let at = from; at <= to; at++) {
          const between = rows.at(at);
          if (between !== undefined) before.add(between.id);
        }
      } else if (!before.delete(row.id)) before.add(row.id);
      set({ ids: before, last: index });
    },
    choose: (passes) => set({ ids: new Set(rows.known.filter(passes).map(({ id }) => id)) }),
    chooseAll: () =>
      isWhole
        ? set({ ids: NONE, isAll: rows.count > 0 })
        : set({ ids: new Set(rows.known.map(({ id }) => id)) }),
    clear: () => set({ ids: NONE }),
  };
}
