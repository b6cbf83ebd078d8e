import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FREE_PORTS } from '../../support/free-ports.ts';
import { isReady, processesOn } from '../../support/processes.ts';
import { type Service, type ServiceOptions, startService } from '../../support/service.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Runs the service with a configuration that prevents the start. */
function failToStart(env: Record<string, string>) {
  return spawnSync(process.execPath, [MAIN], {
    env: { ...process.env, ...FREE_PORTS, ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
}

suite('the service', () => {
  let usedFolder: string;
  let firstOutput: string;
  let curlOutput: string;

  before(async () => {
    const first = await startService({ isFirst: true });
    usedFolder = first.dataDir;
    firstOutput = first.output;
    const curl = /^curl .*$/m.exec(first.output)?.[0] ?? '';
    curlOutput = execFileSync('sh', ['-c', curl], { encoding: 'utf8' });
    await first.stop();
  });
  after(() => rmSync(usedFolder, { recursive: true, force: true }));

  /** Copies the data folder of an earlier start. */
  function copyOfUsedFolder(): string {
    const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-service-'));
    execFileSync('cp', ['-a', `${usedFolder}/.`, dataDir]);
    return dataDir;
  }

  function start(options: ServiceOptions = {}): Promise<Service> {
    return startService({ ...options, dataDir: copyOfUsedFolder() });
  }

  test('only the first start shows a key and a working curl command, and a second server is rejected', async () => {
    assert.match(firstOutput, /^ {2}svc_live_\S+$/m);
    assert.match(curlOutput, /"id":"em_/);
    await using service = await start();
    assert.doesNotMatch(service.output, /svc_live_/);
    const { status, stderr } = failToStart({ POSTHORN_DATA: service.dataDir });
    assert.equal(status, 1, 'a second server on its data folder');
    assert.match(
      stderr,
      new RegExp(`^A server of Posthorn \\(process ${service.supervisor.pid}\\) is using the data folder`),
    );
    assert.ok(await isReady(service));
  });

  test('a start with an invalid variable names the variable, and creates no data folder', () => {
    const dataDir = join(tmpdir(), 'posthorn-never-usedFolder');
    const { status, stderr } = failToStart({ POSTHORN_DATA: dataDir, POSTHORN_HTTP_PORT: 'http' });
    assert.equal(status, 78);
    assert.match(stderr, /^POSTHORN_HTTP_PORT is "http"\. It must be a whole number/);
    assert.equal(existsSync(dataDir), false);
  });

  test('a start reports a mistyped variable before missing variables', () => {
    const { status, stderr } = failToStart({ POSTHORN_PROVIDER: 'ses', POSTHORN_SES_REGON: 'eu-central-1' });
    assert.equal(status, 78);
    const [first, second] = stderr.split('\n');
    assert.match(first ?? '', /^POSTHORN_SES_REGON is set, .* Did you mean POSTHORN_SES_REGION\?$/);
    assert.match(second ?? '', /^POSTHORN_SES_REGION is missing/);
  });

  test('a start for direct delivery rejects a host name without a dot, and an address that the machine lacks', () => {
    const { status, stderr } = failToStart({
      POSTHORN_PROVIDER: 'direct',
      POSTHORN_ENV: 'production',
      POSTHORN_HOSTNAME: 'vm',
      POSTHORN_LISTEN: '192.0.2.1',
      POSTHORN_DATA: mkdtempSync(join(usedFolder, 'never-')),
    });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^POSTHORN_HOSTNAME is vm, which has no dot.*\nThis machine has no address 192\.0\.2\.1 /,
    );
  });

  test('a start with a port in use creates nothing, and a first start that fails later still shows its key', async () => {
    const taken = createServer().listen(0);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-service-'));
    const env = { POSTHORN_DATA: dataDir };
    const refused = failToStart({ ...env, POSTHORN_SMTP_PORT: String(port) });
    taken.close();
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, new RegExp(`^Port ${port} is in use.*POSTHORN_SMTP_PORT`));
    assert.equal(refused.stdout, '');
    assert.equal(existsSync(join(dataDir, 'postgres')), false);
    const failed = failToStart({ ...env, POSTHORN_TRUSTED_PROXIES: 'nobody' });
    assert.equal(failed.status, 1);
    assert.match(failed.stdout, /shown only once:\n\n {2}svc_live_/);
    assert.deepEqual(processesOn(dataDir), []);
    rmSync(dataDir, { recursive: true });
  });

  test('the SMTP port is not opened if a smart host on this machine uses it, and the banner says so', async () => {
    await using service = await start({
      env: {
        POSTHORN_PROVIDER: 'smtp',
        POSTHORN_SMTP_URL: 'smtp://localhost:2525',
        POSTHORN_SMTP_PORT: '2525',
      },
    });
    assert.match(service.output, /^ {2}Mail in +not received: the smart host listens on POSTHORN_SMTP_PORT/m);
    assert.ok(await isReady(service));
  });
});
