/** A POP3 listener on a test database, and mailboxes to sign in to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { NameLocks } from '../../db/name-locks.ts';
import { checkSecret } from '../../db/seal.ts';
import { quickHash } from '../../../test/support/quick-hash.ts';
import { SignIn } from '../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../model/ids.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { memoryFolder } from '../../../test/support/memory-folder.ts';
import { SECRET, testDatabase } from '../../../test/support/postgres.ts';
import type { Stage } from './dialogue.fixture.ts';
import { LIMITS, type Pop3Limits, type Pop3ListenerOptions, startPop3Listener } from './listener.ts';

const PASSWORD = 'correct horse battery';

export interface TestStage extends Stage {
  mailbox: MailboxKey;
}

export type TestListener = Awaited<ReturnType<typeof startTestListener>>;

export async function startTestListener(
  options: Partial<Omit<Pop3ListenerOptions, 'limits'>> & { limits?: Partial<Pop3Limits> } = {},
) {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await testDatabase());
  const folder = mkdtempSync(join(memoryFolder(), 'posthorn-pop3-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const blobs = new Blobs(db.database, new ObjectFiles(folder));
  const store = new Store(db.database);
  const logged: object[] = [];
  const logger = pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line) as object) });
  const passwordHash = quickHash(PASSWORD);
  const services = {
    hostname: 'mail.example',
    signIn: stack.use(
      new SignIn({
        database: db.database,
        databaseUrl: db.url,
        processId: newUuid(),
        unseal: () => checkSecret(db.database, SECRET),
        logger,
      }),
    ),
    names: stack.use(new NameLocks(db.url)),
    store,
    blobs,
    logger,
  };
  const listener = stack.use(
    await startPop3Listener({
      listenAddress: { addresses: ['::'], port: 0 },
      isSecure: false,
      secureContext: () => null,
      ...services,
      ...options,
      limits: { ...LIMITS, errorDelayMs: 1, ...options.limits },
    }),
  );
  return {
    services,
    db,
    store,
    blobs,
    logged,
    port: listener.port,
    /** Creates an empty mailbox. */
    async newStage(): Promise<TestStage> {
      const mailbox = await newMailbox(db.database);
      const { projectId, mailboxId } = mailbox;
      const { localPart, domain } = await db.database
        .updateTable('mailboxes')
        .set({ passwordHash })
        .where('projectId', '=', projectId)
        .where('id', '=', mailboxId)
        .returning(['localPart', 'domain'])
        .executeTakeFirstOrThrow();
      return {
        host: '127.0.0.1',
        port: listener.port,
        user: `${localPart}@${domain}`,
        password: PASSWORD,
        mailbox,
        async deliver(name, bytes) {
          const folders = await store.folders(mailbox);
          const { id } = folders.find((each) => each.name === name) ?? { id: '' };
          const [result] = await store.append([
            {
              ...mailbox,
              folder: { id },
              blob: await blobs.prepare(projectId, bytes),
              facts: readMessageFacts(bytes),
              flags: 0,
              keywords: [],
              internalDate: null,
              authentication: null,
              spam: null,
            },
          ]);
          if (result?.outcome !== 'stored') throw new Error(result?.outcome);
        },
        async expunge(number) {
          const drop = await store.maildrop(mailbox);
          const uid = drop?.uids[number - 1] ?? 0;
          if (drop !== null)
            await store.expunge(drop.folder, { ranges: [{ first: uid, last: uid }], isDeletedOnly: false });
        },
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
