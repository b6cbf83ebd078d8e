/** Actions of the web client while mail apps change the same mail, in random order and concurrently. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { assertSound } from '../../../test/support/sound-mailbox.ts';
import type { MailAction } from '../../contract/mail/actions.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { FOLDER_ROLES, type FolderRole } from '../../model/folder-roles.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { FLAG, PINNED } from '../../store/flags.ts';
import { MailSearch } from '../list/search/mail-search.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import { MailActions } from './mail-actions.ts';
import { Snoozing } from './snoozing.ts';

let db: TestDatabase;
let store: Store;
let actions: MailActions;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  const reads = new FairReads(db.database, 2);
  const snoozing = new Snoozing({ database: db.database, store });
  actions = new MailActions({ store, reads, search: new MailSearch({ store, reads }), snoozing });
});
after(() => db[Symbol.asyncDispose]());

const CONVERSATIONS = 3;
const MESSAGES = 12;
const ACTIONS = [
  'archive',
  'junk',
  'not-junk',
  'trash',
  'seen',
  'unseen',
  'star',
  'unstar',
  'move',
  'pin',
  'unpin',
  'mute',
  'label',
  'snooze',
  'unsnooze',
] as const;
const LATER = () => new Date(clock.nowMs() + 86_400_000).toISOString();
const role = fc.constantFrom(...(Object.keys(FOLDER_ROLES) as FolderRole[]));
const uid = fc.integer({ min: 1, max: MESSAGES });
const conversation = fc.integer({ min: 0, max: CONVERSATIONS - 1 });

type Step =
  | { by: 'page'; action: MailAction; conversation: number; to: FolderRole; from: FolderRole | null }
  | { by: 'undo' }
  | {
      by: 'app';
      does: 'flag' | 'unflag' | 'copy' | 'move' | 'expunge';
      in: FolderRole;
      to: FolderRole;
      uid: number;
      flag: number;
      keyword: string | null;
    };

const byPage = fc.record({
  by: fc.constant('page' as const),
  action: fc.constantFrom<MailAction>(...ACTIONS),
  conversation,
  to: role,
  from: fc.option(role),
});
const undo = fc.constant({ by: 'undo' as const });
const byApp = fc.record({
  by: fc.constant('app' as const),
  does: fc.constantFrom(
    'flag' as const,
    'unflag' as const,
    'copy' as const,
    'move' as const,
    'expunge' as const,
  ),
  in: role,
  to: role,
  uid,
  flag: fc.constantFrom(FLAG.seen, FLAG.flagged, FLAG.deleted, FLAG.draft),
  keyword: fc.option(fc.constant(PINNED)),
});
/** Pairs of a step of the web client and a step of a mail app, which start at the same time. */
const rounds = fc.array(fc.tuple(fc.oneof(byPage, byPage, undo), byApp), { minLength: 4, maxLength: 12 });

interface FilledMailbox {
  mailbox: MailboxKey;
  threads: string[];
  folderId(role: FolderRole): string;
}

async function filled(): Promise<FilledMailbox> {
  const mailbox = await newMailbox(db.database);
  await store.append(
    Array.from({ length: MESSAGES }, (_, n) =>
      newMessage(mailbox, {
        folder: { role: n % 4 === 3 ? 'archive' : 'inbox' },
        facts: { messageId: `<${n}@x.example>`, references: [`<${n % CONVERSATIONS}@root.example>`] },
      }),
    ),
  );
  const folders = await store.folders(mailbox);
  const { rows } = await sql<{ threadId: string }>`
    select distinct thread_id from message_contents where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  const folderId = (searchedRole: FolderRole): string =>
    folders.find((each) => each.role === searchedRole)?.id ?? '';
  return { mailbox, threads: rows.map(({ threadId }) => threadId), folderId };
}

async function take(
  { mailbox, threads, folderId }: FilledMailbox,
  step: Step,
  undos: string[],
): Promise<void> {
  if (step.by === 'undo') {
    const last = undos.pop();
    if (last !== undefined) await actions.undo(mailbox, [last]);
    return;
  }
  if (step.by === 'page') {
    const { action, from, to } = step;
    const done = await actions.run(mailbox, {
      action,
      conversations: [encodeId('thr', threads[step.conversation] ?? '')],
      ...(from !== null && { from: encodeId('fld', folderId(from)) }),
      ...(action === 'move' && { to: encodeId('fld', folderId(to)) }),
      ...(action === 'label' && { label: 'plan' }),
      ...(action === 'snooze' && { until: LATER() }),
    });
    if (done.undo !== null) undos.push(done.undo);
    return;
  }
  const key = { ...mailbox, folderId: folderId(step.in) };
  const ranges = [{ first: step.uid, last: step.uid + 2 }];
  const change = { flags: step.flag, keywords: step.keyword === null ? [] : [step.keyword] };
  if (step.does === 'flag') await store.flag(key, ranges, { op: 'add', ...change });
  else if (step.does === 'unflag') await store.flag(key, ranges, { op: 'remove', ...change });
  else if (step.does === 'copy') await store.copy(key, ranges, { role: step.to });
  else if (step.does === 'move') await store.move(key, ranges, { role: step.to });
  else await store.expunge(key, { ranges: null, isDeletedOnly: true });
}

async function messagesOf({ mailboxId }: MailboxKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct object_id)::int as count from messages where mailbox_id = ${mailboxId}`.execute(
    db.database,
  );
  return rows[0]?.count ?? 0;
}

test('all counts stay correct and no message is lost while the web client and mail apps change the same mail', () =>
  fc.assert(
    fc.asyncProperty(rounds, async (each) => {
      const all = await filled();
      const undos: string[] = [];
      for (const round of each) await Promise.all(round.map((step) => take(all, step, undos)));
      await assertSound(db.database, all.mailbox);
      if (!each.some(([, { does }]) => does === 'expunge'))
        assert.equal(await messagesOf(all.mailbox), MESSAGES);
      // Undo all remaining actions, even on messages that were moved or deleted after the action.
      for (const undoing of undos.toReversed()) await actions.undo(all.mailbox, [undoing]);
      await assertSound(db.database, all.mailbox);
    }),
    { numRuns: 12 },
  ));
