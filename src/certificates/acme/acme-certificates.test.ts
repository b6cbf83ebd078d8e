import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { Sealer } from '../../db/seal.ts';
import { DAY_MS } from '../../model/day.ts';
import { selfSigned } from '../../rfc/acme/certificates.ts';
import { AcmeCertificates, delayMs, renewAt } from './acme-certificates.ts';
import { CertificateRows } from './certificate-rows.ts';
import { writeChallenge } from './challenges.ts';
import { TIMINGS } from './timings.ts';

/** Nobody listens there. */
const DIRECTORY = 'https://127.0.0.1:1/dir';
const NAMES = ['mail.acme.example', 'www.acme.example'];
const [MAIL = '', WEB = ''] = NAMES;
const FAR = new Date(Date.now() + 60 * DAY_MS);

let db: Awaited<ReturnType<typeof sealedDatabase>>;
before(async () => {
  db = await sealedDatabase();
});
after(() => db[Symbol.asyncDispose]());

let directories = 0;
/** A directory of its own for each test. */
function authority() {
  const directory = `${DIRECTORY}/${(directories += 1)}`;
  return { directory, rows: new CertificateRows(db.database, db.sealer, directory) };
}

/** What an authority issued: it need not be trusted here. */
function issued(name: string) {
  const { cert, key } = selfSigned(name, null, new Date());
  return { chain: cert, key, notBefore: new Date(), expiresAt: FAR };
}

/** One process. */
async function open(directory: string, names = NAMES) {
  const lines: Record<string, unknown>[] = [];
  const told = Promise.withResolvers<Record<string, unknown>>();
  const write = (line: string): void => {
    const read = JSON.parse(line) as Record<string, unknown>;
    lines.push(read);
    told.resolve(read);
  };
  const certificates = await AcmeCertificates.open({
    ...db,
    directory,
    names,
    types: ['http-01'],
    logger: pino({ level: 'info' }, { write }),
    timings: { lookMs: 20 },
  });
  return Object.assign(certificates, { lines, told: told.promise });
}

/** Nothing is due: the test is about what is there already. */
async function hold(rows: CertificateRows, names = NAMES): Promise<void> {
  await rows.want(names);
  for (const name of names) await rows.fail(name, 1, 'held by the test', DAY_MS);
}

test('a name that is due is taken by one process, and by the next one when its time is over', async () => {
  const { rows } = authority();
  await rows.want(NAMES);
  const claims = await Promise.all(Array.from({ length: 5 }, () => rows.claim()));
  assert.deepEqual(claims.flatMap((claim) => claim?.name ?? []).sort(), NAMES);
  await rows.giveBack(MAIL);
  assert.deepEqual(await rows.claim(), { name: MAIL, failures: 0 });
  assert.equal(await rows.claim(), null);
});

test('what nobody says is theirs is not obtained any more, and is forgotten once it has expired', async () => {
  const { rows, directory } = authority();
  await rows.want(NAMES);
  await rows.store(WEB, issued(WEB), new Date(0));
  await sql`update acme_certificates set wanted_at = now() - interval '8 days' where directory = ${directory}`.execute(
    db.database,
  );
  assert.equal(await rows.claim(), null);
  await rows.want([MAIL]);
  assert.deepEqual(
    (await rows.read()).map(({ name }) => name),
    NAMES,
  );
  await sql`update acme_certificates set expires_at = now() where directory = ${directory}`.execute(
    db.database,
  );
  await rows.want([MAIL]);
  assert.deepEqual(
    (await rows.read()).map(({ name }) => name),
    [MAIL],
  );
});

test('two directories have accounts of their own, and all processes have the same ones', async () => {
  const [one, two] = [authority(), authority()];
  const keys = await Promise.all([one, one, two].map(({ rows }) => rows.accountKey()));
  const [first, second, third] = keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' }));
  assert.equal(first, second);
  assert.notEqual(first, third);
});

test('all processes show what one of them obtained, to each client that of the name it asks for', async () => {
  const { rows, directory } = authority();
  await hold(rows);
  await using one = await open(directory);
  await using two = await open(directory, [WEB]);
  assert.equal(one.secureContext(), null);
  await rows.store(MAIL, issued(MAIL), FAR);
  await one.arrived;
  const mail = one.secureContext();
  assert.equal(one.secureContext('elsewhere.example'), mail);
  // It has no certificate of its own name, and shows none of another to those who ask for nothing.
  assert.equal(two.secureContext(), null);
  await rows.store(WEB, issued(WEB), FAR);
  await two.arrived;
  assert.ok(await eventually(() => one.secureContext(WEB.toUpperCase()) !== mail, 5_000));
  assert.equal(one.secureContext(), mail);
});

