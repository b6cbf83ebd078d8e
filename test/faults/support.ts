/** What the fault tests share: emails sent until told to stop, and the question whether any was lost. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { hasWork } from '../support/queue-rows.ts';
import type { Service } from '../support/service.ts';
import type { SmtpTestServer } from '../support/smtp-server.ts';

/** Time-outs that a test cannot wait for. */
export const SHORT_LEASE: readonly Patch[] = [
  { timings: 'src/queue', values: { leaseMs: 2_000, heartbeatMs: 300 } },
  { timings: 'src/worker', values: { tickMs: 100, judgeMs: 200 } },
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [1_000, 180_000] } },
  { timings: 'src/process', values: { restartWaitsMs: [0, 300] } },
];

export interface Sent {
  /** Ids that got a 202. */
  accepted: string[];
  /** How many answers there were of each other status; 0 for a connection that broke. */
  refused: Map<number, number>;
}

/** Posts emails over some connections until the signal, or until so many were accepted. */
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
      // A refused connection answers in no time: let the rest of the test have its turn.
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
    // Only a broken connection is an answer here; a status that the document does not have is not.
    if (error instanceof TypeError) return 0;
    throw error;
  }
}

/** The ids of emails that a server was handed, one for each time. */
export function deliveredIds(server: SmtpTestServer): string[] {
  return server.messages.map(
    ({ data }) => `em_${(/^Message-ID: <([^@]+)@/im.exec(String(data))?.[1] ?? '').toUpperCase()}`,
  );
}

/** Resolves when no email of the service has work left; false when that does not happen in time. */
export function queueIsEmpty(service: Service, timeoutMs: number): Promise<boolean> {
  return eventually(async () => {
    try {
      return !(await hasWork(service.database));
    } catch {
      return false;
    }
  }, timeoutMs);
}

/** Accepted emails that were not handed to the server, or do not say that they were. */
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
 * For a control: what a missing protection lets happen depends on the instant at which processes die, and so it may take a few runs until
 * it does.
 */
export async function happensAtLast(run: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 0; tried < TRIES; tried++) if (await run()) return true;
  return false;
}
