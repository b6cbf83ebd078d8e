/** Actions on the selected conversations, the open conversation, or the conversation at the cursor. */
import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import {
  type Action,
  isLeaving,
  type Order,
  refuseChange,
  removesFromList,
  useAct,
} from '../../reading/actions.ts';
import type { MailFolder } from '../../../../src/contract/mail/folders.ts';
import { nameOf, SEARCH, slugOf } from '../../reading/folders.ts';
import { choosing } from '../../reading/move.ts';
import { asking } from '../../reading/triage.ts';
import { local } from '../../../ui/times.ts';
import type { Selection } from '../../reading/selection.ts';
import type { Listing } from '../../reading/use-listing.ts';
import { useMailbox } from '../../shell/session.ts';
import type { ListHandle } from './conversation-list.tsx';
import type { KeyboardCursor } from './use-cursor.ts';
import { usePane } from './use-media.ts';
import { useStep } from './use-step.ts';

export interface ListActions {
  /** Whether the user can only read the mailbox. Actions then only show a message. */
  isReadOnly: boolean;
  /** @param ids by default the selected conversations, else the open conversation, else the conversation at the cursor */
  run(action: Action, ids?: readonly string[]): void;
  /** Asks for a folder, then moves the conversations. */
  move(ids?: readonly string[]): void;
  /** Asks for a label or a time, and then labels or snoozes the conversations. */
  ask(dialog: 'label' | 'snooze', ids?: readonly string[]): void;
  moveTo(folder: MailFolder, ids?: readonly string[]): void;
  /** Archives the open conversation and opens the next conversation in a direction: down if 1, up if -1. */
  archiveAndGo(way: 1 | -1): void;
  /** The loaded rows that an action applies to. */
  targets(ids?: readonly string[]): readonly ConversationRow[];
  open(index: number): void;
  /** Opens a conversation near the open one. @param by the number of rows to move @returns false if none is open */
  step(by: number): boolean;
  close(): void;
  /** The action that waits for the user's confirmation; null if there is none. */
  pendingOrder: Order | null;
  confirm(isMeant: boolean): void;
}

interface ListActionOptions {
  listing: Listing;
  selection: Selection;
  /** The id of the open conversation. */
  openId: string | undefined;
  cursor: KeyboardCursor;
  handle: RefObject<ListHandle | null>;
}

/** Actions on all messages of a conversation, in all folders. */
const WHOLE: readonly Action[] = ['label', 'unlabel', 'mute', 'unmute'];

