import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type DnsZone, publish, startDnsServer } from '../../../test/support/dns-server.ts';
import { recordReplaced, REPLACED_MIGRATIONS } from '../../../test/support/before-baseline.ts';
import { emptyDatabase, sealedDatabase } from '../../../test/support/postgres.ts';
import { showProcess } from '../../../test/support/process-rows.ts';
import { openDatabase } from '../../db/database.ts';
import { readClaims } from '../../domains/claim.ts';
import { type ExpectedRecord, expectedRecords } from '../../domains/expected-records.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { checkClock } from './machine.ts';
import { checkDatabase } from './database.ts';
import { checkHostedDomain } from './names.ts';
import type { Finding } from './finding.ts';
import { assertFinding } from './finding.fixture.ts';
import { HOSTNAME, worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';
const HOSTED = 'hosted.test';
/** No server listens on this port. */
const AWAY_URL = 'postgres://posthorn:hidden@127.0.0.1:1/posthorn';

describe('the database', () => {
  const env = { POSTHORN_DATABASE_URL: AWAY_URL, POSTHORN_SECRET: 'secret of the tests' };

  test('the database is ok if it responds and has the schema of this program', async () => {
    await using db = await sealedDatabase();
    assertFinding(
      await checkDatabase(worldWith(DNS, { database: { opened: db.database } })),
      'ok',
      /is reachable/,
    );
  });

  test('the database is a problem if it is read-only', async () => {
    await using db = await sealedDatabase();
    const name = sql.id(new URL(db.url).pathname.slice(1));
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db.database);
    const opened = openDatabase(db.url);
    const finding = await checkDatabase(worldWith(DNS, { database: { opened } }));
    await opened.destroy();
    assertFinding(finding, 'problem', /is read-only/, /standby/);
  });

  test('the database is a problem if its encoding is not UTF-8', async () => {
    await using db = await sealedDatabase();
    const name = `ascii_${randomUUID().replaceAll('-', '')}`;
    await sql`create database ${sql.id(name)} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`.execute(
      db.database,
    );
    const url = new URL(db.url);
    url.pathname = `/${name}`;
    const opened = openDatabase(url.href);
    const finding = await checkDatabase(worldWith(DNS, { database: { opened } }));
    await opened.destroy();
    await sql`drop database ${sql.id(name)}`.execute(db.database);
    assertFinding(finding, 'problem', /encoding .* SQL_ASCII/, /encoding 'UTF8'/);
  });

  test('the database is a warning if it lacks a migration', async () => {
    await using db = await sealedDatabase();
    await recordReplaced(db.database);
    const finding = await checkDatabase(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(finding, 'warning', /lacks the migration 0001-baseline/, /Restart Posthorn/);
  });

  test('the database is a problem if it is too old to be adopted', async () => {
    await using db = await sealedDatabase();
    await recordReplaced(db.database, REPLACED_MIGRATIONS.slice(0, 50));
    const finding = await checkDatabase(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(finding, 'problem', /before 0\.2\.0/, /Start commit [0-9a-f]{8}/);
  });

  test('the database is a warning if it is empty', async () => {
    await using db = await emptyDatabase();
    const finding = await checkDatabase(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(finding, 'warning', /lacks the migration 0001/, /Restart Posthorn/);
  });

  test('the database is a problem if its schema is newer and no longer supports this version', async () => {
    await using db = await sealedDatabase();
    const later = (servesFrom: string | null) =>
      sql`insert into schema_changes (name, serves_from, applied_at)
        values (${`9999-${servesFrom}.sql`}, ${servesFrom}, now())`.execute(db.database);
    await later(null);
    const served = await checkDatabase(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(served, 'ok', /has the expected schema/);
    await later('99.0.0');
    const finding = await checkDatabase(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(
      finding,
      'problem',
      /newer than this program.*only with 99\.0\.0 and later/,
      /Run Posthorn 99\.0\.0/,
    );
  });

  test('the database is a problem if it cannot be reached', async () => {
    const opened = openDatabase(AWAY_URL);
    const finding = await checkDatabase(worldWith(DNS, { env, database: { opened } }));
    await opened.destroy();
    assertFinding(finding, 'problem', /does not answer: .*ECONNREFUSED/, /POSTHORN_DATABASE_URL/);
  });

  test('the database is a problem if it does not exist', async () => {
    assertFinding(
      await checkDatabase(worldWith(DNS)),
      'problem',
      /there is no database/,
      /Start Posthorn once/,
    );
  });
});

describe('the clock compared with PostgreSQL', () => {
  for (const [aheadMs, verdict, seen, advice] of [
    [0, 'ok', /The clock agrees with PostgreSQL, and no file/, undefined],
    [-20_000, 'warning', /differ by 20 seconds/, /NTP/],
    [40_000, 'problem', /differ by 40 seconds/, /NTP/],
  ] as const) {
    test(`a clock ${aheadMs / 1_000} seconds ahead of PostgreSQL is ${verdict}`, async () => {
      await using db = await sealedDatabase();
      const nowMs = () => Date.now() + aheadMs;
      const config = { dataDir: '/nowhere/data' };
      const world = worldWith(DNS, { config, nowMs, database: { opened: db.database } });
      assertFinding(await checkClock(world), verdict, seen, advice);
    });
  }
});

test('the check of the clock names another machine whose clock is wrong', async () => {
  await using db = await sealedDatabase();
  await showProcess(db.database, { host: 'mail-2', role: 'http', clockAheadMs: -300_000 });
  await showProcess(db.database, { host: 'mail-3', role: 'http', clockAheadMs: 3_000 });
  const config = { dataDir: '/nowhere/data' };
  const world = worldWith(DNS, { config, database: { opened: db.database } });
  assertFinding(
    await checkClock(world),
    'problem',
    /mail-2 and of PostgreSQL differ by 300 seconds/,
    /On mail-2: .*NTP/,
  );
});

describe('the hosted domain', () => {
  let db: Awaited<ReturnType<typeof sealedDatabase>>;
  let records: readonly ExpectedRecord[];
  before(async () => {
    db = await sealedDatabase();
    await ensureHostedDomain(db.database, db.sealer, HOSTED);
    const [claim] = await readClaims(db.database, HOSTED_PROJECT_ID, HOSTED);
    records = expectedRecords(HOSTED, claim?.keys ?? [], HOSTNAME);
  });
  after(() => db[Symbol.asyncDispose]());

  async function check(published: readonly ExpectedRecord[], hostedDomain = HOSTED): Promise<Finding> {
    const zone: DnsZone = {};
    publish(zone, published);
    await using dns = await startDnsServer(zone);
    const database = { opened: db.database };
    return await checkHostedDomain(worldWith(dns.address, { config: { hostedDomain }, database }));
  }

  test('the hosted domain is ok with all its records', async () => {
    assertFinding(await check(records), 'ok', /The 6 records of hosted\.test are published/);
  });

  for (const [missing, host] of [
    ['DKIM', 'ph1r._domainkey'],
    ['DKIM', 'ph1e._domainkey'],
    ['SPF', 'send'],
    ['MAIL_FROM', 'send'],
  ] as const) {
    test(`the hosted domain needs its ${missing} record at ${host}`, async () => {
      const finding = await check(records.filter((item) => !(item.record === missing && item.host === host)));
      assertFinding(finding, 'problem', new RegExp(`at ${host}\\.hosted\\.test`), /posthorn domain hosted/);
    });
  }

  for (const missing of ['DMARC', 'MX'] as const) {
    test(`the hosted domain should have its ${missing} record`, async () => {
      const finding = await check(records.filter(({ record }) => record !== missing));
      assertFinding(finding, 'warning', /There is no \w+ record at/, /posthorn domain hosted/);
    });
  }

  test('the hosted domain needs the public keys of its signing keys', async () => {
    const wrong = records.map((item) =>
      item.host === 'ph1e._domainkey' ? { ...item, value: `${item.value.slice(0, -8)}AAAAAAA=` } : item,
    );
    assertFinding(
      await check(wrong),
      'problem',
      /at ph1e\._domainkey.* is not the one shown/,
      /domain hosted/,
    );
  });

  test('the hosted domain is a warning below .localhost', async () => {
    assertFinding(
      await check([], 'posthorn.localhost'),
      'warning',
      /do not accept mail/,
      /POSTHORN_HOSTED_DOMAIN/,
    );
  });

  test('the hosted domain is a problem if it has no keys yet', async () => {
    assertFinding(await check([], 'other.test'), 'problem', /no keys yet/, /posthorn domain hosted/);
  });

  test('the hosted domain cannot be checked without the database', async () => {
    const finding = await checkHostedDomain(worldWith(DNS, { config: { hostedDomain: HOSTED } }));
    assertFinding(finding, 'problem', /cannot be read/, /Fix the database first/);
  });
});
