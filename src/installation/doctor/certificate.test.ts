import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { OTHER_CERTIFICATE } from '../../certificates/certificate.fixture.ts';
import { DAY_MS } from '../../model/day.ts';
import { checkCertificate } from './certificate.ts';
import { assertFinding } from './finding.fixture.ts';
import type { Finding, FindingLevel } from './finding.ts';
import { HOSTNAME, tlsFile, worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';

function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-doctor-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe('the certificate of files', () => {
  const good = { certPath: tlsFile('cert.pem'), keyPath: tlsFile('key.pem') };
  const check = (tls: typeof good | null, hostname = HOSTNAME, nowMs = Date.now()): Promise<Finding> =>
    checkCertificate(worldWith(DNS, { config: { tls, hostname }, nowMs: () => nowMs }));

  test('of the host name is good', async () => {
    assertFinding(await check(good), 'ok', /of mx\.example is valid until 2120-01-01/);
  });

  test('should be there', async () => {
    assertFinding(await check(null), 'warning', /There is no certificate/, /certificate for mx\.example/);
  });

  test('has to be for the host name', async () => {
    const finding = await check(good, 'mail.acme.example');
    assertFinding(
      finding,
      'problem',
      /DNS:mx\.example.* not for mail\.acme\.example/,
      /for mail\.acme\.example/,
    );
  });

  test('of a wildcard is for the names directly below', async () => {
    const tls = { ...good, certPath: tlsFile('sts.pem') };
    assertFinding(await check(tls, 'mail.sts.test'), 'ok', /mail\.sts\.test/);
    assertFinding(await check(tls, 'a.mail.sts.test'), 'problem', /not for a\.mail/, /Get/);
  });

  test('may not have expired', async () => {
    const tls = { ...good, certPath: tlsFile('expired.pem') };
    assertFinding(await check(tls), 'problem', /has expired: 2020-02-01/, /Renew it/);
  });

  test('may not be of the future', async () => {
    assertFinding(await check(good, HOSTNAME, Date.UTC(2019, 5)), 'problem', /only from 2020-01-01/, /clock/);
  });

  for (const [days, verdict] of [
    [13, 'warning'],
    [15, 'ok'],
  ] as const) {
    test(`that ends in ${days} days is: ${verdict}`, async () => {
      const finding = await check(good, HOSTNAME, Date.UTC(2120, 0, 1) - days * DAY_MS);
      assertFinding(finding, verdict, /until 2120-01-01/, verdict === 'ok' ? undefined : /Renew it/);
    });
  }

  test('has to fit its key', async () => {
    using folder = temporaryFolder();
    const keyPath = join(folder.path, 'key.pem');
    writeFileSync(keyPath, OTHER_CERTIFICATE.key);
    assertFinding(
      await check({ ...good, keyPath }),
      'problem',
      /is not that of the certificate/,
      /two files/,
    );
  });

  for (const content of ['', 'no PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
    test(`cannot be used where the file has ${JSON.stringify(content.slice(0, 12))}`, async () => {
      using folder = temporaryFolder();
      const certPath = join(folder.path, 'cert.pem');
      writeFileSync(certPath, content);
      assertFinding(await check({ ...good, certPath }), 'problem', /cannot be used/, /PEM files/);
    });
  }
});

describe('the certificate of ACME', () => {
  const DIRECTORY = 'https://ca.test/dir';
  const WEB = 'www.example';
  let db: TestDatabase;
  before(async () => {
    db = await testDatabase();
  });
  after(() => db[Symbol.asyncDispose]());

  const check = (database: Parameters<typeof worldWith>[1]): Promise<Finding> =>
    checkCertificate(
      worldWith(DNS, {
        config: { tls: null, acme: { directory: DIRECTORY, names: [HOSTNAME, WEB] } },
        database: { opened: db.database },
        ...database,
      }),
    );
  const at = (days: number): Date => new Date(Date.now() + days * DAY_MS);

  test('has somebody who obtains it', async () => {
    const finding = await check({});
    assertFinding(
      finding,
      'problem',
      /no certificate of mx\.example yet\. Nobody obtains one/,
      /Start Posthorn/,
    );
  });

  test('cannot be seen without the database', async () => {
    const finding = await check({ database: { error: 'there is none.' } });
    assertFinding(finding, 'problem', /there is none/, /database/);
  });

  const cases: [
    what: string,
    row: { expires: number | null; error?: string; next: number },
    FindingLevel,
    RegExp,
  ][] = [
    ['is good until it is renewed', { expires: 60, next: 30 }, 'ok', /of www\.example is valid until/],
    ['takes a while', { expires: null, next: 0 }, 'warning', /no certificate of www\.example yet/],
    [
      'should not fail to be renewed',
      { expires: 20, error: 'Timeout', next: 0.1 },
      'warning',
      /valid until .* failed: Timeout\. The next one is at/,
    ],
    [
      'has to be obtained',
      { expires: null, error: 'Timeout', next: 0.1 },
      'problem',
      /yet\. The last attempt failed: Timeout/,
    ],
    [
      'may not have expired',
      { expires: -1, error: 'Timeout', next: 0.1 },
      'problem',
      /has expired: .* failed: Timeout/,
    ],
    [
      'should be renewed by somebody',
      { expires: 20, next: -1 },
      'warning',
      /valid until .* Nobody obtains one/,
    ],
  ];
  for (const [what, { expires, error = null, next }, verdict, seen] of cases) {
    test(`${what}, whatever the other names have`, async () => {
      await db.database.deleteFrom('acmeCertificates').execute();
      await db.database
        .insertInto('acmeCertificates')
        .values([
          { directory: DIRECTORY, name: HOSTNAME, expiresAt: at(60), nextAttemptAt: at(30), lastError: null },
          {
            directory: DIRECTORY,
            name: WEB,
            expiresAt: expires === null ? null : at(expires),
            nextAttemptAt: at(next),
            lastError: error,
          },
        ])
        .execute();
      const finding = await check({});
      assert.match(finding.seen, /of mx\.example is valid until/);
      assertFinding(finding, verdict, seen, verdict === 'ok' ? undefined : /./);
    });
  }
});
