/** Helpers that the fault tests share: posting emails until stopped, and checking that no email was lost. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { hasWork } from '../support/queue-rows.ts';
import type { Service } from '../support/service.ts';
import type { SmtpTestServer } from '../support/smtp-server.ts';

/** Patches that shorten timeouts that are too long for a test. */
export const SHORT_LEASE: readonly Patch[] = [
  { timings: 'src/queue', values: { leaseMs: 2_000, heartbeatMs: 300 } },
  { timings: 'src/worker', values: { tickMs: 100, judgeMs: 200 } },
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [1_000, 180_000] } },
  { timings: 'src/process', values: { restartWaitsMs: [0, 300] } },
];

export interface Sent {
  /** The ids of emails that were accepted with a 202. */
  accepted: string[];
  /** How many responses had each status other than 202. Status 0 stands for a broken connection. */
  refused: Map<number, number>;
}

/** Posts emails over several connections until the signal, or until `count` emails have been posted. */
export async function postEmails(
  service: Service,
  until: { signal?: AbortSignal; count?: number },
  email: Record<string, unknown> = {},
): Promise<Sent> {
  const sent: Sent = { accepted: [], refused: new Map() };
  let begun = 0;
  const one = async (): Promise<void> => {
    while (until.signal?.aborted !== true && (until.count === undefined || begun < until.count)) {
      begun += 1;
      const status = await post(service, email, sent.accepted);
      if (status === 202) continue;
      sent.refused.set(status, (sent.refused.get(status) ?? 0) + 1);
      // A refused connection fails at once, so yield to let other callbacks run.
      await turn();
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  return sent;
}

async function post(service: Service, email: Record<string, unknown>, accepted: string[]): Promise<number> {
  try {
    const { status, body } = await service.client().post<{ id: string }>('/v1/emails', {
      from: 'Acme <hello@posthorn.localhost>',
      to: ['b@dst.test'],
      subject: 'Hello',
      text: 'It works.',
      ...email,
    });
    if (status === 202) accepted.push(body.id);
    return status;
  } catch (error) {
    // A broken connection is a result. A response that violates the document is an error.
    if (error instanceof TypeError) return 0;
    throw error;
  }
}

/** The ids of emails that a server received. An id occurs once for each copy. */
export function deliveredIds(server: SmtpTestServer): string[] {
  return server.messages.map(
    ({ data }) => `em_${(/^Message-ID: <([^@]+)@/im.exec(String(data))?.[1] ?? '').toUpperCase()}`,
  );
}

/** Resolves to true once the service has no work left for any email, or to false after the timeout. */
export function queueIsEmpty(service: Service, timeoutMs: number): Promise<boolean> {
  return eventually(async () => {
    try {
      return !(await hasWork(service.database));
    } catch {
      return false;
    }
  }, timeoutMs);
}

/** Accepted emails that the server did not receive, or whose status is not sent. */
export async function lostOf(
  client: ApiClient,
  server: SmtpTestServer,
  accepted: readonly string[],
): Promise<string[]> {
  const delivered = new Set(deliveredIds(server));
  const statuses = await allStatuses(client);
  return accepted
    .filter((id) => !delivered.has(id) || statuses.get(id) !== 'sent')
    .map((id) => `${id}: ${statuses.get(id) ?? 'unknown'}`);
}

/** The status of every email, by id. */
export async function allStatuses(client: ApiClient): Promise<Map<string, string>> {
  interface Page {
    data: { id: string; status: string }[];
    next_cursor: string | null;
  }
  const statuses = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body }: { body: Page } = await client.get<Page>(`/v1/emails?limit=200${query}`);
    for (const { id, status } of body.data) statuses.set(id, status);
    cursor = body.next_cursor;
  }
  return statuses;
}

const TRIES = 4;

/**
 * Repeats a run from which a protection was removed. Whether the run then fails depends on when the processes die, so several runs may be
 * needed.
 */
export async function happensAtLast(run: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 0; tried < TRIES; tried++) if (await run()) return true;
  return false;
}
