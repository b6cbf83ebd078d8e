/** Actions on mail. The result of an action is shown before the service has confirmed it, and one key undoes the action. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { dataOf, messageOf, ServiceAway } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type {
  ConversationRow,
  MailConversation,
  MailMessageSummary,
} from '../../../src/contract/mail/conversations.ts';
import type { MailActionRequest } from '../../../src/contract/mail/actions.ts';
import { counted } from '../../ui/amounts.ts';
import { toast, toastFailure } from '../../ui/toast.tsx';
import { useMailbox } from '../shell/session.ts';
import { catchUp } from './catch-up.ts';
import type { SearchMatches } from './queries.ts';
import type { Rows } from './rows.ts';

export type Action = MailActionRequest['action'];
/** The maximum number of ids per request. */
const MAX_NAMED = 200;
/** Longer than all requests of an action take together, in milliseconds. */
const LONG_MS = 600_000;
/** The result of undoing is also visible in the list, so its toast must not cover the page for long. */
const UNDONE_MS = 2_500;
/** The maximum number of undo steps per request. */
const MAX_UNDOS = 20;

const ACTION_RESULTS: Readonly<Record<Action, string>> = {
  move: 'moved',
  archive: 'archived',
  junk: 'moved to Junk',
  'not-junk': 'moved to the Inbox',
  trash: 'moved to Trash',
  delete: 'permanently deleted',
  seen: 'marked as read',
  unseen: 'marked as unread',
  star: 'starred',
  unstar: 'unstarred',
  pin: 'pinned',
  unpin: 'unpinned',
  mute: 'muted',
  unmute: 'unmuted',
  label: 'labeled',
  unlabel: 'no longer labeled',
  snooze: 'snoozed',
  unsnooze: 'moved back',
};

export interface Order {
  action: Action;
  /** The conversations that the action applies to. An action on single messages of a conversation has `messages` instead. */
  conversations?: readonly string[];
  messages?: readonly string[];
  all?: { folder: string } | { q: string };
  from?: string;
  to?: string;
  /** The name of the target folder. */
  toName?: string;
  /** The keyword of the label, for label and unlabel. */
  label?: string;
  /** When the conversations return, for snooze. */
  until?: string;
  /** The list from which the rows disappear, if the action itself does not say so: muted conversations leave the Inbox. */
  leaves?: string;
  /** The result for the toast, such as "snoozed until Mon, 8:00". Default: the result of the action. */
  result?: string;
  /** Whether the page acts on its own, for example when it marks an opened message as read. No toast is shown then. */
  isQuiet?: boolean;
}

export function removesFromList(action: Action): boolean {
  return !STAYING.includes(action);
}

const STAYING: readonly Action[] = [
  'seen',
  'unseen',
  'star',
  'unstar',
  'pin',
  'unpin',
  'mute',
  'unmute',
  'label',
  'unlabel',
];

/** Whether the rows of an order disappear from the list. */
export function isLeaving({ action, leaves }: Order): boolean {
  return removesFromList(action) || leaves !== undefined;
}

let last: (() => void) | null = null;
/** Hides the toast of the previous action, because only the last action is shown. */
let dismiss: () => void = () => {};

/** Undoes the last action. @returns whether there was an action to undo */
export function undoLast(): boolean {
  const undo = last;
  last = null;
  undo?.();
  return undo !== null;
}

/** Explains that the user cannot change mail, for keyboard shortcuts. */
export function refuseChange(): void {
  toast('You can only read this shared mailbox');
}

/** @returns a function that runs actions on mail of the current mailbox */
export function useAct(): (order: Order) => void {
  const queries = useQueryClient();
  const { mailbox, access } = useMailbox();
  return useCallback(
    (order: Order) => {
      if (access !== 'read') void act(queries, mailbox, order);
      else if (order.isQuiet !== true) refuseChange();
    },
    [queries, mailbox, access],
  );
}

