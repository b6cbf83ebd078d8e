/** A submission listener with a database, mailboxes and API keys. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { ApiKeys, createApiKey } from '../../../accounts/keys/api-keys.ts';
import { type Restrictions, UNRESTRICTED } from '../../../accounts/restrictions/restrictions.ts';
import { Blobs } from '../../../blobs/blobs.ts';
import { ObjectFiles } from '../../../blobs/object-files.ts';
import { ensureHostedDomain } from '../../../domains/hosted.ts';
import { SendingDomains } from '../../../domains/sending-domains.ts';
import { HostedAddresses } from '../../../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../../../mailboxes/reserved-addresses.ts';
import { quickHash } from '../../../../test/support/quick-hash.ts';
import { SignIn } from '../../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../../model/ids.ts';
import type { Plan } from '../../../model/plans.ts';
import type { GrantedScopes } from '../../../model/scopes.ts';
import type { MxState } from '../../../domains/mx/mx-state.ts';
import { Router } from '../../../receiving/route/router.ts';
import { isOfProject } from '../../../receiving/inside/is-of-project.ts';
import { Acceptor } from '../../../sending/accept/accept-email.ts';
import { KeptMessages } from '../../../sending/accept/mail/kept-messages.ts';
import { MailAcceptor } from '../../../sending/accept/mail/mail-acceptor.ts';
import { MailReader } from '../../../sending/accept/mail/mail-reader.ts';
import { getEmail } from '../../../sending/read/get-email.ts';
import { rawMessage } from '../../../sending/deliver/raw-message.ts';
import { DkimKeyring } from '../../../domains/dkim-keyring.ts';
import { composingWith } from '../../../../test/support/composing.ts';
import { Submitter } from '../../../sending/submit/submitter.ts';
import { FactsReader } from '../../../store/facts/facts-reader.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { Store } from '../../../store/store.ts';
import { HOSTED_DOMAIN } from '../../../../test/support/api.ts';
import { newMailbox } from '../../../../test/support/mail.ts';
import { memoryFolder } from '../../../../test/support/memory-folder.ts';
import { sealedDatabase } from '../../../../test/support/postgres.ts';
import { newProject } from '../../../../test/support/projects.ts';
import { TEST_SPOOL, TestClient } from '../dialogue.fixture.ts';
import {
  LIMITS,
  startSubmissionListener,
  type SubmissionLimits,
  type SubmissionListenerOptions,
} from './listener.ts';
import { openWriter, type WriterServices } from './open-writer.ts';

const PASSWORD = 'correct horse battery';

type Options = Partial<Omit<SubmissionListenerOptions, 'limits'>> & {
  limits?: Partial<SubmissionLimits>;
  /** Default: no older version is running. */
  keptMessages?: Pick<KeptMessages, 'areKept'>;
  services?: Partial<WriterServices>;
};

export type TestSubmission = Awaited<ReturnType<typeof startTestSubmission>>;

/** The base64 response of PLAIN (RFC 4616). */
export function plain(user: string, password: string): string {
  return Buffer.from(`\0${user}\0${password}`).toString('base64');
}

/** A message with one line of text. @param fields header fields, each with CRLF */
export function mailOf(fields: string, body = 'It works.\r\n'): string {
  return `${fields}\r\n${body}`;
}

