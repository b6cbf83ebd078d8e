/** A message filer with its own database, for tests. */
import { createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { ReturnPaths } from '../../reports/return-path.ts';
import { ServiceTokens } from '../../sending/service-mail/service-tokens.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { Examination } from '../examine/examiner.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { MailboxFiltersCache } from '../rules/mailbox-filters.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import { MessageFiler, type MessageFilerOptions } from './message-filer.ts';

const GENUINE: Authentication = {
  spf: { result: 'pass', domain: 'sender.example' },
  dkim: [],
  dmarc: { result: 'pass', domain: 'sender.example', published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mail.sender.example' },
  policy: 'none',
  header: 'mx.acme.example; spf=pass smtp.mailfrom=sender.example',
};

type ExaminerResult = Partial<Authentication> &
  Partial<Pick<Examination, 'files'>> & { score?: number | Record<string, number> };

export function filerFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-filer-'));
  const facts = new FactsReader();
  let db: TestDatabase;
  let blobs: Blobs;
  let store: Store;
  before(async () => {
    db = await testDatabase();
    blobs = new Blobs(db.database, new ObjectFiles(folder));
    store = new Store(db.database);
  });
  after(async () => {
    await facts[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  return {
    get database() {
      return db.database;
    },

    /** The examination of a genuine message, with the given changes. */
    examination(authentication: Partial<Authentication> = {}): Examination {
      return {
        isHeaderTooLong: false,
        files: [],
        bodyHash: null,
        authentication: { ...GENUINE, ...authentication },
        verdictsFor: async () => () => ({ score: 0, reasons: [] }),
      };
    },

    /** A filer whose examiner returns the given result. `score` is one score for all projects, or a score for each project ID. */
    filerWith(
      { score = 0, files = [], ...authentication }: ExaminerResult = {},
      options: Partial<MessageFilerOptions> = {},
    ): MessageFiler {
      const scoreFor = (projectId: string) => (typeof score === 'number' ? score : (score[projectId] ?? 0));
      return new MessageFiler({
        hostname: 'mx.acme.example',
        examiner: {
          examine: async ({ raw }) => ({
            isHeaderTooLong: raw.includes('X-Long:'),
            files,
            bodyHash: hashBody(raw.subarray(raw.indexOf('\r\n\r\n') + 4)),
            authentication: { ...GENUINE, ...authentication },
            verdictsFor:
              async () =>
              ({ projectId }) => ({ score: scoreFor(projectId), reasons: [] }),
          }),
        },
        blobs,
        facts,
        routeLimits: { take: () => true },
        store,
        filters: new MailboxFiltersCache(db.database),
        database: db.database,
        returnPaths: new ReturnPaths(createSecretKey(Buffer.alloc(32, 1))),
        serviceTokens: new ServiceTokens(createSecretKey(Buffer.alloc(32, 4))),
        onQueued: () => {},
        logger: { info: () => {}, error: () => {} },
        ...options,
      });
    },

    /** The folder, flags, keywords and bytes of each message in a mailbox, oldest first. */
    async heldBy({ projectId, mailboxId }: MailboxKey) {
      const rows = await db.database
        .selectFrom('messages')
        .innerJoin('folders', 'folders.id', 'messages.folderId')
        .innerJoin('messageContents', (join) =>
          join
            .onRef('messageContents.mailboxId', '=', 'messages.mailboxId')
            .onRef('messageContents.objectId', '=', 'messages.objectId'),
        )
        .select([
          'folders.role',
          'folders.name',
          'messages.flags',
          'messages.keywords',
          'messageContents.digest',
        ])
        .where('messages.mailboxId', '=', mailboxId)
        .orderBy('messages.saveDate')
        .execute();
      return Promise.all(
        rows.map(async ({ role, digest, ...rest }) => {
          const blob = await blobs.open(projectId, digest);
          return { folder: role, bytes: ((await blob?.read()) ?? '').toString(), ...rest };
        }),
      );
    },

    async bytesOf(projectId: string, digest: Buffer): Promise<Buffer> {
      return (await (await blobs.open(projectId, digest))?.read()) ?? Buffer.alloc(0);
    },

    async foldersOf(mailbox: MailboxKey) {
      return (await this.heldBy(mailbox)).map(({ folder }) => folder);
    },
  };
}

export const RAW = 'From: b@sender.example\r\nSubject: Hello\r\n\r\nHow are you?\r\n';
export const mail = (raw: string = RAW): MailFromOutside => ({
  address: '192.0.2.1',
  helo: 'mail.sender.example',
  isExtended: true,
  tls: null,
  reversePath: 'b@sender.example',
  isUtf8: false,
  raw: Buffer.from(raw),
});

const USAGE = { octets: 0, quotaOctets: 1, fullSince: null, storageLeft: null };
export const to = (
  mailbox: MailboxKey,
  spamLevel: SpamLevel = 'medium',
  address = 'anna@acme.example',
  filingVersion = 0,
): RoutedRecipient => ({
  address,
  mailbox: { ...mailbox, address, spamLevel, filingVersion, usage: USAGE },
});