test('a renewed certificate takes the place of the one before, and one that cannot be opened does not', async () => {
  const { rows, directory } = authority();
  await hold(rows);
  await rows.store(MAIL, issued(MAIL), FAR);
  await using shown = await open(directory);
  const first = shown.secureContext();
  const other = new CertificateRows(
    db.database,
    await Sealer.create('another secret', Buffer.alloc(16)),
    directory,
  );
  await other.store(MAIL, issued(MAIL), FAR);
  assert.match(String((await shown.told)['msg']), /the previous one stays in use/);
  assert.equal(shown.secureContext(), first);
  await rows.store(MAIL, issued(MAIL), FAR);
  assert.ok(await eventually(() => shown.secureContext() !== first, 5_000));
  assert.equal(shown.lines.length, 1);
});

test('what is being proved is answered for its name and token alone, by every process', async () => {
  const { rows, directory } = authority();
  await hold(rows);
  await writeChallenge(db.database, {
    token: 'token-of-http',
    name: MAIL,
    type: 'http-01',
    keyAuthorization: 'a.b',
  });
  await writeChallenge(db.database, {
    token: 'token-of-tls',
    name: WEB,
    type: 'tls-alpn-01',
    keyAuthorization: 'c.d',
  });
  await using shown = await open(directory);
  assert.equal(shown.answers.http('token-of-http'), 'a.b');
  assert.equal(shown.answers.http('token-of-tls'), null);
  assert.notEqual(shown.answers.tls(WEB), null);
  assert.equal(shown.answers.tls(MAIL), null);
});

test('a failure is told and kept, and the name is due again later', async () => {
  const { rows, directory } = authority();
  await using failing = await open(directory, [MAIL]);
  const { name, reason, nextInMs, msg } = await failing.told;
  assert.deepEqual([name, msg], [MAIL, 'a certificate could not be obtained']);
  assert.match(String(reason), /127\.0\.0\.1:1 cannot be reached: connection refused/);
  assert.ok(Number(nextInMs) >= TIMINGS.firstDelayMs);
  const { rows: kept } = await sql<{ failures: number; lastError: string; isLater: boolean }>`
    select failures, last_error, next_attempt_at > now() as is_later from acme_certificates
    where directory = ${directory}`.execute(db.database);
  assert.deepEqual(kept, [{ failures: 1, lastError: reason, isLater: true }]);
  assert.equal((await rows.read())[0]?.isDue, false);
});

test('after a restart a name that failed is tried again soon, and no other one sooner than it was', async () => {
  const { rows, directory } = authority();
  await rows.want(NAMES);
  await rows.fail(MAIL, 9, 'refused', 10 * DAY_MS);
  await rows.store(WEB, issued(WEB), FAR);
  await using _restarted = await open(directory);
  const { rows: later } = await sql<{ name: string; minutes: number }>`
    select name, round(extract(epoch from next_attempt_at - now()) / 60)::int as minutes from acme_certificates
    where directory = ${directory} order by name`.execute(db.database);
  const [mail, web] = later.map(({ minutes }) => minutes);
  assert.equal(mail, 15);
  assert.ok((web ?? 0) > 24 * 60);
});

test('a certificate is renewed with a third of its time left, give or take a thirtieth', () => {
  const issued = { notBefore: new Date(0), expiresAt: new Date(90 * DAY_MS) };
  assert.equal(renewAt(issued, 0, 0).getTime(), 60 * DAY_MS);
  assert.equal(renewAt(issued, 0, 1).getTime(), 57 * DAY_MS);
});

test('a certificate whose time seems to be over when it comes is not asked for again at once', () => {
  const issued = { notBefore: new Date(0), expiresAt: new Date(90 * DAY_MS) };
  assert.equal(renewAt(issued, 400 * DAY_MS, 0).getTime(), 400 * DAY_MS + TIMINGS.firstDelayMs);
});

test('failures wait twice as long each time, up to half a day', () => {
  const minutes = [1, 2, 3, 4, 20, 2_000].map((failures) => delayMs(failures, 0) / 60_000);
  assert.deepEqual(minutes, [5, 10, 20, 40, 720, 720]);
  assert.equal(delayMs(1, 1), 330_000);
});