export async function startTestSubmission({ limits, services, keptMessages, ...options }: Options = {}) {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await sealedDatabase());
  const { database } = db;
  await ensureHostedDomain(database, db.sealer, HOSTED_DOMAIN);
  const logged: object[] = [];
  const logger = pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line) as object) });
  const folder = mkdtempSync(join(memoryFolder(), 'posthorn-submission-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const objects = new ObjectFiles(folder);
  const blobs = new Blobs(database, objects);
  const domains = new SendingDomains(database, HOSTED_DOMAIN);
  const mailDomains = {
    hostedDomain: HOSTED_DOMAIN,
    trustsManualVerification: false,
    mxHosts: ['mail.example'],
  };
  const mxWatch = { current: (_: unknown, known: MxState) => known, ownHosts: mailDomains.mxHosts };
  const router = new Router({
    database,
    hostname: 'mail.example',
    postmaster: null,
    mxWatch,
    ...mailDomains,
  });
  const passwordHash = quickHash(PASSWORD);
  const all: WriterServices = {
    signIn: stack.use(
      new SignIn({
        database,
        databaseUrl: db.url,
        processId: newUuid(),
        unseal: async () => db.sealer,
        logger,
      }),
    ),
    submitter: stack.use(
      new Submitter({
        database,
        blobs,
        domains,
        store: new Store(database),
        facts: stack.use(new FactsReader()),
        isOfProject: (projectId, address) => isOfProject(database, mailDomains, projectId, address),
        isUnknown: (address) => router.isUnknown(address),
        checkRedirected: () => Promise.reject(new Error('no test of this port redirects mail')),
        hostname: 'mail.example',
        onQueued() {},
      }),
    ),
    apiKeys: new ApiKeys(database),
    mails: new MailAcceptor({
      acceptor: new Acceptor({
        database,
        sendingDomains: domains,
        hostedAddresses: new HostedAddresses(database, HOSTED_DOMAIN),
        reservedAddresses: new ReservedAddresses(database, HOSTED_DOMAIN),
        baseUrl: () => 'http://localhost',
        onQueued() {},
      }),
      reader: stack.use(new MailReader()),
      blobs,
      keptMessages: keptMessages ?? new KeptMessages(database),
    }),
    requests: null,
    failures: null,
    logger,
    ...services,
  };
  const { port } = stack.use(
    await startSubmissionListener({
      listenAddress: { addresses: ['::'], port: 0 },
      hostname: 'mail.example',
      secureContext: () => null,
      isSecure: false,
      open: openWriter(all),
      spool: TEST_SPOOL,
      ...options,
      limits: { ...LIMITS, errorDelayMs: 1, ...limits },
    }),
  );
  return {
    db,
    port,
    blobs,
    objects,
    logged,
    /** Creates a project with an API key. */
    async newCaller(
      fields: { scopes?: GrantedScopes; plan?: Plan; restrictions?: Partial<Restrictions> } = {},
    ): Promise<{ projectId: string; id: string; token: string }> {
      const projectId = await newProject(database, undefined, fields.plan);
      const restrictions = { ...UNRESTRICTED, ...fields.restrictions };
      const key = await createApiKey(database, projectId, 'app', fields.scopes ?? null, { restrictions });
      return { projectId, ...key };
    },
    /** Creates a mailbox on a verified domain of a new project. */
    async newOwner(fields: Parameters<typeof newMailbox>[1] = {}) {
      const mailbox = await newMailbox(database, fields);
      const { localPart, domain } = await database
        .updateTable('mailboxes')
        .set({ passwordHash })
        .where('projectId', '=', mailbox.projectId)
        .where('id', '=', mailbox.mailboxId)
        .returning(['localPart', 'domain'])
        .executeTakeFirstOrThrow();
      await database
        .updateTable('domains')
        .set({ status: 'verified' })
        .where('projectId', '=', mailbox.projectId)
        .where('name', '=', domain)
        .execute();
      return { ...mailbox, user: `${localPart}@${domain}`, domain, password: PASSWORD };
    },
    /** The submissions of a mailbox, newest first, with the stored bytes. */
    async submissionsOf({ projectId, mailboxId }: MailboxKey) {
      const rows = await database
        .selectFrom('submissions')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('mailboxId', '=', mailboxId)
        .orderBy('id', 'desc')
        .execute();
      return Promise.all(
        rows.map(async (row) => ({
          ...row,
          raw: (await (await blobs.open(projectId, row.digest))?.read())?.toString() ?? '',
          to: await database
            .selectFrom('submissionRecipients')
            .select(['address', 'notify', 'originalRecipient'])
            .where('projectId', '=', projectId)
            .where('submissionId', '=', row.id)
            .orderBy('recipientIndex')
            .execute(),
        })),
      );
    },
    async signedIn(user: string, password: string): Promise<TestClient> {
      const client = await TestClient.connect(port);
      await client.play(`
        S: 220 mail.example ESMTP
        C: EHLO app
        S: 250-mail.example
        S: 250-PIPELINING
        S: 250-SIZE 41943040
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-ENHANCEDSTATUSCODES
        S: 250-CHUNKING
        S: 250-DSN
        S: 250 AUTH PLAIN LOGIN
        C: AUTH PLAIN ${plain(user, password)}
        S: 235 2.7.0 Signed in`);
      return client;
    },
    /** The emails of a project as in the API, newest first. */
    async emailsOf(projectId: string) {
      const rows = await database
        .selectFrom('emails')
        .select('id')
        .where('projectId', '=', projectId)
        .orderBy('id', 'desc')
        .execute();
      const emails = await Promise.all(rows.map(({ id }) => getEmail(database, projectId, id)));
      return emails.filter((email) => email !== null);
    },
    /** The message that a worker sends to the first recipient of the newest email of a project. */
    async sentBy(projectId: string): Promise<Buffer> {
      const keyring = new DkimKeyring(database, db.sealer, HOSTED_DOMAIN);
      const composing = { ...composingWith(database, db.sealer, keyring), blobs };
      const { id } = await database
        .selectFrom('emails')
        .select('id')
        .where('projectId', '=', projectId)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      const sent = await rawMessage(database, composing, projectId, id);
      if (sent === null || sent === 'unsigned') throw new Error('no message');
      return sent.data;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Submits one message. @returns the reply to the message, or the first rejection of MAIL or RCPT */
export async function submitMessage(
  client: TestClient,
  mail: string | Buffer,
  { from = '', to = ['b@dst.test'] }: { from?: string; to?: readonly string[] } = {},
): Promise<string> {
  const recipients = to.map((address) => `RCPT TO:<${address}>\r\n`).join('');
  client.send(`MAIL FROM:<${from}>\r\n${recipients}`);
  const answers = [await client.line()];
  for (const _ of to) answers.push(await client.line());
  const refused = answers.find((answer) => answer?.startsWith('2') !== true);
  if (refused !== undefined) {
    client.send('RSET\r\n');
    await client.line();
    return refused ?? '';
  }
  client.send('DATA\r\n');
  await client.line();
  client.send(mail);
  client.send('\r\n.\r\n');
  return (await client.line()) ?? '';
}
