import { useKeys } from '../../../shell/keys.ts';
import type { Rows } from '../../reading/rows.ts';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import type { Selection } from '../../reading/selection.ts';
import type { FolderRole } from '../../reading/folders.ts';
import type { KeyboardCursor } from './use-cursor.ts';
import type { ListActions } from './use-list-actions.ts';

interface ListKeys {
  rows: Rows<ConversationRow>;
  role: FolderRole | null | undefined;
  selection: Selection;
  actions: ListActions;
  cursor: KeyboardCursor;
  openId: string | undefined;
  /** Moves the cursor to a row and scrolls to the row. */
  goTo(index: number): void;
  refresh(): void;
  /** Replies to the newest message in the folder if the conversation is not open. */
  answer(mode: 'reply' | 'reply-all' | 'forward'): unknown;
}

/** The keyboard shortcuts for the list and for the open conversation. */
export function useListKeys(keys: ListKeys): void {
  const { rows, role, selection, actions, cursor, openId, goTo, refresh, answer } = keys;
  const step = (by: number) => () => {
    if (openId !== undefined) return actions.step(by);
    if (rows.count === 0) return false;
    const isInList = document.activeElement?.closest('[data-row]') != null;
    // While the focus is outside the list, the first step only moves the focus to the row with the cursor.
    goTo(Math.max(0, Math.min(rows.count - 1, cursor.now() + (isInList ? by : 0))));
    return true;
  };
  const arrow = (by: number) => () =>
    openId === undefined && document.activeElement?.closest('[data-row]') != null ? step(by)() : false;
  const run = (action: Parameters<ListActions['run']>[0]) => () => actions.run(action);
  const edge = (index: number) => () => {
    if (openId !== undefined || document.activeElement?.closest('[data-row]') == null) return false;
    goTo(index);
    return true;
  };
  useKeys({
    j: step(1),
    k: step(-1),
    ArrowDown: arrow(1),
    ArrowUp: arrow(-1),
    Home: edge(0),
    End: edge(rows.count - 1),
    o: () => (openId === undefined ? actions.open(cursor.now()) : false),
    u: () => (openId === undefined ? false : actions.close()),
    Escape() {
      if (selection.count > 0) selection.clear();
      else if (openId !== undefined) actions.close();
      else return false;
      return true;
    },
    e: run('archive'),
    y: run('archive'),
    '#': run('trash'),
    Delete: run('trash'),
    '!': run(role === 'junk' ? 'not-junk' : 'junk'),
    s: () => actions.run(actions.targets().every(({ starred }) => starred > 0) ? 'unstar' : 'star'),
    v: () => actions.move(),
    l: () => actions.ask('label'),
    b: () => actions.ask('snooze'),
    P: () => actions.run(actions.targets().every(({ pinned }) => pinned) ? 'unpin' : 'pin'),
    m: () => actions.run(actions.targets().every(({ muted }) => muted) ? 'unmute' : 'mute'),
    I: run('seen'),
    U: run('unseen'),
    '[': () => actions.archiveAndGo(-1),
    ']': () => actions.archiveAndGo(1),
    N: refresh,
    r: () => answer('reply'),
    a: () => answer('reply-all'),
    f: () => answer('forward'),
    // Conversations are only selected in order to change them.
    ...(!actions.isReadOnly && {
      x: () => selection.toggle(openId === undefined ? cursor.now() : rows.indexOf(openId), false),
      X: () => selection.toggle(openId === undefined ? cursor.now() : rows.indexOf(openId), true),
      '* a': () => selection.chooseAll(),
      '* n': () => selection.clear(),
      '* r': () => selection.choose(({ unread }) => unread === 0),
      '* u': () => selection.choose(({ unread }) => unread > 0),
      '* s': () => selection.choose(({ starred }) => starred > 0),
      '* t': () => selection.choose(({ starred }) => starred === 0),
    }),
  });
}
