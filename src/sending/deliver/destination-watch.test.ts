/**
 * Property test: with unavailable destinations and rejected senders in random order, no mail waits forever, and attempts respect the
 * pauses.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { OFTEN, senderOf, startDelivery, VerifiedSenders } from '../../../test/support/deliveries.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import {
  addBacklogs,
  destinationRow,
  emptyQueue,
  isAtRest,
  makeDestinationsDue,
  passTime as passTimeOfRows,
} from '../../../test/support/queue-rows.ts';
import type { Sealer } from '../../db/seal.ts';
import { claimDueDestinations } from '../../queue/destinations.ts';
import type { OutboundMessage, Outcome, Provider } from './provider.ts';

const PATIENCE_MS = 15_000;
const SAID = {
  replyCode: 421,
  enhancedCode: null,
  text: 'not now',
  remoteMta: null,
  tls: false,
  dialogue: null,
};
const refused = new Set<string>();
let db: TestDatabase & { sealer: Sealer };
let senders: VerifiedSenders;

before(async () => {
  db = await sealedDatabase();
  senders = new VerifiedSenders(db);
});
after(() => db[Symbol.asyncDispose]());

/** A destination that is unavailable if `isAway`, and rejects the senders in `refused`. */
class ScriptedProvider implements Provider {
  readonly isFinal = true;
  readonly capacity = 100;
  readonly destinations = {
    capacityLeft: () => 1 - this.#inFlight,
    hasSlot: (_destination: string) => true,
    maxConnections: 500,
  };
  isAway = false;
  /** The number of failed attempts since the last 'time' step, by cause. */
  readonly failedAttempts = { away: 0, refused: new Map<string, number>() };
  #inFlight = 0;

  async send({ mailFrom }: OutboundMessage): Promise<Outcome> {
    this.#inFlight += 1;
    await setImmediate();
    this.#inFlight -= 1;
    const sender = senderOf(mailFrom);
    if (this.isAway) {
      this.failedAttempts.away += 1;
      return { outcome: 'transient', scope: 'host', reply: SAID };
    }
    if (refused.has(sender)) {
      this.failedAttempts.refused.set(sender, (this.failedAttempts.refused.get(sender) ?? 0) + 1);
      return { outcome: 'transient', scope: 'sender', reply: SAID };
    }
    return { outcome: 'accepted', reply: { ...SAID, replyCode: 250 }, providerMessageId: null };
  }

  async close(): Promise<void> {}
}

const SENDERS = ['a.example', 'b.example', 'c.example', 'd.example'];
const sender = fc.constantFrom(...SENDERS);
type Step =
  | { kind: 'send' | 'change'; sender: string }
  /** The destination becomes unavailable, or available again. */
  | { kind: 'move' }
  /** All pauses end. */
  | { kind: 'time' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), sender }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), sender }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'move' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'time' as const }) },
);

test('with any changes of the destination and its rejected senders, no mail waits forever and attempts respect the pauses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      await emptyQueue(db.database);
      refused.clear();
      const provider = new ScriptedProvider();
      await using worker = await startDelivery(db, provider, OFTEN);
      let count = 0;
      /** The number of changes since the last 'time' step. */
      let changes = 0;
      const rest = async (): Promise<void> => {
        worker.delivery.wake();
        assert.ok(await eventually(() => isAtRest(db.database), PATIENCE_MS));
        for (const attempts of provider.failedAttempts.refused.values()) assert.ok(attempts <= 1 + changes);
        assert.ok(provider.failedAttempts.away <= 1 + SENDERS.length + changes);
      };
      const passTime = async (): Promise<void> => {
        provider.failedAttempts.away = 0;
        provider.failedAttempts.refused.clear();
        changes = 0;
        await passTimeOfRows(db.database, '1 day');
        await makeDestinationsDue(db.database);
        await rest();
      };
      for (const each of steps) {
        if (each.kind === 'send') {
          count += 1;
          await senders.queue([each.sender, `${count}@gmx.test`]);
        } else if (each.kind === 'change') {
          changes += 1;
          if (!refused.delete(each.sender)) refused.add(each.sender);
        } else if (each.kind === 'move') {
          changes += 1;
          provider.isAway = !provider.isAway;
        } else {
          await passTime();
        }
        await rest();
      }
      provider.isAway = false;
      for (let round = 0; round < 4; round += 1) await passTime();
      for (const { sender: of } of await unfinished())
        assert.ok(refused.has(of), `mail from ${of} still waits`);
      refused.clear();
      for (let round = 0; round < 3; round += 1) await passTime();
      assert.deepEqual(await unfinished(), []);
      assert.equal(await destinationRow(db.database, 'gmx.test'), undefined);
    }),
    { numRuns: 10 },
  );
});

test('a worker without a slot for a destination passes it on once, so that it stays due for the workers that have a slot', async () => {
  await emptyQueue(db.database);
  const provider = new ScriptedProvider();
  provider.destinations.hasSlot = (destination) => destination !== 'elsewhere.test';
  await addBacklogs(db.database, ['elsewhere.test']);
  await makeDestinationsDue(db.database);
  const dueAt = async () => (await destinationRow(db.database, 'elsewhere.test'))?.nextAttemptAt.getTime();
  const before = await dueAt();
  await using worker = await startDelivery(db, provider, OFTEN);
  // Until it is passed on, the worker's claim makes the destination due in the future.
  const isPassedOn = (at = 0) => at !== before && at <= Date.now();
  assert.ok(await eventually(async () => isPassedOn(await dueAt()), PATIENCE_MS));
  const passedOn = await dueAt();
  await addBacklogs(db.database, ['here.test']);
  worker.delivery.wake();
  // The check that finds this destination also sees the other one.
  assert.ok(
    await eventually(async () => (await destinationRow(db.database, 'here.test')) === undefined, PATIENCE_MS),
  );
  assert.equal(await dueAt(), passedOn);
  const [due] = await claimDueDestinations(db.database, { backlogs: 1, failing: 0 });
  assert.equal(due?.name, 'elsewhere.test');
});

/** The sender domains of unfinished mail, one row per recipient. */
async function unfinished(): Promise<{ sender: string }[]> {
  const rows = await db.database
    .selectFrom('queue')
    .innerJoin('emails', 'emails.id', 'queue.emailId')
    .select('emails.sender')
    .execute();
  return rows.map(({ sender: address }) => ({ sender: address.slice(address.indexOf('@') + 1) }));
}
