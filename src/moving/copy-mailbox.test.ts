/** Copies mailboxes over IMAP from a listener of this program. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { newMailbox } from '../../test/support/mail.ts';
import { testCertificate } from '../../test/support/tls/certificate.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type OwnStage, startTestListener } from '../doors/imap/listener.fixture.ts';
import type { FactsReader } from '../store/facts/facts-reader.ts';
import { FLAG } from '../store/flags.ts';
import { deletingFolders } from '../store/background-jobs.ts';
import { lockForWriting } from '../store/lock-for-writing.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { Store } from '../store/store.ts';
import { forgettingSources, recordCopies, startCopying } from './copied-messages.ts';
import {
  type CopyContext,
  copyMailbox,
  type CopyOptions,
  type CopyReport,
  newReport,
} from './copy-mailbox.ts';
import { type ScriptedMessage, startScriptedSource } from './scripted-source.fixture.ts';
import { SourceMailbox } from './source-mailbox.ts';
import { verifyCopies, type VerifyReport } from './verify-copies.ts';

const MAX_OCTETS = 10_000;
/** UIDVALIDITY on the source. Differs from those that the mailbox here gets. */
const VALIDITY = 1_500_000_000;

type SourceStage = Pick<OwnStage, 'host' | 'port' | 'user' | 'password'>;

interface AnyMove {
  from: SourceStage;
  to: MailboxKey;
}

interface Move extends AnyMove {
  from: OwnStage;
}

const message = (text: string) => Buffer.from(`Subject: ${text}\r\n\r\n${text}\r\n`);

