/** A listening API with in-memory services, for tests of the HTTP layer without a database. */
import { pino } from 'pino';
import { type ApiClient, apiClient, checkAgainst } from '../../../test/support/api-client.ts';
import { ownContract } from '../../../test/support/own-contract.ts';
import type { RejectedRequest } from '../../accounts/api-log/rejected-requests.ts';
import type { EmailDetail, ListEmailsQuery, SendEmail } from '../../contract/emails.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import type { Scope } from '../../model/scopes.ts';
import type { EmailParts } from '../../sending/read/run.ts';
import { type HttpOptions, startHttp } from './server.ts';
import type { HttpServices } from './services.ts';

export const FULL_ACCESS = 'svc_live_full';
export const OTHER_PROJECT = 'svc_live_other';
/** The token of a key that has only these scopes. */
export const restricted = (...scopes: Scope[]) => `svc_live_only,${scopes.join(',')}`;

interface Accepted {
  projectId: string;
  send: SendEmail;
  idempotencyKey: string | null;
}

/** In-memory services for emails. No other resource has special HTTP rules, so tests of other resources use a database. */
interface EmailServices
  extends Pick<HttpServices, 'authenticate' | 'acceptEmail' | 'logRejected' | 'whyNotReady'> {
  listEmails: EmailParts['emailLists']['list'];
  getEmail: EmailParts['singleEmails']['get'];
}

const KEY = {
  kind: 'api-key',
  name: 'test',
  plan: 'paid',
  trackOpens: false,
  trackClicks: false,
  smtpTracking: false,
  smtpEvents: false,
  restrictions: null,
} as const;

class MemoryServices implements EmailServices {
  readonly accepted: Accepted[] = [];
  readonly queries: ListEmailsQuery[] = [];
  readonly rejected: RejectedRequest[] = [];
  readonly #emails = new Map<string, { projectId: string; email: EmailDetail }>();
  readonly #keys = new Map<string, string>();
  notReady: string | null = null;

  authenticate(token: string) {
    if (token === FULL_ACCESS) return { keyId: 'full', projectId: 'one', ...KEY, scopes: null };
    if (token === OTHER_PROJECT)
      return Promise.resolve({ keyId: 'other', projectId: 'two', ...KEY, scopes: null });
    const [prefix, ...scopes] = token.split(',');
    if (prefix !== 'svc_live_only') return null;
    return { keyId: token, projectId: 'one', ...KEY, scopes: scopes as Scope[] };
  }

  logRejected(request: RejectedRequest) {
    this.rejected.push(request);
  }

  async acceptEmail({ projectId }: { projectId: string }, send: SendEmail, idempotencyKey: string | null) {
    this.accepted.push({ projectId, send, idempotencyKey });
    const earlier = idempotencyKey === null ? undefined : this.#keys.get(`${projectId} ${idempotencyKey}`);
    if (earlier !== undefined) return { emailId: earlier, replayed: true };
    const emailId = newUuid();
    if (idempotencyKey !== null) this.#keys.set(`${projectId} ${idempotencyKey}`, emailId);
    const createdAt = timeOf(emailId).toISOString();
    this.#emails.set(emailId, {
      projectId,
      email: {
        id: encodeId('em', emailId),
        status: 'queued',
        subject: send.subject ?? '',
        from: send.from,
        to: send.to,
        created_at: createdAt,
        scheduled_at: null,
        html: send.html ?? '',
        text: send.text ?? '',
        bodies_deleted_at: null,
        stream: 'transactional',
        template_id: null,
        cc: [],
        bcc: [],
        reply_to: null,
        headers: {},
        tags: [],
        message_id: '<1@hosted.example>',
        events: [
          {
            id: encodeId('evt', newUuid()),
            type: 'queued',
            created_at: createdAt,
            recipient: null,
            detail: null,
          },
        ],
      },
    });
    return { emailId, replayed: false };
  }

  async listEmails(projectId: string, query: ListEmailsQuery) {
    this.queries.push(query);
    const emails = [...this.#emails.values()].filter((stored) => stored.projectId === projectId);
    const data = emails
      .toReversed()
      .slice(0, query.limit)
      .map(({ email: { id, status, subject, from, to, created_at, scheduled_at } }) => ({
        id,
        status,
        subject,
        from,
        to,
        created_at,
        scheduled_at,
      }));
    return { data, next_cursor: emails.length > query.limit ? 'more' : null };
  }

  async getEmail(projectId: string, emailId: string) {
    const stored = this.#emails.get(emailId);
    return stored?.projectId === projectId ? stored.email : null;
  }

  async whyNotReady() {
    return this.notReady;
  }
}

export interface TestApi extends AsyncDisposable {
  services: MemoryServices;
  port: number;
  /** The port with TLS. 0 if there is no such port. */
  httpsPort: number;
  baseUrl: string;
  logged: string[];
  client(token?: string): ApiClient;
}

/** @param overrides services to use instead of the in-memory services */
export async function startTestApi(
  options: Partial<HttpOptions> = {},
  overrides: Partial<HttpServices & EmailServices> = {},
): Promise<TestApi> {
  const services = Object.assign(new MemoryServices(), { receiveSesNotification: null }, overrides);
  const parts: EmailParts = {
    emailLists: { list: (...of) => services.listEmails(...of) },
    singleEmails: { get: (...of) => services.getEmail(...of) },
  };
  const logged: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  const server = await startHttp(Object.assign(services, { parts }) as unknown as HttpServices, {
    listenAddress: { addresses: ['::'], port: 0 },
    rateLimit: 0,
    processes: () => 1,
    trustedProxies: [],
    baseUrl: null,
    instance: () => ({
      address: baseUrl,
      webClient: `${baseUrl}/mail`,
      hostedDomain: 'hosted.example',
      submission: { host: 'mail.example', port: 587, security: 'starttls' },
    }),
    logger,
    ...options,
  });
  const baseUrl = `http://localhost:${server.port}`;
  checkAgainst(ownContract(), baseUrl);
  return {
    services,
    port: server.port,
    httpsPort: server.httpsPort ?? 0,
    baseUrl,
    logged,
    client: (token) => apiClient(baseUrl, token),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
