/** An IMAP listener on a test database, and mailboxes to sign in to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { memoryFolder } from '../../../test/support/memory-folder.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { SECRET, testDatabase } from '../../../test/support/postgres.ts';
import { testCertificate } from '../../../test/support/tls/certificate.ts';
import { createSecureContext } from 'node:tls';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { rowIs } from '../../db/row-is.ts';
import { checkSecret } from '../../db/seal.ts';
import { quickHash } from '../../../test/support/quick-hash.ts';
import { SignIn } from '../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../model/ids.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { MailNotices } from '../../store/notices.ts';
import { Store } from '../../store/store.ts';
import type { Stage } from './dialogue.fixture.ts';
import { MessageParts } from './fetch/message-parts.ts';
import { readFlags } from './flags.ts';
import { searchSlots } from './searching.ts';
import type { ImapServices } from './session.ts';
import { type ImapLimits, LIMITS, startImapListener } from './listener.ts';

const PASSWORD = 'correct horse battery staple';

export type OwnStage = Stage & { mailbox: MailboxKey };

/** Starts a test listener. @param limits override `LIMITS` @param services override the real services */
export async function startTestListener(
  limits: Partial<ImapLimits> = {},
  services: Partial<Pick<ImapServices, 'signIn' | 'logger'>> = {},
) {
  await using opening = new AsyncDisposableStack();
  const db = opening.use(await testDatabase());
  const { database } = db;
  const folder = mkdtempSync(join(memoryFolder(), 'posthorn-imap-'));
  opening.defer(() => rmSync(folder, { recursive: true }));
  const store = new Store(database);
  const objects = new ObjectFiles(folder);
  const blobs = new Blobs(database, objects);
  const facts = opening.use(new FactsReader());
  const secure = createSecureContext(testCertificate);
  const logger = pino({ level: 'silent' });
  const options = {
    listenAddress: { addresses: ['0.0.0.0'], port: 0 },
    secureContext: () => secure,
    limits: { ...LIMITS, errorDelayMs: 1, ...limits },
    services: {
      hostname: 'mail.example',
      maxMessageOctets: 40 * 1024 * 1024,
      store,
      blobs,
      facts,
      signIn: opening.use(
        new SignIn({
          database,
          databaseUrl: db.url,
          processId: newUuid(),
          unseal: () => checkSecret(database, SECRET),
          logger,
        }),
      ),
      parts: opening.use(new MessageParts()),
      searches: searchSlots(6),
      notices: opening.use(new MailNotices(db.url)),
      logger,
      ...services,
    },
  };
  const plain = opening.use(await startImapListener({ ...options, isSecure: false }));
  const secured = opening.use(await startImapListener({ ...options, isSecure: true }));
  const passwordHash = quickHash(PASSWORD);
  const stack = opening.move();

  return {
    ...options.services,
    db,
    database,
    objects,
    host: '127.0.0.1',
    port: plain.port,
    securePort: secured.port,
    /** Creates a mailbox with a password. */
    async stage(fields: { projectId?: string } = {}): Promise<OwnStage> {
      const mailbox = await newMailbox(database, fields);
      const { domain, localPart } = await database
        .updateTable('mailboxes')
        .set({ passwordHash })
        .where((row) => rowIs(row, { projectId: mailbox.projectId, id: mailbox.mailboxId }))
        .returning(['domain', 'localPart'])
        .executeTakeFirstOrThrow();
      return {
        mailbox,
        host: '127.0.0.1',
        port: plain.port,
        user: `${localPart}@${domain}`,
        password: PASSWORD,
        async deliver(name, bytes, flags) {
          const own = (await store.folders(mailbox)).find((each) => each.name === name)?.id ?? '';
          // Wait for the notice, so that sessions have received the notice before the next step.
          const noticed = Promise.withResolvers<void>();
          using _ = options.services.notices.subscribe(mailbox.mailboxId, (folderId) => {
            if (folderId === own || folderId === null) noticed.resolve();
          });
          await store.append([
            {
              ...mailbox,
              ...(readFlags(flags) ?? { flags: 0, keywords: [] }),
              folder: { id: own },
              blob: await blobs.prepare(mailbox.projectId, bytes),
              facts: await facts.read(bytes),
              internalDate: null,
              authentication: null,
              spam: null,
            },
          ]);
          await noticed.promise;
        },
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
