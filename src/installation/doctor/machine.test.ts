import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startDnsServer } from '../../../test/support/dns-server.ts';
import { expiredCertificate } from '../../../test/support/tls/certificate.ts';
import { DAY_MS } from '../../model/day.ts';
import { checkClock, checkDisk, checkEnvironment, checkMetrics, checkVariables } from './machine.ts';
import type { Finding, FindingLevel } from './finding.ts';
import { assertFinding } from './finding.fixture.ts';
import { timeElsewhere } from './ask-servers.ts';
import { worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';

function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-doctor-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe('the clock', () => {
  test('the clock is ok if no file has a time in the future', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'secret'), 'x');
    assertFinding(await checkClock(worldWith(DNS, { config: { dataDir: folder.path } })), 'ok', /no file/);
  });

  test('the clock is a warning if a file has a time in the future', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'secret');
    writeFileSync(path, 'x');
    const tomorrow = new Date(Date.now() + DAY_MS);
    utimesSync(path, tomorrow, tomorrow);
    const finding = await checkClock(worldWith(DNS, { config: { dataDir: folder.path } }));
    assertFinding(finding, 'warning', /secret is in the future/, /NTP/);
  });

  test('the clock is ok if there is no data folder', async () => {
    const config = { dataDir: '/nowhere/data' };
    assertFinding(await checkClock(worldWith(DNS, { config })), 'ok', /no file/);
  });
});

const GB = 1024 ** 3;
const FILES = { freeFiles: 1e6, totalFiles: 2e6 };

describe('the disk', () => {
  const cases: [freeGb: number, totalGb: number, verdict: FindingLevel][] = [
    [50, 100, 'ok'],
    [9, 100, 'warning'],
    [0.9, 100, 'problem'],
    [0.9, 2, 'problem'],
    [1.5, 10, 'ok'],
  ];
  for (const [freeGb, totalGb, verdict] of cases) {
    test(`a disk with ${freeGb} of ${totalGb} GB free is ${verdict}`, async () => {
      const space = async () => ({ freeBytes: freeGb * GB, totalBytes: totalGb * GB, ...FILES });
      const finding = await checkDisk(worldWith(DNS, { space }));
      assertFinding(finding, verdict, /GB is free/, verdict === 'ok' ? undefined : /Free some space/);
    });
  }

  test('the disk is checked at the nearest existing folder until the data folder exists', async () => {
    using folder = temporaryFolder();
    const checked: string[] = [];
    const space = async (path: string) => {
      checked.push(path);
      return { freeBytes: 5e9, totalBytes: 9e9, ...FILES };
    };
    const dataDir = join(folder.path, 'a', 'b');
    assertFinding(await checkDisk(worldWith(DNS, { space, config: { dataDir } })), 'ok', /a\/b\.$/);
    assert.deepEqual(checked, [folder.path]);
  });
});

describe('the number of free files', () => {
  const check = (freeFiles: number, totalFiles: number): Promise<Finding> =>
    checkDisk(
      worldWith(DNS, {
        space: async () => ({ freeBytes: 50e9, totalBytes: 100e9, freeFiles, totalFiles }),
      }),
    );

  test('a low number of free files is a problem, even with free space', async () => {
    assertFinding(await check(12, 1e6), 'problem', /12 more files/, /df -i/);
  });

  test('the number of free files is ignored if the file system has no limit', async () => {
    assertFinding(await check(0, 0), 'ok', /GB is free/);
  });

  test('the finding about the disk says that the disk of an external PostgreSQL is not checked', async () => {
    const env = {
      POSTHORN_DATABASE_URL: 'postgres://db.example/posthorn',
      POSTHORN_SECRET: 'secret of the tests',
    };
    assertFinding(await checkDisk(worldWith(DNS, { env })), 'ok', /disk of PostgreSQL cannot be checked/);
  });
});

