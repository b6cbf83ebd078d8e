import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { ServedDomains } from './served-domains.ts';
import { verifyManually } from './verify-manually.ts';

const HOSTED = 'hosted.example';
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  const projectId = await newProject(db.database);
  const verified = { status: 'verified', verifiedAt: new Date() } as const;
  await newDomain(db.database, HOSTED_PROJECT_ID, HOSTED, verified);
  await newDomain(db.database, HOSTED_PROJECT_ID, 'earlier.example', verified);
  await newDomain(db.database, projectId, 'acme.example', verified);
  await newDomain(db.database, projectId, 'warned.example', {
    ...verified,
    status: 'warning',
    warningSince: new Date(),
  });
  await newDomain(db.database, projectId, 'pending.example');
  await newDomain(db.database, projectId, 'hand.example');
  await verifyManually(db.database, projectId, 'hand.example');
});
after(() => db[Symbol.asyncDispose]());

for (const trustsManualVerification of [false, true])
  test(`the hosted domain and verified claims are served${trustsManualVerification ? ', and claims verified by hand' : ''}`, async () => {
    const served = new ServedDomains({
      database: db.database,
      hostedDomain: HOSTED,
      trustsManualVerification,
    });
    const names = [
      HOSTED,
      'acme.example',
      'warned.example',
      'hand.example',
      'pending.example',
      'earlier.example',
      'x.example',
    ];
    assert.deepEqual(await Promise.all(names.map(async (name) => served.isServed(name))), [
      true,
      true,
      true,
      trustsManualVerification,
      false,
      false,
      false,
    ]);
  });

test('whether a domain is served is cached for two seconds', async () => {
  const clock = { nowMs: 0 };
  const options = { database: db.database, hostedDomain: HOSTED, trustsManualVerification: true };
  const served = new ServedDomains({ ...options, nowMs: () => clock.nowMs });
  assert.equal(await served.isServed('soon.example'), false);
  await newDomain(db.database, await newProject(db.database), 'soon.example', { status: 'verified' });
  clock.nowMs = 1_999;
  assert.equal(served.isServed('soon.example'), false);
  clock.nowMs = 2_000;
  assert.equal(await served.isServed('soon.example'), true);
});
