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

/** No server listens on this port. */
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
/** The rows of a new directory URL. Each test uses its own, because certificates are stored by directory. */
function authority() {
  const directory = `${DIRECTORY}/${(directories += 1)}`;
  return { directory, rows: new CertificateRows(db.database, db.sealer, directory) };
}

/** A certificate as an authority would issue it. Self-signed, because these tests do not check trust. */
function issued(name: string) {
  const { cert, key } = selfSigned(name, null, new Date());
  return { chain: cert, key, notBefore: new Date(), expiresAt: FAR };
}

/** Opens the certificates of one process. */
async function open(directory: string, names = NAMES) {
  const lines: Record<string, unknown>[] = [];
  const logged = Promise.withResolvers<Record<string, unknown>>();
  const write = (line: string): void => {
    const read = JSON.parse(line) as Record<string, unknown>;
    lines.push(read);
    logged.resolve(read);
  };
  const certificates = await AcmeCertificates.open({
    ...db,
    directory,
    names,
    types: ['http-01'],
    logger: pino({ level: 'info' }, { write }),
    timings: { scanMs: 20 },
  });
  return Object.assign(certificates, { lines, logged: logged.promise });
}

/** Postpones the next attempt for each name by a day, so that tests of existing certificates do not request new ones. */
async function postpone(rows: CertificateRows, names = NAMES): Promise<void> {
  await rows.recordInUse(names);
  for (const name of names) await rows.fail(name, 1, 'postponed by the test', DAY_MS);
}

test('only one process claims a due name, and the name can be claimed again after its release', async () => {
  const { rows } = authority();
  await rows.recordInUse(NAMES);
  const claims = await Promise.all(Array.from({ length: 5 }, () => rows.claim()));
  assert.deepEqual(claims.flatMap((claim) => claim?.name ?? []).sort(), NAMES);
  await rows.release(MAIL);
  assert.deepEqual(await rows.claim(), { name: MAIL, failures: 0 });
  assert.equal(await rows.claim(), null);
});

test('the certificate of an unused name is not renewed, and is deleted when it has expired', async () => {
  const { rows, directory } = authority();
  await rows.recordInUse(NAMES);
  await rows.store(WEB, issued(WEB), new Date(0));
  await sql`update acme_certificates set wanted_at = now() - interval '8 days' where directory = ${directory}`.execute(
    db.database,
  );
  assert.equal(await rows.claim(), null);
  await rows.recordInUse([MAIL]);
  assert.deepEqual(
    (await rows.read()).map(({ name }) => name),
    NAMES,
  );
  await sql`update acme_certificates set expires_at = now() where directory = ${directory}`.execute(
    db.database,
  );
  await rows.recordInUse([MAIL]);
  assert.deepEqual(
    (await rows.read()).map(({ name }) => name),
    [MAIL],
  );
});

test('each directory has its own account key, which all processes share', async () => {
  const [one, two] = [authority(), authority()];
  const keys = await Promise.all([one, one, two].map(({ rows }) => rows.accountKey()));
  const [first, second, third] = keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' }));
  assert.equal(first, second);
  assert.notEqual(first, third);
});

test('all processes present an obtained certificate to clients that ask for its name', async () => {
  const { rows, directory } = authority();
  await postpone(rows);
  await using one = await open(directory);
  await using two = await open(directory, [WEB]);
  assert.equal(one.secureContext(), null);
  await rows.store(MAIL, issued(MAIL), FAR);
  await one.available;
  const mail = one.secureContext();
  assert.equal(one.secureContext('elsewhere.example'), mail);
  // The second process has no certificate for its own name, and must not present the certificate of another name.
  assert.equal(two.secureContext(), null);
  await rows.store(WEB, issued(WEB), FAR);
  await two.available;
  assert.ok(await eventually(() => one.secureContext(WEB.toUpperCase()) !== mail, 5_000));
  assert.equal(one.secureContext(), mail);
});

test('a renewed certificate replaces the previous certificate, unless the renewed certificate cannot be decrypted', async () => {
  const { rows, directory } = authority();
  await postpone(rows);
  await rows.store(MAIL, issued(MAIL), FAR);
  await using opened = await open(directory);
  const first = opened.secureContext();
  const other = new CertificateRows(
    db.database,
    await Sealer.create('another secret', Buffer.alloc(16)),
    directory,
  );
  await other.store(MAIL, issued(MAIL), FAR);
  assert.match(String((await opened.logged)['msg']), /the previous one stays in use/);
  assert.equal(opened.secureContext(), first);
  await rows.store(MAIL, issued(MAIL), FAR);
  assert.ok(await eventually(() => opened.secureContext() !== first, 5_000));
  assert.equal(opened.lines.length, 1);
});

test('every process responds to a challenge only for its name and token', async () => {
  const { rows, directory } = authority();
  await postpone(rows);
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
  await using opened = await open(directory);
  assert.equal(opened.challengeResponses.http('token-of-http'), 'a.b');
  assert.equal(opened.challengeResponses.http('token-of-tls'), null);
  assert.notEqual(opened.challengeResponses.tls(WEB), null);
  assert.equal(opened.challengeResponses.tls(MAIL), null);
});

test('a failure to obtain a certificate is logged and stored, and the name is due again later', async () => {
  const { rows, directory } = authority();
  await using failing = await open(directory, [MAIL]);
  const { name, reason, nextInMs, msg } = await failing.logged;
  assert.deepEqual([name, msg], [MAIL, 'a certificate could not be obtained']);
  assert.match(String(reason), /127\.0\.0\.1:1 cannot be reached: connection refused/);
  assert.ok(Number(nextInMs) >= TIMINGS.firstDelayMs);
  const { rows: stored } = await sql<{ failures: number; lastError: string; isLater: boolean }>`
    select failures, last_error, next_attempt_at > now() as is_later from acme_certificates
    where directory = ${directory}`.execute(db.database);
  assert.deepEqual(stored, [{ failures: 1, lastError: reason, isLater: true }]);
  assert.equal((await rows.read())[0]?.isDue, false);
});

test('a restart makes failed names due soon, and does not change the due times of other names', async () => {
  const { rows, directory } = authority();
  await rows.recordInUse(NAMES);
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

test('a certificate is renewed with a third of its lifetime left, or up to a thirtieth earlier', () => {
  const issued = { notBefore: new Date(0), expiresAt: new Date(90 * DAY_MS) };
  assert.equal(renewAt(issued, 0, 0).getTime(), 60 * DAY_MS);
  assert.equal(renewAt(issued, 0, 1).getTime(), 57 * DAY_MS);
});

test('a new certificate that has already expired according to the clock of this machine is not renewed at once', () => {
  const issued = { notBefore: new Date(0), expiresAt: new Date(90 * DAY_MS) };
  assert.equal(renewAt(issued, 400 * DAY_MS, 0).getTime(), 400 * DAY_MS + TIMINGS.firstDelayMs);
});

test('the delay before the next attempt doubles with each failure, up to half a day', () => {
  const minutes = [1, 2, 3, 4, 20, 2_000].map((failures) => delayMs(failures, 0) / 60_000);
  assert.deepEqual(minutes, [5, 10, 20, 40, 720, 720]);
  assert.equal(delayMs(1, 1), 330_000);
});
