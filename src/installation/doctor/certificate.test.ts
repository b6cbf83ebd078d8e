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

describe('a certificate from files', () => {
  const good = { certPath: tlsFile('cert.pem'), keyPath: tlsFile('key.pem') };
  const check = (tls: typeof good | null, hostname = HOSTNAME, nowMs = Date.now()): Promise<Finding> =>
    checkCertificate(worldWith(DNS, { config: { tls, hostname }, nowMs: () => nowMs }));

  test('a certificate from files is ok if it is for the host name', async () => {
    assertFinding(await check(good), 'ok', /for mx\.example is valid until 2120-01-01/);
  });

  test('a certificate from files is a warning if it is missing', async () => {
    assertFinding(await check(null), 'warning', /There is no certificate/, /certificate for mx\.example/);
  });

  test('a certificate from files is a problem if it is for another name', async () => {
    const finding = await check(good, 'mail.acme.example');
    assertFinding(
      finding,
      'problem',
      /DNS:mx\.example.* not for mail\.acme\.example/,
      /for mail\.acme\.example/,
    );
  });

  test('a certificate from files with a wildcard is only valid for names directly below the domain', async () => {
    const tls = { ...good, certPath: tlsFile('sts.pem') };
    assertFinding(await check(tls, 'mail.sts.test'), 'ok', /mail\.sts\.test/);
    assertFinding(await check(tls, 'a.mail.sts.test'), 'problem', /not for a\.mail/, /Get/);
  });

  test('a certificate from files is a problem if it has expired', async () => {
    const tls = { ...good, certPath: tlsFile('expired.pem') };
    assertFinding(await check(tls), 'problem', /expired on 2020-02-01/, /Renew the certificate/);
  });

  test('a certificate from files is a problem if it is not valid yet', async () => {
    assertFinding(
      await check(good, HOSTNAME, Date.UTC(2019, 5)),
      'problem',
      /not valid before 2020-01-01/,
      /clock/,
    );
  });

  for (const [days, verdict] of [
    [13, 'warning'],
    [15, 'ok'],
  ] as const) {
    test(`a certificate from files that expires in ${days} days is ${verdict}`, async () => {
      const finding = await check(good, HOSTNAME, Date.UTC(2120, 0, 1) - days * DAY_MS);
      assertFinding(
        finding,
        verdict,
        /until 2120-01-01/,
        verdict === 'ok' ? undefined : /Renew the certificate/,
      );
    });
  }

  test('a certificate from files is a problem if the key belongs to another certificate', async () => {
    using folder = temporaryFolder();
    const keyPath = join(folder.path, 'key.pem');
    writeFileSync(keyPath, OTHER_CERTIFICATE.key);
    assertFinding(
      await check({ ...good, keyPath }),
      'problem',
      /does not belong to the certificate/,
      /created together/,
    );
  });

  for (const content of ['', 'no PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
    test(`a certificate from files cannot be used if the file contains ${JSON.stringify(content.slice(0, 12))}`, async () => {
      using folder = temporaryFolder();
      const certPath = join(folder.path, 'cert.pem');
      writeFileSync(certPath, content);
      assertFinding(await check({ ...good, certPath }), 'problem', /cannot be used/, /PEM files/);
    });
  }
});

describe('a certificate from ACME', () => {
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

  test('a certificate from ACME is a problem if no server obtains it', async () => {
    const finding = await check({});
    assertFinding(
      finding,
      'problem',
      /no certificate for mx\.example yet\. No running server obtains one/,
      /Start Posthorn/,
    );
  });

  test('a certificate from ACME cannot be checked without the database', async () => {
    const finding = await check({ database: { error: 'there is no database.' } });
    assertFinding(finding, 'problem', /there is no database/, /database/);
  });

  const cases: [
    what: string,
    row: { expires: number | null; error?: string; next: number },
    FindingLevel,
    RegExp,
  ][] = [
    ['is ok until its renewal', { expires: 60, next: 30 }, 'ok', /for www\.example is valid until/],
    [
      'is a warning while it is being obtained',
      { expires: null, next: 0 },
      'warning',
      /no certificate for www\.example yet/,
    ],
    [
      'is a warning if its renewal fails',
      { expires: 20, error: 'Timeout', next: 0.1 },
      'warning',
      /valid until .* failed: Timeout\. The next one is at/,
    ],
    [
      'is a problem if it cannot be obtained',
      { expires: null, error: 'Timeout', next: 0.1 },
      'problem',
      /yet\. The last attempt failed: Timeout/,
    ],
    [
      'is a problem if it has expired',
      { expires: -1, error: 'Timeout', next: 0.1 },
      'problem',
      /expired on .* failed: Timeout/,
    ],
    [
      'is a warning if no server renews it',
      { expires: 20, next: -1 },
      'warning',
      /valid until .* No running server obtains one/,
    ],
  ];
  for (const [what, { expires, error = null, next }, verdict, seen] of cases) {
    test(`a certificate from ACME ${what}, whatever the state of the other names`, async () => {
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
      assert.match(finding.seen, /for mx\.example is valid until/);
      assertFinding(finding, verdict, seen, verdict === 'ok' ? undefined : /./);
    });
  }
});
