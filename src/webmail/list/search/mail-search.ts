/** The web client's search over a whole mailbox, as the user types: conversations with a matching message, newest first. */
import type {
  ConversationRow,
  MailSearchCount,
  MailSearchPage,
} from '../../../contract/mail/conversations.ts';
import type { Database } from '../../../db/database.ts';
import type { FairReads } from '../../../db/fair-reads.ts';
import { AppError } from '../../../model/app-error.ts';
import { encodeId } from '../../../model/ids.ts';
import { FairSlots } from '../../../concurrency/fair-slots.ts';
import { listFolders } from '../../../store/folders.ts';
import { keyOf, type MailboxKey } from '../../../store/lock-mailboxes.ts';
import type { Store } from '../../../store/store.ts';
import { threadRows } from '../conversation-rows.ts';
import { MESSAGES_END, type MessagePosition } from '../cursors.ts';
import { Candidates } from './candidates.ts';
import { foundTexts } from './found-text.ts';
import { type MailTerm, parseQuery } from './parse-query.ts';
import { type MessageMatch, SearchedMessages } from './searched-messages.ts';
import { TIMINGS } from './timings.ts';
import { searchedFolders, withKeywords } from './matching-messages.ts';
import { readLabels } from '../../labels/mail-labels.ts';

interface Matches extends ThreadMatches {
  terms: readonly MailTerm[];
}

interface Search {
  q: string;
  limit: number;
  cursor?: string | undefined;
}

/** Matching threads, in the order in which they were found. */
export interface ThreadMatches {
  threadIds: string[];
  /** The newest matching message of each thread. */
  objectIds: string[];
  folderIds: string[];
  /** The position at which the search continues. Null if all messages were searched. */
  next: MessagePosition | null;
  /** False if the search took too long. The search can then continue from `next`. */
  isComplete: boolean;
  problem: string | null;
}

interface MailSearchOptions {
  store: Store;
  /** The reads for searches, separate from the reads for lists, so that lists do not wait for searches. */
  reads: FairReads;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

class SearchTimedOut extends Error {}

/**
 * The maximum number of concurrent searches of a mailbox, over all tabs and devices. Leaves capacity for other mailboxes of the project.
 */
const MAX_RUNNING = 2;
const MAX_WAITING = 20;
/** More results are not counted. */
const MAX_COUNTED = 1_000;

export class MailSearch {
  readonly #store: Store;
  readonly #reads: FairReads;
  readonly #timings: typeof TIMINGS;
  readonly #slots = new FairSlots({
    slots: Number.MAX_SAFE_INTEGER,
    slotsPerOwner: MAX_RUNNING,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      new AppError('unavailable', 'Too many searches of this mailbox are waiting. Try again in a moment.', {
        retryAfterSeconds: 1,
      }),
  });

  constructor({ store, reads, timings = TIMINGS }: MailSearchOptions) {
    this.#store = store;
    this.#reads = reads;
    this.#timings = timings;
  }

  /**
   * @param signal aborts when the client closes the request, for example because the user continues to type
   * @throws AppError validation-failed for an invalid cursor
   */
  async search(mailbox: MailboxKey, search: Search, signal: AbortSignal): Promise<MailSearchPage> {
    return this.#inSlot(mailbox, search, signal, async (database, found) => ({
      data: await foundRows(database, mailbox, found),
      next: found.next === null ? null : MESSAGES_END.encode(found.next),
      is_complete: found.isComplete,
      problem: found.problem,
    }));
  }

  /** Counts conversations, at most `MAX_COUNTED`. */
  async count(mailbox: MailboxKey, q: string, signal: AbortSignal): Promise<MailSearchCount> {
    return this.#inSlot(mailbox, { q, limit: MAX_COUNTED }, signal, async (_, found) => ({
      count: found.threadIds.length,
      is_exact: found.next === null && found.isComplete,
    }));
  }

  /** Returns only ids, for actions on all search results. */
  async threads(mailbox: MailboxKey, search: Search): Promise<ThreadMatches> {
    return this.#inSlot(mailbox, search, new AbortController().signal, async (_, found) => found);
  }

  async #inSlot<T>(
    mailbox: MailboxKey,
    { q, limit, cursor }: Search,
    signal: AbortSignal,
    answer: (database: Database, found: Matches) => Promise<T>,
  ): Promise<T> {
    const after = cursor === undefined ? null : MESSAGES_END.decode(cursor);
    return this.#slots.run(keyOf(mailbox), signal, () =>
      this.#reads.run(mailbox.projectId, (database) =>
        // All reads use one snapshot, so that the index agrees with the messages that are read.
        database
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute(async (snapshot) =>
            answer(snapshot, await this.#find(snapshot, mailbox, q, limit, after, signal)),
          ),
      ),
    );
  }

  async #find(
    database: Database,
    mailbox: MailboxKey,
    q: string,
    limit: number,
    after: MessagePosition | null,
    signal: AbortSignal,
  ): Promise<Matches> {
    const parsed = parseQuery(q);
    const folders = await listFolders(database, mailbox);
    const named = parsed.terms.some((term) => 'label' in term)
      ? withKeywords(parsed.terms, await readLabels(database, mailbox, folders))
      : { terms: parsed.terms, problem: null };
    const { terms } = named;
    const problem = parsed.problem ?? named.problem;
    const { folderIds, problem: noFolder } = searchedFolders(terms, folders);
    const found: Matches = {
      terms,
      threadIds: [],
      objectIds: [],
      folderIds,
      next: null,
      isComplete: true,
      problem: problem ?? noFolder,
    };
    if (terms.length === 0 || folderIds.length === 0) return found;
    const endsAt = performance.now() + this.#timings.searchMs;
    const tick = () => {
      signal.throwIfAborted();
      if (found.next !== null && performance.now() > endsAt) throw new SearchTimedOut();
    };
    const candidates = await Candidates.open(database, mailbox, terms, tick);
    try {
      await collect(
        new SearchedMessages(database, mailbox, { terms, folderIds, candidates, tick }),
        found,
        limit,
        after,
      );
    } catch (error) {
      if (!(error instanceof SearchTimedOut)) throw error;
      found.isComplete = false;
    } finally {
      if (candidates !== null && candidates.unindexed > 0)
        this.#store.noteUnindexed(mailbox, candidates.unindexed);
    }
    return found;
  }
}

