import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';

const PATIENCE_MS = 60;
const HASTY = {
  ...IMPATIENT,
  setUpMs: PATIENCE_MS,
  commandMs: PATIENCE_MS,
  dataMs: PATIENCE_MS,
  dotMs: PATIENCE_MS,
  graceMs: PATIENCE_MS,
};

/** The server's action at each stage, repeated in a cycle. Replies include the sender's address. */
const plan = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom('421', '451', '550') },
    { weight: 2, arbitrary: fc.constantFrom('close', 'reset', 'garbage', 'drip') },
    { weight: 1, arbitrary: fc.constant('stall') },
  ),
  { minLength: 1, maxLength: 60 },
);

const scenario = fc.record({
  plan,
  pipelining: fc.boolean(),
  maxConnections: fc.integer({ min: 1, max: 3 }),
  maxMessages: fc.integer({ min: 1, max: 5 }),
  /** For each message, whether the final dot may be sent. */
  leave: fc.array(
    fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    { minLength: 1, maxLength: 12 },
  ),
  /** The number of messages after which the relay closes. */
  stopAfter: fc.option(fc.nat({ max: 11 })),
});

test('each of many messages has its own outcome and is accepted at most once', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ plan, pipelining, leave, stopAfter, ...limits }) => {
      let step = 0;
      const senders: string[] = [];
      const dots = new Map<string, number>();
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage, argument, { connection }) => {
          if (stage === 'mail' || stage === 'rset') senders[connection] = argument;
          const sender = senders[connection] ?? '';
          if (stage === 'dot') dots.set(sender, (dots.get(sender) ?? 0) + 1);
          const act = plan[step++ % plan.length];
          return act !== undefined && /^\d/.test(act) ? `${act} said to ${sender}` : act;
        },
      });
      // If no connection is lost, the reply to every message is known.
      const isCalm = stopAfter === null && plan.every((act) => act === undefined || /^(?:451|550)/.test(act));
      const relay = relayTo(server.port, { ...(isCalm ? {} : { timings: HASTY }), ...limits });
      let closing: Promise<void> | null = null;
      const sending = leave.map((mayCommit, at) => {
        const sent = relay.send(
          outboundMessage({ mailFrom: `${at}@example.com`, mayCommit: () => mayCommit }),
        );
        if (at === stopAfter) closing = relay.close();
        return sent;
      });
      for (const [at, outcome] of (await Promise.all(sending)).entries()) {
        const sender = `${at}@example.com`;
        const accepted = server.messages.filter(({ mailFrom }) => mailFrom === sender).length;
        assert.ok((dots.get(sender) ?? 0) <= (leave[at] === true ? 1 : 0));
        if (outcome.outcome === 'accepted' || isCalm)
          assert.equal(outcome.outcome === 'accepted', accepted === 1);
        if (outcome.outcome === 'abandoned') assert.equal(leave[at], false);
        const named = 'reply' in outcome ? /said to (\d.*)$/.exec(outcome.reply.text)?.[1] : undefined;
        assert.equal(named ?? sender, sender);
      }
      await (closing ?? relay.close());
      await server.waitForNoConnection();
      assert.deepEqual(server.violations, []);
    }),
    { numRuns: 100 },
  );
});