describe('the clock compared with a web server', () => {
  for (const [aheadMs, verdict] of [
    [0, 'ok'],
    [4_000, 'ok'],
    [-30_000, 'warning'],
    [30_000, 'warning'],
    [3_600_000, 'problem'],
  ] as const) {
    test(`a clock ${aheadMs / 1_000} seconds ahead of a web server is ${verdict}`, async () => {
      const nowMs = Date.UTC(2026, 10, 21);
      const world = worldWith(DNS, {
        config: { dataDir: '/nowhere/data' },
        nowMs: () => nowMs + aheadMs,
        timeAt: async () => ({ fromMs: nowMs, toMs: nowMs + 1_000 }),
      });
      const advice = verdict === 'ok' ? undefined : /NTP/;
      assertFinding(
        await checkClock(world),
        verdict,
        /(the web server|this machine and) of probe\.test/,
        advice,
      );
    });
  }

  test('the time of a web server is read from the response, whatever the certificate', async () => {
    const { cert, key } = expiredCertificate;
    const server = createServer({ cert, key }, (_request, response) => {
      response.writeHead(301, { date: 'Sat, 21 Nov 2026 12:00:00 GMT', location: '/' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await using dns = await startDnsServer({ 'web.test': { A: ['127.0.0.1'] } });
    const { dns: resolver, timeoutMs, signal } = worldWith(dns.address);
    const noonMs = Date.UTC(2026, 10, 21, 12);
    assert.deepEqual(
      await timeElsewhere(new URL(`https://web.test:${port}/`), { dns: resolver, timeoutMs, signal }),
      { fromMs: noonMs, toMs: noonMs + 1_000 },
    );
    server.close();
    server.closeAllConnections();
  });

  test('the time of a web server is null if no server responds, or the name has no address', async () => {
    await using dns = await startDnsServer({ 'web.test': { A: ['127.0.0.1'] } });
    const { dns: resolver, timeoutMs, signal } = worldWith(dns.address);
    for (const url of ['https://web.test:1/', 'https://none.test/'])
      assert.equal(await timeElsewhere(new URL(url), { dns: resolver, timeoutMs, signal }), null);
  });
});

describe('the variables', () => {
  const check = (env: Record<string, string>): Promise<Finding> => checkVariables({ ...worldWith(DNS), env });

  test('variables that are settings are ok', async () => {
    assertFinding(await check({ POSTHORN_PROVIDER: 'direct', PATH: '/bin' }), 'ok', /are known settings/);
  });

  test('variables that are not settings are named, with the closest setting', async () => {
    assertFinding(
      await check({ POSTHORN_HOST_NAME: 'mail.acme.example' }),
      'warning',
      /^POSTHORN_HOST_NAME is set.*mean POSTHORN_HOSTNAME\?$/,
      /posthorn config/,
    );
  });
});

describe('the metrics', () => {
  const check = (env: Record<string, string>): Promise<Finding> => checkMetrics(worldWith(DNS, { env }));

  test('the metrics need a token in production', async () => {
    assertFinding(await check({}), 'warning', /is not available/, /Prometheus/);
    assertFinding(await check({ POSTHORN_METRICS_TOKEN: 'x'.repeat(16) }), 'ok', /POSTHORN_METRICS_TOKEN/);
  });

  test('the metrics need no token in development', async () => {
    assertFinding(await check({ POSTHORN_ENV: 'development' }), 'ok', /this machine/);
  });
});

describe('the settings', () => {
  const check = (env: Record<string, string>): Promise<Finding> => checkEnvironment(worldWith(DNS, { env }));

  test('the settings are ok for direct delivery in production', async () => {
    assertFinding(await check({}), 'ok', /direct, and POSTHORN_ENV is production/);
  });

  test('the check of the settings warns that direct delivery in development connects to private networks', async () => {
    const finding = await check({ POSTHORN_ENV: 'development' });
    assertFinding(finding, 'warning', /connects to private addresses/, /POSTHORN_ENV to production/);
  });

  test('the settings are ok for a trial', async () => {
    const finding = await check({ POSTHORN_PROVIDER: 'sandbox', POSTHORN_ENV: 'development' });
    assertFinding(finding, 'ok', /no mail is actually delivered.*direct, smtp or ses/);
  });

  test('the check of the settings warns about the sandbox in production', async () => {
    assertFinding(
      await check({ POSTHORN_PROVIDER: 'sandbox' }),
      'warning',
      /no mail is actually delivered/,
      /direct, smtp or ses/,
    );
  });
});
