/** Actions of a mailbox owner on messages in the web client. All changes go through the store, so mail apps see them at once. */
import type { MailActionRequest, MailActionResult, UndoneMailActions } from '../../contract/mail/actions.ts';
import { columnsOf } from '../../db/columns.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { cursorOf } from '../../model/cursor.ts';
import { decodeId, NIL_UUID } from '../../model/ids.ts';
import type { Folder } from '../../store/folders.ts';
import { MESSAGES_END } from '../list/cursors.ts';
import type { MailSearch } from '../list/search/mail-search.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { rangesOf, type UidRange } from '../../store/uid-ranges.ts';
import { type PlannedAction, planAction, foldersOf, NEWEST_ONLY } from './plan-action.ts';
import { findCopies, type FolderPosition, type CopyQuery, MAX_FOLDER_COPIES } from './find-copies.ts';
import type { Snoozing } from './snoozing.ts';
import { StepRunner } from './step-runner.ts';
import { packUndo, unpackUndo } from './undo-steps.ts';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../../store/in-folder.ts';

/** Cursor of an action on a whole folder: the messages with UIDs above `after` and below `until` still have to be changed. */
const FOLDER_END = cursorOf('folder', { after: 'int', until: 'int' });

/** Cursor of an action on messages or conversations by id: the last copy that was changed. */
const COPY_END = cursorOf('named', { folderId: 'uuid', uid: 'int' });
/**
 * Cursor of an action that stopped within a conversation of the search results. `cursor` continues the search after that conversation;
 * `cursor` is empty if there are no more results.
 */
const SEARCH_END = cursorOf('found', { threadId: 'uuid', folderId: 'uuid', uid: 'int', cursor: 'text' });

/** Conversations per batch of an action on search results. */
const SEARCHED_AT_A_TIME = 100;

export interface MailActionsOptions {
  store: Store;
  reads: FairReads;
  search: Pick<MailSearch, 'threads'>;
  snoozing: Pick<Snoozing, 'snooze' | 'wakeNow'>;
}

/** Messages to change, by folder id. */
type CopiesByFolder = ReadonlyMap<string, readonly UidRange[]>;

interface ActionQuery extends Pick<CopyQuery, 'named' | 'after'> {
  /** Limits the action to these folders. Default: all folders that the action applies to. */
  searched?: readonly string[];
}

interface ActionBatch {
  copies: CopiesByFolder;
  /** The last message in this batch; null if this is the last batch. */
  last: FolderPosition | null;
}

export class MailActions {
  readonly #options: MailActionsOptions;

  constructor(options: MailActionsOptions) {
    this.#options = options;
  }