suite('copying a mailbox', () => {
  let listener: Awaited<ReturnType<typeof startTestListener>>;
  before(async () => {
    listener = await startTestListener();
  });
  after(() => listener[Symbol.asyncDispose]());

  /** A mailbox with the given folders on the source, and an empty mailbox here. */
  async function newMove(folders: readonly string[] = []): Promise<Move> {
    const from = await listener.stage();
    for (const name of folders)
      assert.equal((await listener.store.createFolder(from.mailbox, { name })).outcome, 'done');
    const all = await listener.store.folders(from.mailbox);
    for (const [at, { id }] of all.entries())
      await listener.database
        .updateTable('folders')
        .set({ uidValidity: VALIDITY + at, uidNext: 11 })
        .where('id', '=', id)
        .execute();
    return { from, to: await newMailbox(listener.database) };
  }

  /** Runs a pass. */
  async function pass(
    { from, to }: AnyMove,
    {
      facts = listener.facts,
      blobs = listener.blobs,
      store = listener.store,
      maxMessageOctets = MAX_OCTETS,
      notes = [],
      ...options
    }: Partial<CopyOptions> & {
      facts?: Pick<FactsReader, 'read'>;
      blobs?: Pick<Blobs, 'prepare' | 'discard'>;
      store?: Store;
      maxMessageOctets?: number;
      notes?: string[];
    } = {},
  ): Promise<CopyReport> {
    const report = newReport();
    await using source = await open(from);
    await copyMailbox(
      { ...context(notes), facts: facts as FactsReader, blobs: blobs as Blobs, store, maxMessageOctets },
      source,
      keyOf({ from, to }),
      { excluded: new Set(), isDryRun: false, deletesMany: false, ...options },
      report,
    );
    return report;
  }

  async function verify({ from, to }: Move): Promise<VerifyReport> {
    await using source = await open(from);
    return await verifyCopies(context([]), source, keyOf({ from, to }));
  }

  function open({ host, port, user, password }: SourceStage): Promise<SourceMailbox> {
    const server = { host, port, isSecure: false, allowsPlaintext: true, ca: testCertificate.cert };
    return SourceMailbox.open(server, { user, password, master: null }, 2_000_000);
  }

  function context(notes: string[]): CopyContext {
    const { database, store, blobs, facts } = listener;
    return { database, store, blobs, facts, maxMessageOctets: MAX_OCTETS, note: (line) => notes.push(line) };
  }

  const keyOf = ({ from, to }: AnyMove) => ({ ...to, source: from.user });

  async function folderOf(mailbox: MailboxKey, name: string) {
    const found = (await listener.store.folders(mailbox)).find((folder) => folder.name === name);
    assert.ok(found !== undefined, name);
    return { ...mailbox, folderId: found.id, ...found };
  }

  /** Adds messages, the first with UID 11. @param received in seconds */
  async function add(mailbox: MailboxKey, name: string, texts: readonly string[], received = 1_400_000_000) {
    const { folderId } = await folderOf(mailbox, name);
    const results = await listener.store.append(
      await Promise.all(
        texts.map(async (text, at) => ({
          ...mailbox,
          folder: { id: folderId },
          blob: await listener.blobs.prepare(mailbox.projectId, message(text)),
          facts: await listener.facts.read(message(text)),
          flags: at === 0 ? FLAG.seen : 0,
          keywords: at === 0 ? ['$Forwarded'] : [],
          internalDate: new Date((received + at) * 1_000),
          authentication: null,
          spam: null,
        })),
      ),
    );
    assert.ok(results.every(({ outcome }) => outcome === 'stored'));
  }

  /** All messages of a mailbox as `folder uid flags keywords date subject`. */
  async function contents(mailbox: MailboxKey): Promise<string[]> {
    const lines: string[] = [];
    for (const { id, name } of await listener.store.folders(mailbox)) {
      const messages = await listener.store.messages({ ...mailbox, folderId: id }, [
        { first: 1, last: 2 ** 31 - 1 },
      ]);
      for (const { uid, flags, keywords, internalDate, subject } of messages)
        lines.push([name, uid, flags, keywords.join('+'), internalDate.getTime() / 1_000, subject].join(' '));
    }
    return lines;
  }

  const range = (uid: number) => [{ first: uid, last: uid }];

  test('the first pass copies folders, bytes, flags, dates and UIDs, and later passes bring only changes', async () => {
    const move = await newMove(['Projects/Übung', 'Empty']);
    const { from, to } = move;
    await add(from.mailbox, 'INBOX', ['one', 'two', 'three', 'two']);
    await add(from.mailbox, 'Projects/Übung', ['four', 'five']);
    const first = await pass(move);
    assert.deepEqual(
      [first.folders, first.messages, first.imported, first.foldersWithUids, first.leftOut],
      [9, 6, 6, 9, 0],
    );
    assert.deepEqual(await contents(to), await contents(from.mailbox));
    for (const name of ['INBOX', 'Empty', 'Projects/Übung'])
      assert.equal((await folderOf(to, name)).uidValidity, (await folderOf(from.mailbox, name)).uidValidity);
    assert.deepEqual(await verify(move), { verified: 6, differing: 0 });

    const again = await pass(move);
    assert.deepEqual([again.imported, again.alreadyThere, again.flagsChanged, again.deleted], [0, 0, 0, 0]);

    const [inbox, projects] = [
      await folderOf(from.mailbox, 'INBOX'),
      await folderOf(from.mailbox, 'Projects/Übung'),
    ];
    await listener.store.flag(inbox, range(11), { op: 'replace', flags: FLAG.flagged, keywords: ['$Junk'] });
    await listener.store.expunge(inbox, { ranges: range(12), isDeletedOnly: false });
    await listener.store.move(inbox, range(13), { id: projects.folderId });
    await add(from.mailbox, 'INBOX', ['six'], 1_450_000_000);
    const changes = await pass(move);
    assert.deepEqual([changes.imported, changes.flagsChanged, changes.deleted], [2, 1, 2]);
    assert.deepEqual(await contents(to), await contents(from.mailbox));
  });

  test('flags that were set here stay, and messages that were deleted here do not return', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two', 'three']);
    await pass(move);
    const [there, here] = [await folderOf(move.from.mailbox, 'INBOX'), await folderOf(move.to, 'INBOX')];
    await listener.store.flag(here, range(12), { op: 'add', flags: FLAG.answered, keywords: ['mine'] });
    await listener.store.flag(there, range(12), { op: 'add', flags: FLAG.seen, keywords: ['theirs'] });
    await listener.store.expunge(here, { ranges: range(13), isDeletedOnly: false });
    const { imported, noLongerHere } = await pass(move);
    assert.deepEqual([imported, noLongerHere], [0, 1]);
    assert.deepEqual(await contents(move.to), [
      `INBOX 11 ${FLAG.seen} $Forwarded 1400000000 one`,
      `INBOX 12 ${FLAG.seen | FLAG.answered} mine+theirs 1400000001 two`,
    ]);
  });

  test('a pass that is interrupted continues without storing a message twice', async () => {
    const move = await newMove();
    await add(
      move.from.mailbox,
      'INBOX',
      Array.from({ length: 120 }, (_, at) => `message ${at}`),
    );
    for (const fails of [10, 60]) {
      let left = fails;
      const facts = {
        read: (raw: Buffer) => {
          left -= 1;
          if (left < 0) throw new Error('interrupted');
          return listener.facts.read(raw);
        },
      };
      await assert.rejects(pass(move, { facts }), /^Error: interrupted$/);
    }
    const last = await pass(move);
    assert.equal(last.imported, 70);
    assert.deepEqual(await contents(move.to), await contents(move.from.mailbox));
  });

  test('two passes at the same time store each message once', async () => {
    const move = await newMove();
    await add(
      move.from.mailbox,
      'INBOX',
      Array.from({ length: 120 }, (_, at) => `message ${at}`),
    );
    const reports = await Promise.all([pass(move), pass(move)]);
    assert.equal(
      reports.reduce((sum, { imported }) => sum + imported, 0),
      120,
    );
    assert.deepEqual(await contents(move.to), await contents(move.from.mailbox));
  });

  test('messages that are here already are not copied again, also after a change of UIDVALIDITY', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two', 'two', 'three']);
    await add(move.to, 'INBOX', ['two', 'one', 'other']);
    const first = await pass(move);
    assert.deepEqual([first.imported, first.alreadyThere, first.foldersWithUids], [2, 2, 5]);
    const { folderId } = await folderOf(move.from.mailbox, 'INBOX');
    await listener.database
      .updateTable('folders')
      .set({ uidValidity: VALIDITY + 100 })
      .where('id', '=', folderId)
      .execute();
    const second = await pass(move);
    assert.deepEqual([second.imported, second.alreadyThere, second.deleted], [0, 4, 0]);
    assert.deepEqual((await contents(move.to)).map((line) => line.split(' ').at(-1)).sort(), [
      'one',
      'other',
      'three',
      'two',
      'two',
    ]);
  });

  test('if most messages are missing on the source, they are deleted only on request', async () => {
    const move = await newMove();
    await add(
      move.from.mailbox,
      'INBOX',
      Array.from({ length: 30 }, (_, at) => `message ${at}`),
    );
    await pass(move);
    const inbox = await folderOf(move.from.mailbox, 'INBOX');
    await listener.store.expunge(inbox, { ranges: null, isDeletedOnly: false });
    const notes: string[] = [];
    const careful = await pass(move, { notes });
    assert.deepEqual([careful.deleted, careful.notDeleted], [0, 30]);
    assert.match(notes.join('\n'), /use --delete-many/);
    assert.equal((await contents(move.to)).length, 30);
    const bold = await pass(move, { deletesMany: true });
    assert.deepEqual([bold.deleted, bold.notDeleted], [30, 0]);
    assert.deepEqual(await contents(move.to), []);
  });

  test('a message of two sources is deleted only when both have deleted it', async () => {
    const [one, two] = [await newMove(), await newMove()];
    const both = { from: two.from, to: one.to };
    for (const { from } of [one, both]) await add(from.mailbox, 'INBOX', ['shared', `of ${from.user}`]);
    await pass(one);
    assert.equal((await pass(both)).alreadyThere, 1);
    for (const [move, remaining] of [
      [one, 3],
      [both, 2],
    ] as const) {
      const inbox = await folderOf(move.from.mailbox, 'INBOX');
      await listener.store.expunge(inbox, { ranges: range(11), isDeletedOnly: false });
      await pass(move);
      assert.equal((await contents(one.to)).length, remaining);
    }
  });

  test('messages that are too large are left out, and a dry run copies nothing', async () => {
    const move = await newMove(['Large']);
    await add(move.from.mailbox, 'Large', ['small', 'x'.repeat(MAX_OCTETS)]);
    await add(move.from.mailbox, 'Junk', ['spam']);
    for (const isDryRun of [true, false]) {
      const notes: string[] = [];
      const report = await pass(move, { isDryRun, notes, excluded: new Set(['Junk']) });
      assert.deepEqual([report.imported, report.leftOut, report.folders], [1, 1, 6], String(isDryRun));
      assert.match(notes.join('\n'), /^Skipped message 12 of Large: it is larger than/m);
      assert.equal((await contents(move.to)).length, isDryRun ? 0 : 1);
    }
  });

  test('a dry run says what the quota lacks, and a full mailbox continues when it has space again', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two']);
    const setQuota = (quotaMb: number) =>
      listener.database
        .updateTable('mailboxes')
        .set({ quotaMb })
        .where('id', '=', move.to.mailboxId)
        .execute();
    await setQuota(0);
    const planned = await pass(move, { isDryRun: true });
    assert.equal(planned.lackingOctets, message('one').length + message('two').length);
    await assert.rejects(pass(move), /The mailbox is full\. Raise its limit and run the command again/);
    await setQuota(1);
    assert.equal((await pass(move)).imported, 2);
  });

  test('records of a source are deleted 90 days after its last pass', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two']);
    await pass(move);
    const count = async () => {
      const rows = await listener.database
        .selectFrom('sourceMessages')
        .select('uid')
        .where('mailboxId', '=', move.to.mailboxId)
        .execute();
      return rows.length;
    };
    for await (const _ of forgettingSources(listener.database)) continue;
    assert.equal(await count(), 2);
    const old = new Date(Date.now() - 91 * 24 * 60 * 60_000);
    await listener.database
      .updateTable('sourceFolders')
      .set({ passedAt: old })
      .where('mailboxId', '=', move.to.mailboxId)
      .execute();
    for await (const _ of forgettingSources(listener.database)) continue;
    assert.equal(await count(), 0);
    assert.equal((await pass(move)).alreadyThere, 2);
  });

  test('a message that was here before is neither marked as deleted nor deleted with its original', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two', 'three']);
    await add(move.to, 'INBOX', ['two']);
    assert.equal((await pass(move)).alreadyThere, 1);
    const inbox = await folderOf(move.from.mailbox, 'INBOX');
    const deleted = { op: 'add' as const, flags: FLAG.deleted | FLAG.flagged, keywords: [] };
    await listener.store.flag(inbox, range(12), deleted);
    await pass(move);
    await listener.store.expunge(inbox, { ranges: range(12), isDeletedOnly: false });
    assert.equal((await pass(move)).deleted, 0);
    const [two, ...others] = (await contents(move.to)).sort();
    assert.match(two ?? '', /^INBOX 1 \d+ \$Forwarded 1400000000 two$/);
    assert.equal(Number(two?.split(' ')[2]) & deleted.flags, FLAG.flagged);
    assert.equal(others.length, 2);
  });

  test('a folder that was deleted here returns only with new messages', async () => {
    const move = await newMove(['Projects']);
    await add(move.from.mailbox, 'Projects', ['one', 'two', 'three']);
    await pass(move);
    const here = await folderOf(move.to, 'Projects');
    await listener.store.move(here, range(11), { id: (await folderOf(move.to, 'INBOX')).folderId });
    assert.equal((await listener.store.deleteFolder(here)).outcome, 'done');
    const there = await folderOf(move.from.mailbox, 'Projects');
    await listener.store.flag(there, range(12), { op: 'add', flags: FLAG.flagged, keywords: [] });
    const second = await pass(move);
    assert.deepEqual([second.imported, second.noLongerHere], [0, 3]);
    assert.equal(
      (await listener.store.folders(move.to)).find(({ name }) => name === 'Projects'),
      undefined,
    );
    await add(move.from.mailbox, 'Projects', ['four'], 1_450_000_000);
    await listener.store.expunge(there, { ranges: range(11), isDeletedOnly: false });
    assert.deepEqual([(await pass(move)).imported, (await pass(move)).imported], [1, 0]);
    assert.deepEqual((await contents(move.to)).map((line) => line.replace(/ .* /, ' ')).sort(), [
      'INBOX one',
      'Projects four',
    ]);
  });

  test('a message that was deleted here does not return after a change of UIDVALIDITY', async () => {
    const move = await newMove();
    await add(move.from.mailbox, 'INBOX', ['one', 'two', 'two', 'three']);
    await pass(move);
    const here = await folderOf(move.to, 'INBOX');
    await listener.store.expunge(here, { ranges: [{ first: 12, last: 13 }], isDeletedOnly: false });
    const before = await contents(move.to);
    const { folderId } = await folderOf(move.from.mailbox, 'INBOX');
    await listener.database
      .updateTable('folders')
      .set({ uidValidity: VALIDITY + 100 })
      .where('id', '=', folderId)
      .execute();
    for (let n = 0; n < 2; n++) {
      const { imported, noLongerHere } = await pass(move);
      assert.deepEqual([imported, noLongerHere], [0, 2]);
    }
    assert.deepEqual(await contents(move.to), before);
  });

  for (const [remaining, isDeleted] of [
    [0, false],
    [1, false],
    [2, true],
  ] as const)
    test(`if ${remaining} of ${remaining + 2} messages are left on the source, the others are ${isDeleted ? '' : 'not '}deleted`, async () => {
      const move = await newMove();
      const texts = Array.from({ length: remaining + 2 }, (_, at) => `message ${at}`);
      await add(move.from.mailbox, 'INBOX', texts);
      await pass(move);
      const inbox = await folderOf(move.from.mailbox, 'INBOX');
      await listener.store.expunge(inbox, { ranges: [{ first: 11, last: 12 }], isDeletedOnly: false });
      const { deleted, notDeleted } = await pass(move);
      assert.deepEqual([deleted, notDeleted], isDeleted ? [2, 0] : [0, 2]);
    });

  /** A source whose Inbox has the given messages with UIDs from 1, and an empty mailbox here. */
  async function newScript(texts: readonly string[]) {
    const from = await startScriptedSource();
    const messages: ScriptedMessage[] = texts.map((text, at) => ({
      uid: at + 1,
      raw: message(text).toString(),
    }));
    const inbox = { uidValidity: VALIDITY, uidNext: texts.length + 1, messages };
    const archive = { uidValidity: VALIDITY + 1, uidNext: 1, messages: messages.slice(0, 0) };
    from.folders.set('INBOX', inbox).set('Work', archive);
    return {
      from,
      to: await newMailbox(listener.database),
      inbox,
      archive,
      [Symbol.asyncDispose]: () => from[Symbol.asyncDispose](),
    };
  }

  const subjects = async (mailbox: MailboxKey) =>
    (await contents(mailbox)).map((line) => line.replace(/ .* /, ' ')).sort();

  /** `close` and `BYE` replace the response to the command; `BYE later` follows it. `nth`: the command of this kind, if a message is gone. */
  const LOST: [command: RegExp, ends: string[], nth?: number][] = [
    [/^LIST "" "\*"/, ['close', 'BYE']],
    [/^EXAMINE INBOX/, ['close', 'BYE', 'BYE later']],
    [/^UID SEARCH/, ['close', 'BYE', 'BYE later']],
    [/FLAGS/, ['close', 'BYE', 'BYE later']],
    [/BODY/, ['close', 'BYE']],
    [/^LIST "" "\*"/, ['close', 'BYE', 'BYE later'], 2],
    [/^EXAMINE INBOX/, ['close', 'BYE'], 2],
  ];

  for (const [command, end, nth = 1] of LOST.flatMap(([command, ends, nth]) =>
    ends.map((end) => [command, end, nth] as const),
  ))
    test(`a connection that ends with ${end} at ${command.source} (${nth}) does not look like an empty folder`, async () => {
      await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
      // The next folder would show it too.
      move.from.folders.delete('Work');
      await pass(move);
      // Without a deleted message, only the missing responses show that the connection was lost.
      const isGone = nth === 2;
      if (isGone) move.inbox.messages.splice(0, 1);
      move.inbox.messages.push({ uid: 6, raw: message('six').toString() });
      move.inbox.uidNext = 7;
      let commands = 0;
      move.from.script.intercept = (text, socket, tag) => {
        if (!command.test(text)) return false;
        commands += 1;
        if (commands < nth) return false;
        if (end === 'close') socket.destroy();
        else if (end === 'BYE') socket.end(`* BYE going down\r\n${tag} OK done\r\n`);
        else setImmediate(() => socket.end('* BYE going down\r\n'));
        return end !== 'BYE later';
      };
      await assert.rejects(pass(move));
      assert.equal(commands, nth);
      assert.ok((await subjects(move.to)).includes('INBOX one'));
      move.from.script.intercept = null;
      assert.equal((await pass(move)).deleted, isGone ? 1 : 0);
      const expected = [...(isGone ? [] : ['one']), 'two', 'three', 'four', 'five', 'six'];
      assert.deepEqual(await subjects(move.to), expected.map((text) => `INBOX ${text}`).sort());
    });

  test('messages that the source does not describe or send are left out, and nothing is deleted meanwhile', async () => {
    await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
    await pass(move);
    const [moved] = move.inbox.messages.splice(0, 1);
    assert.ok(moved !== undefined);
    move.archive.messages.push({ ...moved, raw: '' });
    move.inbox.messages.push({ uid: 6, raw: message('six').toString(), isBroken: true });
    const notes: string[] = [];
    const broken = await pass(move, { notes });
    assert.deepEqual([broken.leftOut, broken.deleted, broken.notDeleted], [2, 0, 1]);
    assert.match(notes.join('\n'), /^Skipped message 6 of INBOX: it was deleted/m);
    assert.match(notes.join('\n'), /^Skipped message 1 of Work: it was deleted/m);
    assert.ok((await subjects(move.to)).includes('INBOX one'));
    move.archive.messages = [moved];
    move.inbox.messages.pop();
    const whole = await pass(move);
    assert.deepEqual([whole.imported, whole.leftOut, whole.deleted], [1, 0, 1]);
    assert.ok((await subjects(move.to)).includes('Work one'));
  });

  test('a source that was restored from a backup gives UIDs to other messages, and loses none here', async () => {
    await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
    await pass(move);
    move.inbox.messages.splice(3, 2, { uid: 4, raw: message('other').toString() });
    move.inbox.uidNext = 5;
    const notes: string[] = [];
    const restored = await pass(move, { notes });
    assert.deepEqual([restored.imported, restored.deleted], [1, 0]);
    assert.match(notes.join('\n'), /^The folder INBOX was restored from a backup/m);
    const expected = ['one', 'two', 'three', 'four', 'five', 'other'].map((text) => `INBOX ${text}`).sort();
    assert.deepEqual(await subjects(move.to), expected);
    // Another size or date of the same bytes is not another message.
    move.inbox.messages = move.inbox.messages.map((each) => ({ ...each, received: 1_500_000_000 }));
    const dated = await pass(move);
    assert.deepEqual([dated.imported, dated.alreadyThere, (await pass(move)).alreadyThere], [0, 4, 0]);
    assert.deepEqual(await subjects(move.to), expected);
  });

  type Script = Awaited<ReturnType<typeof newScript>>;

  /** Changes the source when a pass reads the folder Work for the first time. The Inbox was read before. */
  function atWork(move: Script, change: () => void): void {
    move.from.script.intercept = (text) => {
      if (!text.startsWith('EXAMINE Work')) return false;
      move.from.script.intercept = null;
      change();
      return false;
    };
  }

  const MEANWHILE: [what: string, change: (move: Script, moved: ScriptedMessage) => void, reason: RegExp][] =
    [
      [
        'into a folder that was read before',
        ({ inbox }, moved) => {
          inbox.messages.push({ ...moved, uid: 6 });
          inbox.uidNext = 7;
        },
        /: the folder INBOX has new messages\. Run the command again/,
      ],
      [
        'into a new folder',
        ({ from }, moved) =>
          from.folders.set('New', {
            uidValidity: VALIDITY + 2,
            uidNext: 2,
            messages: [{ ...moved, uid: 1 }],
          }),
        /: the folder New is new\./,
      ],
      [
        'into a folder that was created again',
        ({ inbox }, moved) => {
          inbox.uidValidity += 10;
          inbox.messages[0] = { ...moved, uid: 1 };
        },
        /: the folder INBOX was created again\./,
      ],
      [
        'and its new folder was renamed',
        ({ from, inbox }, moved) => {
          from.folders.delete('Early');
          from.folders.set('Renamed', { ...inbox, messages: [{ ...moved, uid: 1 }] });
        },
        /: the folder Renamed is new\./,
      ],
      [
        'and a folder was deleted',
        ({ from }) => from.folders.delete('Early'),
        /: the folder Early was deleted or renamed\./,
      ],
    ];

  for (const [what, change, reason] of MEANWHILE)
    test(`a message is not deleted here if it was moved during the pass ${what}`, async () => {
      await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
      const moved = { uid: 1, raw: message('moved').toString() };
      move.archive.messages.push(moved);
      move.archive.uidNext = 2;
      move.from.folders.set('Early', { uidValidity: VALIDITY + 5, uidNext: 1, messages: [] });
      await pass(move);
      const notes: string[] = [];
      atWork(move, () => {
        move.archive.messages.pop();
        change(move, moved);
      });
      const meanwhile = await pass(move, { notes });
      assert.deepEqual([meanwhile.deleted, meanwhile.notDeleted], [0, 1]);
      assert.match(notes.join('\n'), reason);
      assert.ok((await subjects(move.to)).includes('Work moved'));
      const { deleted, notDeleted } = await pass(move);
      assert.deepEqual([deleted, notDeleted], [1, 0]);
      assert.ok(!(await subjects(move.to)).includes('Work moved'));
    });

  for (const [item, response] of [
    ['EXISTS', /\* \d+ EXISTS\r\n/],
    ['UIDNEXT', /\* OK \[UIDNEXT .*\r\n/],
    ['UIDVALIDITY', /\* OK \[UIDVALIDITY .*\r\n/],
  ] as const)
    test(`a folder without ${item} is an error`, async () => {
      await using move = await newScript(['one', 'two']);
      await pass(move);
      move.inbox.messages = [];
      move.from.script.intercept = (text, socket, tag) => {
        if (text.startsWith('STATUS')) socket.write(`${tag} OK done\r\n`);
        if (!text.startsWith('EXAMINE INBOX')) return text.startsWith('STATUS');
        const lines = `* 0 EXISTS\r\n* OK [UIDVALIDITY ${VALIDITY}] ok\r\n* OK [UIDNEXT 3] ok\r\n`;
        socket.write(`${lines.replace(response, '')}${tag} OK done\r\n`);
        return true;
      };
      await assert.rejects(
        pass(move),
        new RegExp(`^Error: The old server did not select the folder INBOX: it sent no ${item}\\.$`),
      );
      assert.equal((await subjects(move.to)).length, 2);
    });

  test('a folder whose UIDNEXT only STATUS tells is copied', async () => {
    await using move = await newScript(['one', 'two']);
    move.from.folders.set('INBOX', { ...move.inbox, hidesUidNext: true });
    const { imported, foldersWithUids } = await pass(move);
    assert.deepEqual([imported, foldersWithUids], [2, 2]);
  });

  test('copies of messages that a restored source lost stay here, also if it has as many UIDs again', async () => {
    await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
    await pass(move);
    // Restored with the first two messages. The user then deleted the first new message, and stored a lost one again.
    move.inbox.messages.splice(2, 3);
    for (const [at, text] of ['other', 'five', 'new'].entries())
      move.inbox.messages.push({ uid: 4 + at, raw: message(text).toString(), received: 1_450_000_000 + at });
    move.inbox.uidNext = 7;
    const notes: string[] = [];
    const restored = await pass(move, { notes });
    assert.deepEqual([restored.imported, restored.alreadyThere, restored.deleted], [2, 1, 0]);
    assert.match(notes.join('\n'), /^The folder INBOX was restored from a backup: UIDs above 2 belong/m);
    const all = ['one', 'two', 'three', 'four', 'five', 'other', 'new'];
    const expected = all.map((text) => `INBOX ${text}`).sort();
    assert.deepEqual(await subjects(move.to), expected);
    // Its earlier copies are not copied again later either.
    move.inbox.messages.push({ uid: 7, raw: message('four').toString() });
    move.inbox.uidNext = 8;
    const later = await pass(move);
    assert.deepEqual([later.imported, later.alreadyThere, later.deleted], [0, 1, 0]);
    // A copy of a message that the source has again is deleted with it.
    move.inbox.messages = move.inbox.messages.filter(({ uid }) => uid !== 6);
    assert.equal((await pass(move)).deleted, 1);
    assert.deepEqual(
      await subjects(move.to),
      expected.filter((line) => line !== 'INBOX new'),
    );
  });

  test('a source that was restored twice loses no message here', async () => {
    await using move = await newScript(['one', 'two', 'three']);
    await pass(move);
    for (const [at, text] of ['four', 'five'].entries()) {
      const received = 1_460_000_000 + at;
      // A message that is left out keeps the pass from being complete.
      move.inbox.messages.splice(1, 2, { uid: 2, raw: message(text).toString(), received });
      move.inbox.messages.push({ uid: 3, raw: '', isBroken: true });
      assert.equal((await pass(move)).leftOut, 1);
      move.inbox.messages.pop();
    }
    await pass(move);
    const expected = ['one', 'two', 'three', 'four', 'five'].map((text) => `INBOX ${text}`).sort();
    assert.deepEqual(await subjects(move.to), expected);
  });

  for (const refuses of [/FLAGS/, /BODY/])
    test(`a message whose ${refuses.source} the source refuses is left out, and the others are copied`, async () => {
      await using move = await newScript(['one', 'two', 'three', 'four', 'five']);
      const [, refused] = move.inbox.messages;
      assert.ok(refused !== undefined);
      move.archive.messages.push({ uid: 1, raw: message('gone').toString() });
      move.archive.uidNext = 2;
      await pass(move, { excluded: new Set(['INBOX']) });
      refused.refuses = refuses;
      move.archive.messages.pop();
      const notes: string[] = [];
      const { imported, leftOut, deleted, notDeleted } = await pass(move, { notes });
      assert.deepEqual([imported, leftOut, deleted, notDeleted], [4, 1, 0, 1]);
      assert.match(notes.join('\n'), /^Skipped message 2 of INBOX: it was deleted in the meantime, or/m);
      delete refused.refuses;
      const whole = await pass(move);
      assert.deepEqual([whole.imported, whole.leftOut, whole.deleted], [1, 0, 1]);
    });

  test('a source that refuses every message is an error', async () => {
    await using move = await newScript(Array.from({ length: 120 }, (_, at) => `message ${at}`));
    move.inbox.messages = move.inbox.messages.map((each) => ({ ...each, refuses: /./ }));
    let commands = 0;
    move.from.script.intercept = (text) => {
      if (text.startsWith('UID FETCH')) commands += 1;
      return false;
    };
    await assert.rejects(pass(move), /^Error: The old server refuses to send messages: done$/);
    assert.equal(commands, 102);
  });

  test('own folders in the namespace of shared mailboxes of a Posthorn are copied, and shared ones are reported', async () => {
    await using move = await newScript(['one']);
    const folder = (text: string) => ({
      uidValidity: VALIDITY,
      uidNext: 2,
      messages: [{ uid: 1, raw: message(text).toString() }],
    });
    for (const [at, name] of ['Shared/Plans', 'Shared/info@a.example/INBOX', 'SharedStuff'].entries())
      move.from.folders.set(name, { ...folder(name), uidValidity: VALIDITY + 10 + at });
    // Before the source told its namespaces, everything was copied.
    await pass(move);
    move.from.script.identity = '"name" "Posthorn"';
    move.from.script.namespaces = '(("" "/")) NIL (("Shared/" "/"))';
    const notes: string[] = [];
    const own = await pass(move, { notes });
    assert.deepEqual([own.folders, own.deleted, own.notDeleted, own.foldersLeftOut], [4, 0, 0, 0]);
    const skipped = notes.filter((note) => note.startsWith('Skipped'));
    assert.deepEqual(skipped, [
      'Skipped the folder Shared/info@a.example/INBOX: it belongs to another user or is shared.',
    ]);
    // Another server has only folders of others there.
    move.from.script.identity = '"name" "Other"';
    const other = await pass(move, { notes });
    assert.deepEqual([other.folders, other.deleted, other.notDeleted], [3, 0, 0]);
    assert.match(notes.join('\n'), /^Skipped the folder Shared\/Plans: /m);
    assert.deepEqual(await subjects(move.to), [
      'INBOX one',
      'Shared/Plans Shared/Plans',
      'Shared/info_a.example/INBOX Shared/info@a.example/INBOX',
      'SharedStuff SharedStuff',
    ]);
  });

  test('folders in the most specific namespace that is personal are copied', async () => {
    await using move = await newScript(['one']);
    for (const [at, name] of ['INBOX.Own', 'user.ben', 'Public'].entries())
      move.from.folders.set(name, { uidValidity: VALIDITY + 10 + at, uidNext: 1, messages: [] });
    move.from.folders.delete('Work');
    move.from.script.namespaces = '(("INBOX." ".")) (("user." ".")) (("" "."))';
    const notes: string[] = [];
    assert.equal((await pass(move, { notes })).folders, 2);
    assert.equal(notes.filter((note) => /belongs to another user/.test(note)).length, 2);
  });

  test('a folder that was deleted here returns after a change of UIDVALIDITY only with new messages', async () => {
    await using move = await newScript([]);
    const deliver = (text: string) => {
      move.archive.messages.push({ uid: move.archive.uidNext, raw: message(text).toString() });
      move.archive.uidNext += 1;
    };
    for (const text of ['one', 'two']) deliver(text);
    const names = async () => (await listener.store.folders(move.to)).map(({ name }) => name);
    await pass(move);
    assert.equal((await listener.store.deleteFolder(await folderOf(move.to, 'Work'))).outcome, 'done');
    move.archive.uidValidity += 100;
    for (let n = 0; n < 2; n++) {
      const { imported, noLongerHere } = await pass(move);
      assert.deepEqual([imported, noLongerHere], [0, 2]);
      assert.ok(!(await names()).includes('Work'));
    }
    move.archive.uidValidity += 100;
    deliver('three');
    assert.equal((await pass(move)).imported, 1);
    assert.deepEqual(await subjects(move.to), ['Work three']);
    assert.equal((await pass(move)).imported, 0);
  });

  test('an empty folder that was deleted here does not return after a change of UIDVALIDITY', async () => {
    await using move = await newScript(['one']);
    await pass(move);
    assert.equal((await listener.store.deleteFolder(await folderOf(move.to, 'Work'))).outcome, 'done');
    move.archive.uidValidity += 100;
    await pass(move);
    assert.ok(!(await listener.store.folders(move.to)).some(({ name }) => name === 'Work'));
  });

  test('a folder keeps the UIDs of one source only', async () => {
    await using one = await newScript([]);
    await using two = await newScript(['two']);
    two.inbox.uidValidity += 50;
    const both = { from: { ...two.from, user: 'ben' }, to: one.to };
    await pass(one);
    const { uidValidity } = await folderOf(one.to, 'INBOX');
    assert.equal(uidValidity, one.inbox.uidValidity);
    await pass(both);
    one.inbox.messages.push({ uid: 1, raw: message('one').toString() });
    one.inbox.uidNext = 2;
    await pass(one);
    const inbox = await folderOf(one.to, 'INBOX');
    assert.equal(inbox.uidValidity, one.inbox.uidValidity);
    assert.equal(
      (await contents(one.to)).some((line) => line.startsWith('INBOX 1 ')),
      false,
    );
  });

  test('a source that declares small sizes does not fill the memory', async () => {
    await using move = await newScript([]);
    const raw = `Subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_048)}`;
    for (let uid = 1; uid <= 10; uid++)
      move.inbox.messages.push({ uid, raw: `N: ${uid}\r\n${raw}`, size: 1 });
    const batches: number[] = [];
    const store = new (class extends Store {
      override appendIn(...[tx, messages]: Parameters<Store['appendIn']>) {
        batches.push(messages.length);
        return super.appendIn(tx, messages);
      }
    })(listener.database);
    const { imported } = await pass(move, { store, maxMessageOctets: 2_000_000 });
    assert.deepEqual([imported, batches], [10, [9, 1]]);
  });

  test('a source that lists folders without end is left', async () => {
    await using move = await newScript([]);
    const line = Array.from({ length: 100 }, () => `* LIST () "/" "${'x'.repeat(500)}"\r\n`).join('');
    move.from.script.intercept = (text, socket) => {
      if (text !== 'LIST "" "*"') return false;
      const flood = () => {
        if (!socket.destroyed) socket.write(line, flood);
      };
      flood();
      return true;
    };
    await assert.rejects(pass(move), /^Error: The old server lists more than 5000 folders\.$/);
  });

  test('apps that know a folder from the source get all changes, whatever MODSEQ they saw there', async () => {
    const move = await newMove(['Large']);
    for (const name of ['INBOX', 'Large']) await add(move.from.mailbox, name, ['one', 'two']);
    for (const [name, highestModseq] of [
      ['INBOX', 300_000],
      // Leaves no higher ones.
      ['Large', 2 ** 53],
    ] as const) {
      const { folderId } = await folderOf(move.from.mailbox, name);
      await listener.database
        .updateTable('folders')
        .set({ highestModseq })
        .where('id', '=', folderId)
        .execute();
    }
    await pass(move);
    const inbox = await folderOf(move.to, 'INBOX');
    await listener.store.expunge(inbox, { ranges: range(11), isDeletedOnly: false });
    const changes = await listener.store.changesSince(inbox, 300_000 + 1_000_000_000);
    assert.ok(changes !== null);
    // All UIDs are compared, because an app may know messages that were expunged before they were copied.
    assert.equal(changes.vanished, null);
    assert.deepEqual(
      changes.changed.map(({ uid }) => uid),
      [12],
    );
    assert.ok(Number.isSafeInteger(changes.modseq + 2 ** 52));
    const [there, here] = [await folderOf(move.from.mailbox, 'Large'), await folderOf(move.to, 'Large')];
    assert.notEqual(here.uidValidity, there.uidValidity);
  });

  test('a folder that adopts its UIDs later reserves more, in case a restored backup forgot the first adoption', async () => {
    const move = await newMove([]);
    await add(move.from.mailbox, 'INBOX', ['one']);
    await pass(move);
    const { folderId } = await folderOf(move.to, 'INBOX');
    const { uidReservedBelow, highestModseq } = await listener.database
      .selectFrom('folders')
      .select(['uidReservedBelow', 'highestModseq'])
      .where('id', '=', folderId)
      .executeTakeFirstOrThrow();
    const earlier = Date.now() - 3_600_000 - Date.UTC(2026);
    assert.ok(uidReservedBelow > 1_000_000 + earlier / 1_000, `${uidReservedBelow}`);
    assert.ok(Number(highestModseq) > 2 ** 45 + earlier, highestModseq);
  });

  test('no two messages get the same unique-id for POP3, also from a restored or a second source', async () => {
    await using one = await newScript(['one', 'two', 'three', 'four', 'five']);
    await using two = await newScript(['other two', 'other three']);
    for (const { from } of [one, two]) Object.assign(from.script, { identity: '"name" "Dovecot"' });
    await pass(one);
    one.inbox.messages.splice(3, 2, { uid: 4, raw: message('other four').toString() });
    one.inbox.uidNext = 5;
    assert.equal((await pass(one)).imported, 1);
    assert.equal((await pass({ from: { ...two.from, user: 'ben' }, to: one.to })).imported, 2);
    const inbox = await folderOf(one.to, 'INBOX');
    const uidls = await listener.store.uidls(inbox, { first: 1, last: 2 ** 31 - 1 });
    const expected = [1, 2, 3, 4, 5].map((uid) => `0000000${uid}${VALIDITY.toString(16)}`);
    assert.deepEqual([...uidls.values()].sort(), expected);
  });

  test('a folder that was deleted and purged here does not get its UIDVALIDITY again', async () => {
    await using move = await newScript(['inbox']);
    move.archive.messages.push({ uid: 1, raw: message('one').toString() });
    move.archive.uidNext = 2;
    assert.equal((await pass(move)).foldersWithUids, 2);
    const before = await folderOf(move.to, 'Work');
    assert.equal(before.uidValidity, VALIDITY + 1);
    await listener.store.deleteFolder(before);
    for await (const _ of deletingFolders(listener.database));
    move.archive.messages.push({ uid: 2, raw: message('two').toString() });
    move.archive.uidNext = 3;
    await pass(move);
    assert.notEqual((await folderOf(move.to, 'Work')).uidValidity, before.uidValidity);
    assert.equal((await pass(move)).foldersWithUids, 1);
    assert.equal(
      await listener.store.adoptUids(
        { ...move.to, folderId: (await folderOf(move.to, 'Archive')).folderId },
        { uidValidity: before.uidValidity, uidNext: 3, modseq: null },
      ),
      false,
    );
  });

  test('messages that are not stored leave no objects', async () => {
    await using move = await newScript([]);
    const large = `Subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(100)}`;
    for (const [uid, text] of [large, `${large}2`].entries())
      move.inbox.messages.push({ uid: uid + 1, raw: text });
    move.inbox.uidNext = 3;
    const prepared = new Set<string | null>();
    const blobs: Pick<Blobs, 'prepare' | 'discard'> = {
      async prepare(...parameters) {
        const blob = await listener.blobs.prepare(...parameters);
        prepared.add(blob.object);
        return blob;
      },
      async discard(blob) {
        prepared.delete(blob.object);
        await listener.blobs.discard(blob);
      },
    };
    // Another pass stores the messages between the preparation and the transaction.
    let isFirst = true;
    const facts = {
      async read(raw: Buffer) {
        if (isFirst) {
          isFirst = false;
          await pass(move, { blobs, maxMessageOctets: 2_000_000 });
        }
        return listener.facts.read(raw);
      },
    };
    assert.equal((await pass(move, { blobs, facts, maxMessageOctets: 2_000_000 })).imported, 0);
    assert.equal(prepared.size, 2);
    // Under another name, all messages are new, and here already.
    const renamed = { from: { ...move.from, user: 'ben' }, to: move.to };
    assert.equal((await pass(renamed, { blobs, maxMessageOctets: 2_000_000 })).alreadyThere, 2);
    assert.equal(prepared.size, 2);
  });

  test('a copy that another source takes over at the same moment is not deleted', async () => {
    await using move = await newScript(['one', 'two', 'three']);
    await pass(move);
    const { uidValidity, folderId } = await folderOf(move.to, 'INBOX');
    const other = await startCopying(
      listener.database,
      { ...move.to, source: 'ben' },
      { name: 'INBOX', uidValidity, folderId, keepsUids: false },
    );
    move.inbox.messages.splice(0, 1);
    const running = await listener.database.transaction().execute(async (tx) => {
      await lockForWriting(tx, move.to);
      const second = pass(move);
      const isWaiting = await eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(listener.database);
        return rows.length === 1;
      }, 5_000);
      assert.ok(isWaiting);
      const digest = hash('sha256', message('one'), 'buffer');
      const copy = { sourceUid: 9, uid: 1, flags: 0, keywords: [], size: 1, internalDate: null, digest };
      await recordCopies(tx, other, [{ ...copy, isClaimed: false }]);
      return { second };
    });
    assert.equal((await running.second).deleted, 0);
    assert.deepEqual(await subjects(move.to), ['INBOX one', 'INBOX three', 'INBOX two']);
  });
});
