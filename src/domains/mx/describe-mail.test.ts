import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { noteVerified } from '../first-verified.ts';
import { HOSTED_PROJECT_ID } from '../hosted.ts';
import { verifyManually } from '../verify-manually.ts';
import { changeDomainMail } from './change-mail.ts';
import { describeMail, describeMails } from './describe-mail.ts';
import { recordMx } from './record-mx.ts';

const OURS = ['mx.here.example'];
const DAY_MS = 86_400_000;
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;
const projectId = await newProject(database);

type Status = 'pending' | 'verified' | 'warning';
/** @param mx the mail hosts that DNS returned, each with the number of days ago */
async function claim(name: string, status: Status, ...mx: (readonly [daysAgo: number, host: string])[]) {
  const id = await newDomain(database, projectId, name, { status });
  for (const [daysAgo, exchange] of mx) {
    const answer = {
      outcome: 'found',
      records: exchange === '' ? [] : [{ priority: 10, exchange }],
    } as const;
    const at = new Date(Date.now() - daysAgo * DAY_MS);
    await recordMx(database, { projectId, id, name }, OURS, answer, at);
  }
  return { id, name };
}

const describe = (of: { id: string; name: string }, trustsManualVerification = false) =>
  describeMail(database, { hostedDomain: 'hosted.example', trustsManualVerification }, OURS, of);

const HERE = [0, 'mx.here.example'] as const;
const AWAY = [0, 'mx.other.example'] as const;
for (const [name, status, mx, accepts, isLocal, reason] of [
  ['here.example', 'verified', [HERE], true, true, 'The MX of here.example points to this installation.'],
  ['warned.example', 'warning', [HERE], true, true, 'The MX of warned.example points to this installation.'],
  ['away.example', 'verified', [AWAY], true, false, 'The MX of away.example is mx.other.example.'],
  ['bare.example', 'verified', [[0, '']], true, false, 'The MX of bare.example is bare.example.'],
  [
    'moved.example',
    'verified',
    [[3, 'mx.here.example'], [2, 'mx.other.example'], AWAY],
    true,
    false,
    'The MX of moved.example moved to mx.other.example.',
  ],
  [
    'unknown.example',
    'verified',
    [],
    true,
    false,
    'The MX of unknown.example is unknown, because DNS has not answered yet.',
  ],
  [
    'never.example',
    'pending',
    [HERE],
    false,
    false,
    'never.example is not verified yet. Publish its DNS records, then verify it.',
  ],
] as const)
  test(`${name} with the status ${status}: ${reason}`, async () => {
    assert.deepEqual(await describe(await claim(name, status, ...mx)), { accepts, isLocal, reason });
  });

test('mail for a claim that lost its records is received while its MX points to this installation', async () => {
  const lost = await claim('lost.example', 'pending', HERE);
  await noteVerified(database, { projectId, id: lost.id }, new Date(Date.now() - 400 * DAY_MS));
  const reason = 'The MX of lost.example points to this installation. The domain is no longer verified.';
  assert.deepEqual(await describe(lost), { accepts: true, isLocal: true, reason });
});

test("a second claim on a domain receives nothing while another claim receives the domain's mail", async () => {
  await claim('two.example', 'verified', HERE);
  const other = await newProject(database);
  const second = { id: await newDomain(database, other, 'two.example'), name: 'two.example' };
  const reason = 'Another claim on two.example is verified, and receives its mail.';
  assert.deepEqual(await describe(second), { accepts: false, isLocal: false, reason });
});

test("the reason names an operator's decision, or outside production a verification by hand", async () => {
  const decided = await claim('decided.example', 'verified', AWAY);
  for (const [deliverLocally, word] of [
    [true, 'on'],
    [false, 'off'],
  ] as const) {
    await changeDomainMail(database, projectId, decided.name, { deliverLocally });
    assert.deepEqual(await describe(decided), {
      accepts: true,
      isLocal: deliverLocally,
      reason: `An operator turned local delivery ${word} for decided.example.`,
    });
  }
  const byHand = await claim('hand.example', 'pending');
  await verifyManually(database, projectId, byHand.name);
  assert.equal((await describe(byHand, true)).reason, 'hand.example was verified manually.');
  assert.match((await describe(byHand)).reason, /is not verified yet/);
});

test('several claims are described in their order, including the hosted domain', async () => {
  const hosted = await newDomain(database, HOSTED_PROJECT_ID, 'hosted.example', { status: 'verified' });
  const claims = [
    await claim('b.example', 'verified', AWAY),
    { id: hosted, name: 'hosted.example' },
    await claim('a.example', 'verified', HERE),
  ];
  const domains = { hostedDomain: 'hosted.example', trustsManualVerification: false };
  assert.deepEqual(
    (await describeMails(database, domains, OURS, claims)).map(({ reason }) => reason),
    [
      'The MX of b.example is mx.other.example.',
      'hosted.example is the hosted domain.',
      'The MX of a.example points to this installation.',
    ],
  );
});