async function act(queries: QueryClient, mailbox: string, order: Order): Promise<void> {
  const seen = withMessages(queries, mailbox, order);
  const settle = showAtOnce(queries, mailbox, order);
  const sent = sendOrder(mailbox, order);
  // The user can undo the action before the response has arrived.
  if (order.isQuiet !== true)
    last = () => void sent.then(({ undos }) => undo(queries, mailbox, undos)).catch(() => undefined);
  try {
    const { changed, undos } = await sent;
    if (order.isQuiet !== true) showToast(order, changed, undos.length > 0);
    await catchUp(queries, mailbox).catch(() => undefined);
    settle();
  } catch (error) {
    if (error instanceof ServiceAway && (await queueForLater(mailbox, seen, settle, order))) return;
    settle();
    toastFailure(messageOf(error));
    for (const rows of inFolders(queries, mailbox)) rows.refetchAll();
    void queries.invalidateQueries({ queryKey: ['found', mailbox] });
    void queries.invalidateQueries({ queryKey: ['conversation', mailbox] });
  }
}

/**
 * Queues an action until there is a connection. What the page shows stays.
 * @param order the action on the messages that the user saw @param chosen the action that the user chose
 * @returns false if that is not possible
 */
async function queueForLater(
  mailbox: string,
  order: Order,
  settle: (isUndone?: boolean) => void,
  chosen: Order,
): Promise<boolean> {
  const code = await import('../outbox/queue.ts').catch(() => null);
  if (code === null || !(await code.isAway())) return false;
  const undone = await code.queueAction(mailbox, order, settle);
  if (undone === null) return false;
  if (order.isQuiet === true) return true;
  last = undone;
  showToast(chosen, chosen.messages?.length ?? 0, true);
  return true;
}

/** Sends an action, split into as many requests as needed. */
export async function sendOrder(
  mailbox: string,
  order: Order,
): Promise<{ changed: number; undos: string[] }> {
  const { action, from, to, label, until, all } = order;
  const common = {
    action,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(label !== undefined && { label }),
    ...(until !== undefined && { until }),
  };
  const undos: string[] = [];
  let changed = 0;
  const run = async (body: MailActionRequest) => {
    const result = await dataOf(
      api.POST('/mailboxes/{mailbox}/actions', { params: { path: { mailbox } }, body }),
    );
    changed += result.changed;
    // Undo runs the requests in reverse order.
    if (result.undo !== null) undos.unshift(result.undo);
    return result;
  };
  let told: (() => void) | null = null;
  /** Sends requests until the action is complete. @param bodyOf returns the body of the next request */
  const runAll = async (bodyOf: (next: string | null) => MailActionRequest) => {
    let next: string | null = null;
    do {
      const turn: Awaited<ReturnType<typeof run>> = await run(bodyOf(next));
      next = turn.continue;
      if (next !== null) told ??= toast('This may take a moment', { shownMs: LONG_MS });
    } while (next !== null);
  };
  const going = (next: string | null) => (next === null ? {} : { continue: next });
  try {
    if (all !== undefined) {
      told = toast('This may take a moment', { shownMs: LONG_MS });
      await runAll((next) => ({ ...common, all: { ...all, ...going(next) } }));
    }
    for (const conversations of slices(order.conversations))
      await runAll((next) => ({ ...common, conversations, ...going(next) }));
    for (const messages of slices(order.messages))
      await runAll((next) => ({ ...common, messages, ...going(next) }));
  } finally {
    told?.();
  }
  return { changed, undos };
}

function slices(ids: readonly string[] = []): string[][] {
  return Array.from({ length: Math.ceil(ids.length / MAX_NAMED) }, (_, n) =>
    ids.slice(n * MAX_NAMED, (n + 1) * MAX_NAMED),
  );
}

function showToast(
  { action, conversations, messages, toName, result = ACTION_RESULTS[action] }: Order,
  changed: number,
  canUndo: boolean,
): void {
  const what =
    conversations !== undefined
      ? counted(conversations.length, 'conversation')
      : counted(messages?.length ?? changed, 'message');
  const title = `${what} ${toName === undefined ? result : `moved to ${toName}`}`;
  dismiss();
  dismiss = toast(title, canUndo ? { action: { label: 'Undo', run: () => undoLast() } } : {});
}

