import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeComposing } from '../support/compose-patch.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { allStatuses, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const OTHERS = 100;

/** Makes a message kill the worker, as a bug in native code would. */
const POISON = beforeComposing(
  "if (email.content.subject === 'poison') process.kill(process.pid, 'SIGKILL');",
);
const QUICK_RESTART: Patch = { timings: 'src/process', values: { restartWaitsMs: [0, 1] } };

interface Result {
  poison: { status: string; reason: unknown };
  /** The statuses of the other emails. */
  others: Set<string>;
}

async function sendWithPoison(patches: readonly Patch[]): Promise<Result> {
  await using server = await startSmtpServer();
  await using service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: [...SHORT_LEASE, POISON, QUICK_RESTART, ...patches],
  });
  const [poison, others] = await Promise.all([
    postEmails(service, { count: 1 }, { subject: 'poison' }),
    postEmails(service, { count: OTHERS }),
  ]);
  await queueIsEmpty(service, 40_000);
  const client = service.client();
  const detail = (await client.get(`/v1/emails/${poison.accepted[0]}`)).body as {
    status: string;
    events: { type: string; detail: { reason?: string } | null }[];
  };
  const statuses = await allStatuses(client);
  const ofOthers = others.accepted.map((id) => statuses.get(id) ?? 'unknown');
  const failed = detail.events.find(({ type }) => type === 'failed');
  return { poison: { status: detail.status, reason: failed?.detail?.reason }, others: new Set(ofOthers) };
}

test('a message that kills its worker fails after the fifth crash, and other emails are sent', async () => {
  assert.deepEqual(await sendWithPoison([]), {
    poison: { status: 'failed', reason: 'internal' },
    others: new Set(['sent']),
  });
});

test('control: other emails fail too if a row that keeps crashing workers is not sent alone', async () => {
  // Every crash is counted for all rows in flight, not only for the row that caused the crash.
  const together = [
    { file: 'src/queue/claim.ts', protection: 'poison alone', replace: 'const POISON_CRASHES = 99;' },
    {
      file: 'src/sending/deliver/compose-email.ts',
      append: `
        const quickComposerOf = composerOf;
        composerOf = (email, composing) => {
          const composer = quickComposerOf(email, composing);
          const compose = async (recipientIndex) => {
            const composed = await composer.compose(recipientIndex);
            await new Promise((resolve) => setTimeout(resolve, 500));
            return composed;
          };
          return { ...composer, compose };
        };`,
    },
  ];
  const { others } = await sendWithPoison(together);
  assert.ok(others.has('failed'), [...others].join());
});
