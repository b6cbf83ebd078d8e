/** What the fault tests share: emails sent until told to stop, and the question whether any was lost. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Patch } from '../support/patches.ts';
import type { Service } from '../support/service.ts';
import type { SmtpTestServer } from '../support/smtp-server.ts';

/** Time-outs that a test cannot wait for. */
export const SHORT_LEASE: readonly Patch[] = [
  { file: 'src/queue/life.ts', find: 'LEASE_MS = 30_000', replace: 'LEASE_MS = 2_000' },
  { file: 'src/queue/life.ts', find: 'HEARTBEAT_MS = 5_000', replace: 'HEARTBEAT_MS = 300' },
  { file: 'src/edge/worker/run-worker.ts', find: 'TICK_MS = 1_000', replace: 'TICK_MS = 100' },
  { file: 'src/edge/worker/run-worker.ts', find: 'JUDGE_MS = 5_000', replace: 'JUDGE_MS = 200' },
  { file: 'src/mail/deliver/retry-schedule.ts', find: '1 * MINUTE_MS', replace: '1_000' },
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
    const response = await fetch(`${service.baseUrl}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: 'Acme <hello@posthorn.localhost>',
        to: ['b@dst.test'],
        subject: 'Hello',
        text: 'It works.',
        ...email,
      }),
    });
    const body = (await response.json()) as { id: string };
    if (response.status === 202) accepted.push(body.id);
    return response.status;
  } catch {
    return 0;
  }
}

/** The ids of emails that a server was handed, one for each time. */
export function deliveredIds(server: SmtpTestServer): string[] {
  return server.messages.map(
    ({ data }) => `em_${(/^Message-ID: <([^@]+)@/im.exec(String(data))?.[1] ?? '').toUpperCase()}`,
  );
}

/** Resolves as soon as the condition holds; false when it does not in time. The wait is for other processes. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  timeoutMs: number,
): Promise<boolean> {
  for (const endMs = Date.now() + timeoutMs; Date.now() < endMs; ) {
    if (await condition()) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return false;
}

/** Resolves when no email of the service has work left; false when that does not happen in time. */
export function queueIsEmpty(service: Service, timeoutMs: number): Promise<boolean> {
  return eventually(async () => {
    try {
      const rows = await service.database
        .selectFrom('recipients')
        .select('n')
        .where('nextAttemptAt', 'is not', null)
        .limit(1)
        .execute();
      return rows.length === 0;
    } catch {
      return false;
    }
  }, timeoutMs);
}

/** Accepted emails that were not handed to the server, or do not say that they were. */
export async function lostOf(
  service: Service,
  server: SmtpTestServer,
  accepted: readonly string[],
): Promise<string[]> {
  const delivered = new Set(deliveredIds(server));
  const lost: string[] = [];
  for (const id of accepted) {
    const response = await fetch(`${service.baseUrl}/v1/emails/${id}`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    const { status } = (await response.json()) as { status: unknown };
    if (!delivered.has(id) || status !== 'sent') lost.push(`${id}: ${status}`);
  }
  return lost;
}