/** The rows of the matching threads, with the text that was found. */
async function foundRows(
  database: Database,
  mailbox: MailboxKey,
  { terms, threadIds, objectIds, folderIds }: Matches,
): Promise<ConversationRow[]> {
  const rows = await threadRows(database, mailbox, threadIds, folderIds);
  const texts = await foundTexts(database, mailbox, objectIds, terms, folderIds);
  const byRow = new Map([...texts].map(([threadId, found]) => [encodeId('thr', threadId), found]));
  return rows.map((row) => {
    const found = byRow.get(row.id);
    return found === undefined ? row : { ...row, found };
  });
}

/** Reads messages, newest first, until there are enough threads. */
async function collect(
  messages: SearchedMessages,
  found: ThreadMatches,
  limit: number,
  after: MessagePosition | null,
): Promise<void> {
  const threads = new Set<string>();
  let position = after;
  for await (const { wanted, last, isEnd } of messages.read(after)) {
    const isNew = await notOnPagesBefore(messages, wanted, after);
    for (const message of wanted) {
      if (!isNew(message.threadId)) continue;
      if (threads.size === limit && !threads.has(message.threadId)) {
        // The page is full and ends before this message.
        found.next = position;
        return;
      }
      threads.add(message.threadId);
      if (found.threadIds.length < threads.size) {
        found.threadIds.push(message.threadId);
        found.objectIds.push(message.id);
      }
      position = message;
    }
    position = last ?? position;
    found.next = isEnd ? null : position;
  }
}

/** Returns a test for conversations that are on no earlier page. A conversation is listed only at its newest matching message. */
async function notOnPagesBefore(
  messages: SearchedMessages,
  wanted: readonly MessageMatch[],
  after: MessagePosition | null,
): Promise<(threadId: string) => boolean> {
  if (after === null || wanted.length === 0) return () => true;
  const before = await messages.threadsBefore(after, [...new Set(wanted.map(({ threadId }) => threadId))]);
  return (threadId) => !before.has(threadId);
}
