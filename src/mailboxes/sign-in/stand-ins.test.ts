import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import { StandIns } from './stand-ins.ts';

const db = await sealedDatabase();
const { database } = db;
after(async () => db[Symbol.asyncDispose]());

const BCRYPT = `{BLF-CRYPT}$2y$10$${'b'.repeat(53)}`;
const SHA512 = `{SHA512-CRYPT}$6$salt$${'s'.repeat(86)}`;
const OURS = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`;
const [STAND_IN, OTHER] = [`{BLF-CRYPT}$2y$10$${'A'.repeat(53)}`, `{SHA512-CRYPT}$6$salt$${'A'.repeat(86)}`];

/** Creates a claim on a domain, and a mailbox for each hash. */
async function newClaim(
  hashes: readonly (string | null)[],
  domain = `${newUuid()}.example`,
  status: 'verified' | 'pending' = 'verified',
): Promise<string> {
  const projectId = await newProject(database);
  const domainId = await newDomain(database, projectId, domain, { status });
  const rows = hashes.map((passwordHash, at) => ({
    projectId,
    id: newUuid(),
    domainId,
    domain,
    localPart: `user${at}`,
    localPartKey: `user${at}`,
    passwordHash,
    isCatchAll: false,
    quotaMb: 1,
    createdAt: new Date(),
  }));
  await database.insertInto('mailboxes').values(rows).execute();
  return domain;
}

const newStandIns = () => new StandIns(database, async () => db.sealer);
const namesAt = (domain: string) => Array.from({ length: 1_000 }, (_, at) => ({ domain, key: `name${at}` }));

/** How many of a thousand names on a domain got each result. */
async function drawnAt(domain: string): Promise<Map<string | null, number>> {
  const drawn = await newStandIns().of(namesAt(domain));
  return new Map(
    Array.from(
      Map.groupBy(drawn, (each) => each),
      ([each, all]) => [each, all.length],
    ),
  );
}

const about = (count: number | undefined, expected: number) => Math.abs((count ?? 0) - expected) < 100;

test('all names get a stand-in if all mailboxes of the domain have a hash of another system', async () => {
  const domain = await newClaim([BCRYPT, BCRYPT, null]);
  assert.deepEqual(await drawnAt(domain), new Map([[STAND_IN, 1_000]]));
});

test('no name gets a stand-in if no mailbox of the domain has a hash of another system', async () => {
  const domain = await newClaim([OURS, null]);
  assert.deepEqual(await drawnAt(domain), new Map([[null, 1_000]]));
  assert.deepEqual(await drawnAt('nowhere.example'), new Map([[null, 1_000]]));
});

test('names get each kind of hash in the proportion of the mailboxes', async () => {
  const drawn = await drawnAt(await newClaim([OURS, OURS, BCRYPT, SHA512, OURS]));
  assert.ok(about(drawn.get(null), 600));
  assert.ok(about(drawn.get(STAND_IN), 200));
  assert.ok(about(drawn.get(OTHER), 200));
});

test('hashes that differ in cost or in the length of the salt are different kinds', async () => {
  const costly = BCRYPT.replace('$10$', '$12$');
  const salted = SHA512.replace('salt', 'saltsalt');
  const drawn = await drawnAt(await newClaim([BCRYPT, costly, SHA512, salted]));
  assert.equal(drawn.size, 4);
});

test('a name gets the same result in every process', async () => {
  const domain = await newClaim([OURS, BCRYPT]);
  const [one, other] = [newStandIns(), newStandIns()];
  const names = namesAt(domain);
  assert.deepEqual(await one.of(names), await other.of(names.toReversed()).then((all) => all.toReversed()));
});

test('the mailboxes of another claim on the domain do not count', async () => {
  const domain = await newClaim([BCRYPT]);
  await newClaim([OURS, OURS, OURS, OURS], domain, 'pending');
  assert.deepEqual(await drawnAt(domain), new Map([[STAND_IN, 1_000]]));
});
