/** Brings cached data of a mailbox up to date. */
import type { QueryClient } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import type { MailChanges } from '../../../src/contract/mail/changes.ts';
import type { MailFolderList } from '../../../src/contract/mail/folders.ts';
import { labelsQuery } from './labels/queries.ts';
import { type SearchMatches, foldersQuery, quotaQuery } from './queries.ts';
import { isInView } from './list-view.ts';
import { PAGE, type Rows } from './rows.ts';

/** The running request for each mailbox, and whether another request must follow. */
const running = new Map<string, { isStale: boolean; done: Promise<void> }>();

/** Only one request per mailbox runs at a time. Changes reported during a request cause one further request. */
export function catchUp(queries: QueryClient, mailbox: string): Promise<void> {
  const now = running.get(mailbox);
  if (now !== undefined) {
    now.isStale = true;
    return now.done;
  }
  const request = { isStale: false, done: Promise.resolve() };
  running.set(mailbox, request);
  request.done = (async () => {
    try {
      do {
        request.isStale = false;
        await applyChanges(queries, mailbox);
      } while (request.isStale);
    } finally {
      running.delete(mailbox);
    }
  })();
  return request.done;
}

async function applyChanges(queries: QueryClient, mailbox: string): Promise<void> {
  const { queryKey } = foldersQuery(mailbox);
  const before = queries.getQueryData(queryKey);
  if (before === undefined) return;
  const changes = await dataOf(
    api.GET('/mailboxes/{mailbox}/changes', {
      params: { path: { mailbox }, query: { since: before.state } },
    }),
  );
  if (changes.state === before.state) return;
  queries.setQueryData(queryKey, (held: MailFolderList | undefined) =>
    held === undefined ? held : { ...held, state: changes.state, data: changes.folders },
  );
  // The changes do not include the used storage, so reload it as well, but at most once a minute.
  void queries.refetchQueries({ ...quotaQuery(mailbox), stale: true });
  applyRows(queries, mailbox, changes);
  refreshLabels(queries, mailbox, changes);
  refreshSearchResults(queries, mailbox);
  refreshConversations(queries, mailbox, changes);
}

function applyRows(queries: QueryClient, mailbox: string, changes: MailChanges): void {
  const { changed, gone } = changes.conversations;
  for (const [[, , folder, view], rows] of queries.getQueriesData<Rows<ConversationRow>>({
    queryKey: ['rows', mailbox],
  })) {
    const now = changes.folders.find(({ id }) => id === folder);
    if (rows === undefined || now === undefined) continue;
    const isWhole = view === '';
    const isListed = (row: ConversationRow) => isWhole || rows.has(row.id) || isInView(String(view), row);
    // The number of rows that match a filter is not in the changes.
    const total = isWhole ? now.conversations : undefined;
    if (changes.too_many) rows.refetchAll(total);
    else
      rows.apply(
        changed.filter((row) => row.folder === folder && isListed(row)),
        gone.filter((row) => row.folder === folder).map(({ id }) => id),
        total,
      );
  }
}

/** Reloads labels and their unread counts, if a changed conversation has or had labels. */
function refreshLabels(queries: QueryClient, mailbox: string, changes: MailChanges): void {
  const { queryKey } = labelsQuery(mailbox);
  const hasSome = (queries.getQueryData(queryKey)?.length ?? 0) > 0;
  const isLabeled = changes.conversations.changed.some(({ labels }) => labels?.length > 0);
  if (hasSome || isLabeled || changes.too_many) void queries.invalidateQueries({ queryKey });
}

/** Reloads search results, which may have changed. A user who has scrolled down keeps the current results. */
function refreshSearchResults(queries: QueryClient, mailbox: string): void {
  void queries.invalidateQueries({
    queryKey: ['found', mailbox],
    predicate: ({ state }) => ((state.data as SearchMatches | undefined)?.rows.count ?? 0) <= PAGE,
  });
}

function refreshConversations(queries: QueryClient, mailbox: string, changes: MailChanges): void {
  const { changed, gone } = changes.conversations;
  const ids = new Set([...changed, ...gone].map(({ id }) => id));
  // New mail may change or cancel the event of an invitation that is open.
  if (changed.length > 0 || changes.too_many)
    void queries.invalidateQueries({ queryKey: ['invitation', mailbox] });
  void queries.invalidateQueries({
    queryKey: ['conversation', mailbox],
    predicate: ({ queryKey }) => changes.too_many || ids.has(String(queryKey[2])),
  });
}
