import { after, before, test } from 'node:test';
import { type TestDatabase, sealedDatabase } from '../../../test/support/postgres.ts';
import { createKey } from '../../domains/dkim-key.ts';
import { DAY_MS } from '../../model/day.ts';
import { newUuid } from '../../model/ids.ts';
import { checkDkimRotation } from './dkim-rotation.ts';
import { assertFinding } from './finding.fixture.ts';
import { worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';
let db: Awaited<ReturnType<typeof sealedDatabase>> & TestDatabase;
before(async () => {
  db = await sealedDatabase();
});
after(() => db[Symbol.asyncDispose]());

const check = () => checkDkimRotation(worldWith(DNS, { database: { opened: db.database } }));

async function rotateSince(name: string, ageMs: number): Promise<void> {
  const [projectId, domainId, createdAt] = [newUuid(), newUuid(), new Date(Date.now() - ageMs)];
  const claim = {
    projectId,
    id: domainId,
    name,
    status: 'verified' as const,
    createdAt,
    verifiedAt: createdAt,
  };
  await db.database.insertInto('domains').values(claim).execute();
  const key = await createKey(db.sealer, { projectId, domainId, selector: 'next' }, 'ed25519-sha256');
  await db.database
    .insertInto('dkimKeys')
    .values({ ...key, createdAt, state: 'next' })
    .execute();
}

test('the check names domains whose next DKIM key has been waiting for days, and counts further domains', async () => {
  await rotateSince('new.example', DAY_MS);
  assertFinding(await check(), 'ok', /No DKIM key/);
  await rotateSince('old.example', 4 * DAY_MS);
  assertFinding(
    await check(),
    'warning',
    /^The next DKIM key of old\.example has been waiting/,
    /rotate-dkim/,
  );
  for (let n = 0; n < 6; n++) await rotateSince(`x${n}.example`, 5 * DAY_MS);
  assertFinding(await check(), 'warning', /and 2 others has been waiting/, /domain show/);
  assertFinding(await checkDkimRotation(worldWith(DNS)), 'problem', /cannot be checked/, /database/);
});
