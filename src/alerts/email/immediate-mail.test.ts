import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOSTED_DOMAIN } from '../../../test/support/core.ts';
import { addHostedDomain } from '../../../test/support/hosted-domain.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { newUuid } from '../../model/ids.ts';
import type { OutboundMessage, Outcome, Provider } from '../../sending/deliver/provider.ts';
import { ServiceMail } from '../../sending/service-mail/service-mail.ts';
import { ImmediateMail } from './immediate-mail.ts';

const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());
const { database, sealer } = db;
await addHostedDomain(db);

const ACCEPTED: Outcome = {
  outcome: 'accepted',
  reply: { replyCode: 250, enhancedCode: null, text: 'ok', remoteMta: 'mx.test', tls: true, dialogue: null },
  providerMessageId: null,
};

/** A provider that holds messages until the test settles them. */
function holding() {
  const held: { message: OutboundMessage; settle(outcome: Outcome): void }[] = [];
  const begun = Promise.withResolvers<void>();
  const provider: Provider = {
    capacity: 10,
    isFinal: true,
    destinations: null,
    send: (message) =>
      new Promise((settle) => {
        held.push({ message, settle });
        begun.resolve();
      }),
    close: async () => {},
  };
  return { held, begun: begun.promise, provider };
}

function mailOver(openProvider: () => Promise<Provider>, sendMs?: number): ImmediateMail {
  return new ImmediateMail({
    database,
    mail: new ServiceMail({
      from: null,
      hostedDomain: HOSTED_DOMAIN,
      sealer,
      trustsManualVerification: false,
    }),
    keyring: new DkimKeyring(database, sealer, HOSTED_DOMAIN),
    openProvider,
    ...(sendMs !== undefined && { timings: { sendMs } }),
  });
}

const message = () => ({ id: newUuid(), to: 'ada@company.example', subject: 'Hello', text: 'Hello' });

test('only four messages are in flight, and after the deadline none of their final dots is written', async () => {
  const { held, provider } = holding();
  const mail = mailOver(async () => provider, 3_000);
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => mail.send(message())));
  assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['temporary']));
  assert.deepEqual(
    held.map(({ message: { mayCommit } }) => mayCommit()),
    [false, false, false, false],
  );
});

test('before the deadline the final dot is written', async () => {
  const { held, begun, provider } = holding();
  const sent = mailOver(async () => provider, 60_000).send(message());
  await begun;
  assert.equal(held[0]?.message.mayCommit(), true);
  held[0]?.settle(ACCEPTED);
  assert.deepEqual(await sent, { outcome: 'delivered', reply: '250 ok' });
});

test('if the provider cannot be opened, the next message tries again', async () => {
  const { held, begun, provider } = holding();
  let attempts = 0;
  const mail = mailOver(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the shaping file is invalid');
    return provider;
  });
  await assert.rejects(mail.send(message()), /the shaping file is invalid/);
  const sent = mail.send(message());
  await begun;
  held[0]?.settle(ACCEPTED);
  assert.equal((await sent).outcome, 'delivered');
});
