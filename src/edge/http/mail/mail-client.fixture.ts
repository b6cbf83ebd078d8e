/**
 * The API of the web client in this process, over a real database: mailboxes, and browsers that are signed in to them. Every answer is held
 * against the document.
 *
 *     const mail = await startMailClient();
 *     const ann = await mail.newOwner('ann');
 *     const { status, body } = await ann.get('/folders');
 */
import { HOSTED_PROJECT_ID } from '../../../domains/hosted.ts';
import { setPassword } from '../../../mailboxes/set-password.ts';
import { beginWebSession } from '../../../mailboxes/sign-in/web-sessions.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import type { FolderRole } from '../../../model/folder-roles.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { type Contract, contractOf } from '../../../../test/support/openapi.ts';
import { csrfTokenOf } from '../browser/csrf.ts';

type Json = Record<string, unknown>;

interface MailResponse<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

interface RequestOptions {
  headers?: Record<string, string>;
  body?: unknown;
}

/** Of the mailboxes that the fixture makes. */
export const PASSWORD = 'correct horse battery';

interface MailClient {
  get<Body = Json>(path: string, options?: RequestOptions): Promise<MailResponse<Body>>;
  post<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<MailResponse<Body>>;
  put<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<MailResponse<Body>>;
  patch<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<MailResponse<Body>>;
  delete<Body = Json>(path: string, options?: RequestOptions): Promise<MailResponse<Body>>;
  request<Body = Json>(method: string, path: string, options?: RequestOptions): Promise<MailResponse<Body>>;
}

/** A browser that is signed in to a mailbox: paths are those below `/mail/api/mailboxes/{mailbox}`. */
export interface TestOwner extends MailClient {
  /** uuids */
  projectId: string;
  mailboxId: string;
  sessionId: string;
  /** The outside form of `mailboxId`. */
  mailbox: string;
  address: string;
  /** In the cookie. */
  token: string;
}

export interface TestMailClient extends RealApi {
  /** A mailbox of the hosted domain in the project `one`, whose password is PASSWORD. */
  newOwner(localPart: string): Promise<TestOwner>;
  /** Signs in once more, as another browser. */
  signIn(owner: Pick<TestOwner, 'projectId' | 'mailboxId'>): Promise<TestOwner>;
  /** A message in a folder. @returns its uuid in all folders */
  deliver(owner: MailboxKey, role: FolderRole, message: string, flags?: number): Promise<string>;
  /** Not signed in. Paths are those below `/mail/api`. */
  nobody: MailClient;
}

export async function startMailClient(...options: Parameters<typeof startRealApi>): Promise<TestMailClient> {
  const api = await startRealApi(...options);
  const { database } = api.db;
  const client = clientOf(api.baseUrl);

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
      ...{ projectId, mailboxId, sessionId, token, mailbox },
      address: `${localPart}@${domain}`,
      ...client(`/mailboxes/${mailbox}`, { mailboxId, token }),
    };
  }

  return {
    ...api,
    nobody: client('', null),
    async deliver({ projectId, mailboxId }, role, message, flags = 0) {
      const { store, blobs, facts } = api.mailClient.mail;
      const bytes = Buffer.from(message);
      const [result] = await store.append([
        {
          ...{ projectId, mailboxId, flags, keywords: [], folder: { role } },
          ...{ blob: await blobs.keep(projectId, bytes), facts: await facts.read(bytes) },
          ...{ internalDate: null, authentication: null, spam: null },
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
          ...{ projectId, id: mailboxId, domainId, domain: HOSTED_DOMAIN },
          ...{ localPart, localPartKey: localPart, isCatchAll: false, quotaMb: 100, createdAt: new Date() },
        })
        .execute();
      await setPassword(database, { projectId, mailboxId }, PASSWORD);
      return signIn({ projectId, mailboxId });
    },
  };
}

interface Cookie {
  mailboxId: string;
  token: string;
}

function clientOf(baseUrl: string) {
  let contract: Promise<Contract> | undefined;
  return (prefix: string, cookie: Cookie | null): MailClient => {
    async function request<Body>(
      method: string,
      path: string,
      { headers = {}, body }: RequestOptions = {},
    ): Promise<MailResponse<Body>> {
      const whole = `/mail/api${prefix}${path}`;
      const response = await fetch(baseUrl + whole, {
        method,
        headers: {
          ...(cookie !== null && {
            cookie: mailCookie(cookie),
            'x-csrf-token': csrfTokenOf(cookie.token),
          }),
          ...(method !== 'GET' && { origin: baseUrl }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
      const { status } = response;
      const received = {
        ...{ status, headers: response.headers, text },
        body: isJson ? (JSON.parse(text) as Body) : null,
      };
      contract ??= fetch(`${baseUrl}/mail/api/openapi.json`).then(async (found) =>
        contractOf(await found.text()),
      );
      (await contract).check(
        method,
        whole,
        isJson ? received : { ...received, body: text === '' ? null : text },
      );
      // A test that looks into a body which is not there fails on it.
      return received as MailResponse<Body>;
    }
    return {
      request,
      get: (path, options) => request('GET', path, options),
      post: (path, body, options) => request('POST', path, { body, ...options }),
      put: (path, body, options) => request('PUT', path, { body, ...options }),
      patch: (path, body, options) => request('PATCH', path, { body, ...options }),
      delete: (path, options) => request('DELETE', path, options),
    };
  };
}

/** As a browser sends it over plain http to this machine. */
export function mailCookie({ mailboxId, token }: Cookie): string {
  return `posthorn_mail_${mailboxId.replaceAll('-', '')}=${token}`;
}