export function useListActions({
  listing,
  selection,
  openId,
  cursor,
  handle,
}: ListActionOptions): ListActions {
  const { rows, folder, q, search } = listing;
  const { address, access } = useMailbox();
  const isReadOnly = access === 'read';
  const navigate = useNavigate();
  const isBeside = usePane() !== 'none';
  const act = useAct();
  const [pendingOrder, setPendingOrder] = useState<Order | null>(null);
  const slug = folder === undefined ? SEARCH : slugOf(folder);

  const close = () => void navigate({ to: '/$address/$folder', params: { address, folder: slug }, search });
  const open = (index: number) => {
    const row = rows.at(index);
    if (row === undefined) return;
    handle.current?.show(index, false);
    void navigate({
      to: '/$address/$folder/$conversation',
      params: { address, folder: slug, conversation: row.id },
      search,
      replace: openId !== undefined,
    });
  };
  const scrollTo = (index: number) => handle.current?.show(index, false);
  const step = useStep({ listing, openId, open, scrollTo });
  const idsOf = (ids?: readonly string[]): readonly string[] => {
    if (ids !== undefined) return ids;
    if (selection.ids.size > 0) return [...selection.ids];
    if (openId !== undefined) return [openId];
    const row = rows.at(cursor.now());
    return row === undefined ? [] : [row.id];
  };

  /** Once the open conversation has been removed, opens the next conversation, or returns to the list if the list is hidden. */
  const moveOn = (removed: ReadonlySet<string>, first: 1 | -1 = 1, stays = isBeside) => {
    if (openId === undefined || !removed.has(openId)) {
      // The row below moves up, and the cursor stays at the same index.
      const at = cursor.now();
      if (document.activeElement?.closest('[data-row]') != null)
        requestAnimationFrame(() => handle.current?.show(at, true));
      return;
    }
    const at = rows.indexOf(openId);
    const candidates = [first, -first].map((way) => {
      let index = at + way;
      while (removed.has(rows.at(index)?.id ?? '')) index += way;
      return index;
    });
    const next = candidates.find((index) => at >= 0 && rows.at(index) !== undefined);
    if (stays && next !== undefined) open(next);
    else close();
  };

  const perform = (order: Order, way?: 1 | -1, stays?: boolean) => {
    if (isLeaving(order)) {
      const gone = new Set(order.conversations ?? rows.known.map(({ id }) => id));
      moveOn(gone, way, stays);
    } else if (
      order.action === 'unseen' &&
      openId !== undefined &&
      order.conversations?.includes(openId) === true
    )
      // Close the conversation, because an open conversation would be marked as read again immediately.
      close();
    // Keep the selection if the action applies to a row outside it.
    if (order.conversations?.every((id) => selection.has(id)) !== false) selection.clear();
    act(order);
  };
  const orderOf = (action: Action, ids?: readonly string[]): Order | null => {
    if (ids === undefined && selection.isAll)
      return { action, all: folder === undefined ? { q } : { folder: folder.id } };
    const conversations = idsOf(ids);
    if (conversations.length === 0) return null;
    if (action === 'mute' && folder?.role === 'inbox') return { action, conversations, leaves: folder.id };
    // Labels and mute mark the messages of a conversation in all folders.
    const isEverywhere = WHOLE.includes(action);
    return { action, conversations, ...(folder !== undefined && !isEverywhere && { from: folder.id }) };
  };
  /** Runs an order, after a question if it changes all conversations of the list. */
  const give = (order: Order) => (order.all === undefined ? perform(order) : setPendingOrder(order));
  const run = (action: Action, ids?: readonly string[]) => {
    const isGone = folder?.role === 'trash' || folder?.role === 'junk';
    const meant = action === 'trash' && isGone ? 'delete' : action;
    // Conversations in Archive cannot be archived again.
    if (meant === 'archive' && folder?.role === 'archive') return;
    const order = orderOf(meant, ids);
    if (order === null) return;
    if (meant === 'delete' || (order.all !== undefined && removesFromList(meant))) setPendingOrder(order);
    else perform(order);
  };
  const moveTo = (to: MailFolder, ids?: readonly string[]) => {
    const order = orderOf('move', ids);
    if (order === null) return;
    const moved = { ...order, to: to.id, toName: nameOf(to) };
    if (order.all === undefined) perform(moved);
    else setPendingOrder(moved);
  };
  return {
    run,
    moveTo,
    open,
    step,
    close,
    pendingOrder,
    targets: (ids) => idsOf(ids).flatMap((id) => rows.at(rows.indexOf(id)) ?? []),
    isReadOnly,
    move(ids) {
      if (orderOf('move', ids) === null) return;
      choosing.set({
        title: 'Move to',
        without: slug,
        canCreate: true,
        onChoose: (to) => moveTo(to, ids),
      });
    },
    ask(dialog, ids) {
      if (orderOf(dialog, ids) === null) return;
      if (dialog === 'label')
        asking.set({
          kind: 'label',
          rows: idsOf(ids).flatMap((id) => rows.at(rows.indexOf(id)) ?? []),
          onChoose({ keyword, name }, isAdded) {
            const order = orderOf(isAdded ? 'label' : 'unlabel', ids);
            const result = isAdded ? `labeled ${name}` : `no longer labeled ${name}`;
            if (order !== null) give({ ...order, label: keyword, result });
          },
        });
      else
        asking.set({
          kind: 'snooze',
          onChoose(until) {
            const order = orderOf('snooze', ids);
            const result = `snoozed until ${local.weekday(until)}, ${local.time(until)}`;
            if (order !== null) give({ ...order, until: until.toISOString(), result });
          },
        });
    },
    archiveAndGo(way) {
      const order = orderOf('archive');
      if (order !== null && order.all === undefined && folder?.role !== 'archive') perform(order, way, true);
    },
    confirm(isMeant) {
      setPendingOrder(null);
      if (isMeant && pendingOrder !== null) perform(pendingOrder);
    },
    ...(isReadOnly && {
      run: refuseChange,
      move: refuseChange,
      ask: refuseChange,
      moveTo: refuseChange,
      archiveAndGo: refuseChange,
    }),
  };
}