async function undo(queries: QueryClient, mailbox: string, undos: readonly string[]): Promise<void> {
  if (undos.length === 0) return;
  try {
    for (let at = 0; at < undos.length; at += MAX_UNDOS)
      await dataOf(
        api.POST('/mailboxes/{mailbox}/actions/undo', {
          params: { path: { mailbox } },
          body: { undo: undos.slice(at, at + MAX_UNDOS) },
        }),
      );
    dismiss();
    dismiss = toast('Undone', { shownMs: UNDONE_MS });
  } catch (error) {
    toastFailure(messageOf(error));
  }
  await catchUp(queries, mailbox).catch(() => undefined);
}

/** Names the messages that the user sees, so that mail that arrives in a conversation before a queued action is sent is not moved unseen. */
function withMessages(queries: QueryClient, mailbox: string, order: Order): Order {
  const { conversations, ...rest } = order;
  if (conversations === undefined || order.action === 'star') return order;
  const rows = inFolders(queries, mailbox, order.from).flatMap(({ known }) => known);
  const messages = conversations.map((id) =>
    rows.find((row) => row.id === id && row.message_ids.length >= row.messages),
  );
  if (messages.includes(undefined)) return order;
  return { ...rest, messages: messages.flatMap((row) => row?.message_ids ?? []) };
}

/** The cached lists of rows. @param folder limits the result to the lists of this folder */
function inFolders(queries: QueryClient, mailbox: string, folder?: string): Rows<ConversationRow>[] {
  const queryKey = ['rows', mailbox, ...(folder === undefined ? [] : [folder])];
  return queries.getQueriesData<Rows<ConversationRow>>({ queryKey }).flatMap(([, rows]) => rows ?? []);
}

function inSearches(queries: QueryClient, mailbox: string): Rows<ConversationRow>[] {
  return queries
    .getQueriesData<SearchMatches>({ queryKey: ['found', mailbox] })
    .flatMap(([, found]) => found?.rows ?? []);
}

/**
 * Shows the expected result.
 * @returns a function to call after the service has responded, or with true if the action was undone before it was sent
 */
function showAtOnce(queries: QueryClient, mailbox: string, order: Order): (isUndone?: boolean) => void {
  const { action, conversations = [], messages = [], leaves, from = leaves } = order;
  const ids = new Set(conversations);
  const takes = isLeaving(order);
  const lists =
    ids.size === 0
      ? []
      : [...inFolders(queries, mailbox, takes ? from : undefined), ...inSearches(queries, mailbox)];
  const settles = lists.map((rows) => {
    if (!takes) return rows.patch(ids, (row) => ({ ...row, ...markOf(order, row) }));
    const held = rows.known.filter(({ id }) => ids.has(id));
    rows.hide(ids);
    return (isUndone?: boolean) => {
      rows.settle(ids);
      if (isUndone === true) rows.restore(held);
    };
  });
  const single = new Set(messages);
  queries.setQueriesData<{ pages: MailConversation[]; pageParams: string[] }>(
    { queryKey: ['conversation', mailbox] },
    (held) =>
      held && {
        ...held,
        pages: held.pages.map((page) => ({
          ...page,
          messages: page.messages.map((message) =>
            single.has(message.id) || ids.has(page.id) ? { ...message, ...flagOf(action, message) } : message,
          ),
        })),
      },
  );
  return (isUndone) => {
    for (const settle of settles) settle(isUndone);
  };
}

function markOf({ action, label }: Order, row: ConversationRow): Partial<ConversationRow> {
  const people = (unread: boolean) => row.from.map((person) => ({ ...person, unread }));
  if (action === 'seen') return { unread: 0, from: people(false) };
  if (action === 'unseen') return { unread: row.messages, from: people(true) };
  if (action === 'star') return { starred: Math.max(1, row.starred) };
  if (action === 'unstar') return { starred: 0 };
  if (action === 'mute' || action === 'unmute') return { muted: action === 'mute' };
  if (label === undefined) return {};
  const labels = (row.labels ?? []).filter((each) => each !== label);
  return { labels: action === 'label' ? [...labels, label] : labels };
}

function flagOf(action: Action, { seen, starred }: MailMessageSummary): Partial<MailMessageSummary> {
  return {
    seen: action === 'seen' || (seen && action !== 'unseen'),
    starred: action === 'star' || (starred && action !== 'unstar'),
  };
}
