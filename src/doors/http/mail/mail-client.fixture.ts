/**
 * Runs the web client's API in this process with a real database, mailboxes, and browsers that are signed in to them. Every response is
 * validated against the OpenAPI document.
 *
 *     const mail = await startMailClient();
 *     const ann = await mail.newOwner('ann');
 *     const { status, body } = await ann.get('/folders');
 */
import { HOSTED_PROJECT_ID } from '../../../domains/hosted.ts';
import { beginWebSession } from '../../../mailboxes/sign-in/web-sessions.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import type { FolderRole } from '../../../model/folder-roles.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { quickHash } from '../../../../test/support/quick-hash.ts';
import { type BrowserClient, browserClients } from '../browser/browser-client.fixture.ts';

/** The password of the mailboxes that the fixture creates. */
export const PASSWORD = 'correct horse battery';
const hashed = quickHash(PASSWORD);

/** A browser that is signed in to a mailbox. Paths are relative to `/mail/api/mailboxes/{mailbox}`. */
export interface TestOwner extends BrowserClient {
  /** The uuid of the project. */
  projectId: string;
  mailboxId: string;
  sessionId: string;
  /** The public id of the mailbox. */
  mailbox: string;
  address: string;
  /** The session token in the cookie. */
  token: string;
}

export interface TestMailClient extends RealApi {
  /** Creates a mailbox with the password `PASSWORD` on the hosted domain, in the project `one`, and signs a browser in. */
  newOwner(localPart: string): Promise<TestOwner>;
  /** Signs another browser in to the mailbox. */
  signIn(owner: Pick<TestOwner, 'projectId' | 'mailboxId'>): Promise<TestOwner>;
  /** Stores a message in a folder. @returns the uuid of the message, which is the same in all folders */
  deliver(owner: MailboxKey, role: FolderRole, message: string, flags?: number): Promise<string>;
  /** A browser without a session. Paths are relative to `/mail/api`. */
  signedOut: BrowserClient;
}

export async function startMailClient(...options: Parameters<typeof startRealApi>): Promise<TestMailClient> {
  const api = await startRealApi(...options);
  const { database } = api.db;
  const client = browserClients(api.baseUrl, '/mail/api');

  async function signIn({
    projectId,
    mailboxId,
  }: Pick<TestOwner, 'projectId' | 'mailboxId'>): Promise<TestOwner> {
    const { passwordHash, sessionsVersion, localPart, domain } = await database
      .selectFrom('mailboxes')
      .select(['passwordHash', 'sessionsVersion', 'localPart', 'domain'])
      .where('projectId', '=', projectId)
      .where('id', '=', mailboxId)
      .executeTakeFirstOrThrow();
    const proved = { projectId, mailboxId, passwordHash: passwordHash ?? '', sessionsVersion };
    const begun = await beginWebSession(database, proved, { address: '192.0.2.1', userAgent: 'test' });
    if (begun === null) throw new Error('the mailbox has no password');
    const { sessionId, token } = begun;
    const mailbox = encodeId('mbx', mailboxId);
    return {
      projectId,
      mailboxId,
      sessionId,
      token,
      mailbox,
      address: `${localPart}@${domain}`,
      ...client(`/mailboxes/${mailbox}`, { cookie: mailCookie({ mailboxId, token }), token }),
    };
  }

  return {
    ...api,
    signedOut: client('', null),
    async deliver({ projectId, mailboxId }, role, message, flags = 0) {
      const { store, blobs, facts } = api.mail;
      const bytes = Buffer.from(message);
      const [result] = await store.append([
        {
          projectId,
          mailboxId,
          flags,
          keywords: [],
          folder: { role },
          blob: await blobs.prepare(projectId, bytes),
          facts: await facts.read(bytes),
          internalDate: null,
          authentication: null,
          spam: null,
        },
      ]);
      if (result?.outcome !== 'stored') throw new Error(`the message is not stored: ${result?.outcome}`);
      return result.objectId;
    },
    signIn,
    async newOwner(localPart) {
      const { id: domainId } = await database
        .selectFrom('domains')
        .select('id')
        .where('projectId', '=', HOSTED_PROJECT_ID)
        .executeTakeFirstOrThrow();
      const mailboxId = newUuid();
      const projectId = api.project.id;
      await database
        .insertInto('mailboxes')
        .values({
          projectId,
          id: mailboxId,
          domainId,
          domain: HOSTED_DOMAIN,
          localPart,
          localPartKey: localPart,
          passwordHash: hashed,
          isCatchAll: false,
          quotaMb: 100,
          createdAt: new Date(),
        })
        .execute();
      return signIn({ projectId, mailboxId });
    },
  };
}

/** The session cookie, as a browser sends it over plain http to this machine. */
export function mailCookie({ mailboxId, token }: { mailboxId: string; token: string }): string {
  return `posthorn_mail_${mailboxId.replaceAll('-', '')}=${token}`;
}