  /** @throws AppError */
  async run(mailbox: MailboxKey, request: MailActionRequest): Promise<MailActionResult> {
    const folders = await this.#options.store.folders(mailbox);
    const plan = planAction(request, folders);
    const { conversations, messages, all } = request;
    if ([conversations, messages, all].filter((each) => each !== undefined).length !== 1)
      throw validationError({ conversations: 'exactly one of conversations, messages and all is required' });
    if (all !== undefined && request.from !== undefined)
      throw validationError({ from: 'is allowed only with conversations or messages' });
    if (all !== undefined && request.continue !== undefined)
      throw validationError({ continue: 'is allowed only with conversations or messages; use all.continue' });
    if (all?.folder !== undefined && all.q === undefined)
      return this.#doFolder(mailbox, folders, plan, all.folder, all.continue);
    if (all?.q !== undefined && all.folder === undefined)
      return this.#doSearch(mailbox, folders, plan, all.q, all.continue);
    if (all !== undefined) throw validationError({ all: 'requires either folder or q' });
    const named =
      conversations === undefined
        ? { messages: uuids('msg', messages ?? []) }
        : { conversations: uuids('thr', conversations) };
    const after = request.continue === undefined ? null : COPY_END.decode(request.continue, 'continue');
    const runner = new StepRunner(this.#options.store, mailbox);
    if (plan.action === 'mute' && after === null) {
      // The Archive gets what is in the Inbox, as it will get later mail. Moved first, because an undo must find the mark by its UID.
      const archiving = planAction({ action: 'archive' }, folders);
      const inInbox = await this.#find(mailbox, folders, archiving, { named, after });
      await this.#do(mailbox, archiving, inInbox.copies, runner);
    }
    const found = await this.#find(mailbox, folders, plan, { named, after });
    const done = await this.#do(mailbox, plan, found.copies, runner);
    return { ...done, continue: found.last === null ? null : COPY_END.encode(found.last), remaining: 0 };
  }

  /** Finds the next batch of messages. */
  async #find(
    mailbox: MailboxKey,
    folders: readonly Folder[],
    plan: PlannedAction,
    { named, after, searched }: ActionQuery,
  ): Promise<ActionBatch> {
    const isEach = 'messages' in named;
    const folderIds = foldersOf(plan, folders, isEach).filter(
      (id) => searched === undefined || plan.from !== null || searched.includes(id),
    );
    // Starring or pinning a conversation marks only its newest message.
    const isNewest = NEWEST_ONLY.includes(plan.action) && !isEach;
    const found = await this.#options.reads.run(mailbox.projectId, (database) =>
      findCopies(database, mailbox, { named, isNewest, folderIds, after }),
    );
    const batch = found.slice(0, MAX_FOLDER_COPIES);
    const byFolder = Map.groupBy(batch, ({ folderId }) => folderId);
    return {
      copies: new Map([...byFolder].map(([id, copies]) => [id, rangesOf(copies.map(({ uid }) => uid))])),
      last: found.length > MAX_FOLDER_COPIES ? (batch.at(-1) ?? null) : null,
    };
  }

  async #do(
    mailbox: MailboxKey,
    plan: PlannedAction,
    copies: CopiesByFolder,
    runner = new StepRunner(this.#options.store, mailbox),
  ): Promise<Pick<MailActionResult, 'changed' | 'undo'>> {
    const { snoozing } = this.#options;
    for (const [folderId, ranges] of copies) {
      const { change } = plan;
      if (change === 'delete') await runner.delete(folderId, ranges);
      // Waking moves a message to the top of its folder, which an undo could not take back.
      else if (change === 'wake') runner.changed += await snoozing.wakeNow({ ...mailbox, folderId }, ranges);
      else if ('snoozedUntil' in change)
        runner.moved(folderId, await snoozing.snooze({ ...mailbox, folderId }, ranges, change.snoozedUntil));
      else await runner.run({ folderId, ranges, ...change });
    }
    return { changed: runner.changed, undo: runner.undo.length === 0 ? null : packUndo(runner.undo) };
  }

  /** Runs one batch of an action on a whole folder. Messages that arrive after the first batch are not included. */
  async #doFolder(
    mailbox: MailboxKey,
    folders: readonly Folder[],
    plan: PlannedAction,
    id: string,
    continued: string | undefined,
  ): Promise<MailActionResult> {
    const folder = folders.find((each) => each.id === (decodeId('fld', id) ?? NIL_UUID));
    if (folder === undefined) throw new AppError('not-found', 'There is no such folder.');
    if (plan.action === 'delete' && folder.role !== 'trash' && folder.role !== 'junk') throw notForEver();
    const key = { ...mailbox, folderId: folder.id };
    const before =
      continued === undefined
        ? { after: 0, until: folder.uidNext }
        : FOLDER_END.decode(continued, 'all.continue');
    const { last, remaining } = await this.#options.reads.run(mailbox.projectId, (database) =>
      nextOfFolder(database, key, before, MAX_FOLDER_COPIES),
    );
    const isTarget =
      typeof plan.change === 'object' && 'toFolderId' in plan.change && plan.change.toFolderId === folder.id;
    if (last === null || isTarget) return { changed: 0, undo: null, continue: null, remaining: 0 };
    const done = await this.#do(mailbox, plan, new Map([[folder.id, [{ first: before.after + 1, last }]]]));
    return {
      ...done,
      continue: remaining === 0 ? null : FOLDER_END.encode({ after: last, until: before.until }),
      remaining,
    };
  }

  /** Runs one batch of an action on search results, limited to the folders that the search covers. */
  async #doSearch(
    mailbox: MailboxKey,
    folders: readonly Folder[],
    plan: PlannedAction,
    q: string,
    continued: string | undefined,
  ): Promise<MailActionResult> {
    const inside = continued === undefined ? null : SEARCH_END.read(continued);
    const findBatch = async (limit: number, threadId?: string) => {
      const cursor = inside === null ? continued : inside.cursor || undefined;
      const found = await this.#options.search.threads(mailbox, { q, limit, cursor });
      if (found.problem !== null)
        throw new AppError(
          'bad-request',
          `Nothing was changed, because the search has an error: ${found.problem}`,
        );
      const conversations = threadId === undefined ? found.threadIds : [threadId];
      const batch = await this.#find(mailbox, folders, plan, {
        named: { conversations },
        after: inside,
        searched: found.folderIds,
      });
      const next = found.next === null ? null : MESSAGES_END.encode(found.next);
      return { ...batch, conversations, next: threadId === undefined ? next : inside?.cursor || null };
    };
    let batch = await findBatch(inside === null ? SEARCHED_AT_A_TIME : 1, inside?.threadId);
    // The batch would end within a conversation, and the cursor can only hold one conversation, so the batch is reduced to one
    // conversation.
    if (batch.last !== null && batch.conversations.length > 1) batch = await findBatch(1);
    const { copies, last, next, conversations } = batch;
    const done = await this.#do(mailbox, plan, copies);
    const [threadId] = conversations;
    return {
      ...done,
      continue:
        last === null || threadId === undefined
          ? next
          : SEARCH_END.encode({ threadId, ...last, cursor: next ?? '' }),
      remaining: 0,
    };
  }

  /** @throws AppError bad-request if an undo text is invalid or has expired */
  async undo(mailbox: MailboxKey, undos: readonly string[]): Promise<UndoneMailActions> {
    const runner = new StepRunner(this.#options.store, mailbox);
    for (const steps of undos.map(unpackUndo)) for (const step of steps) await runner.run(step);
    return { changed: runner.changed };
  }
}

function uuids(prefix: 'thr' | 'msg', ids: readonly string[]): string[] {
  return ids.map((id) => decodeId(prefix, id) ?? NIL_UUID);
}

function notForEver(): AppError {
  return new AppError(
    'bad-request',
    'Only messages in Trash or Junk can be deleted permanently. Move them there first.',
  );
}

const NEXT = columnsOf({ last: 'int4?', messages: 'int4', all: 'int4' });

/** @returns the last UID of the next batch (null if nothing is left) and the number of messages after it */
export async function nextOfFolder(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  { after, until }: { after: number; until: number },
  limit: number,
): Promise<{ last: number | null; remaining: number }> {
  const isLeft = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}
    and uid > ${after} and uid < ${until}`;
  const { rows } = await NEXT.sql`
    select max(uid) as last, count(*)::int as messages, (select count(*)::int from messages where ${isLeft}) as "all"
    from (select uid from messages where ${isLeft} order by uid limit ${limit}) m`.execute(database);
  const { last = null, messages = 0, all = 0 } = rows[0] ?? {};
  return { last, remaining: all - messages };
}
