/** An installation in production mode without `POSTHORN_PROVIDER`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { posthorn } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { FREE_PORTS } from '../../support/free-ports.ts';
import { scrape, TOKEN } from '../../support/scrape.ts';
import { type Service, startService } from '../../support/service.ts';
import { readNotSendingSince } from '../../../src/queue/provider-kind.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const PRODUCTION = { POSTHORN_ENV: 'production', POSTHORN_METRICS_TOKEN: TOKEN };
const PATIENCE_MS = 30_000;
const EMAIL = { from: 'a@posthorn.localhost', to: ['you@example.com'], subject: 'Hello', text: 'Hi.' };

suite('production without a provider', () => {
  test('a new installation without a provider does not start, and creates no data folder', () => {
    const dataDir = join(tmpdir(), `posthorn-never-made-${process.pid}`);
    const { status, stderr } = spawnSync(process.execPath, [MAIN], {
      env: { ...process.env, ...FREE_PORTS, POSTHORN_DATA: dataDir, ...PRODUCTION },
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 78, stderr);
    assert.match(stderr, /^POSTHORN_PROVIDER is not set, .* direct .* smtp .* ses .* sandbox /m);
    assert.equal(existsSync(dataDir), false);
  });

  test('an existing installation without a provider accepts mail, sends no mail, and reports the problem', async () => {
    await using service = await startService({ env: PRODUCTION });
    const { dataDir, token } = service;
    assert.match(service.output, /^ {2}Provider +none: no mail is sent until POSTHORN_PROVIDER is set$/m);
    const { status, body } = await service.client().post<{ id: string }>('/v1/emails', EMAIL);
    assert.equal(status, 202);
    const statusAt = async (each: Service) =>
      (await each.client(token).get<{ status: string }>(`/v1/emails/${body.id}`)).body.status;
    await eventually(async () => (await readNotSendingSince(service.database)) !== null, PATIENCE_MS);
    assert.notEqual(await readNotSendingSince(service.database), null);
    assert.equal(await statusAt(service), 'queued');
    assert.equal((await scrape(service)).sum('posthorn_provider', { kind: 'none' }), 1);
    const { code, stdout } = await posthorn({ POSTHORN_DATA: dataDir, ...PRODUCTION }, 'doctor', '--json');
    assert.equal(code, 1);
    assert.match(
      stdout,
      /"name": ?"sending",\s*"verdict": ?"problem",\s*"seen": ?"POSTHORN_PROVIDER is not set/,
    );
    await service.stop();

    await using worker = await startService({ dataDir, env: { ...PRODUCTION, POSTHORN_ROLES: 'worker' } });
    let detail = '';
    await eventually(async () => {
      const answer = await fetch(`${worker.baseUrl}/readyz`);
      ({ detail = '' } = (await answer.json()) as { detail?: string });
      return answer.status === 503 && detail.includes('POSTHORN_PROVIDER');
    }, PATIENCE_MS);
    assert.match(detail, /^POSTHORN_PROVIDER is not set, so no mail is sent\./);
    await worker.stop();

    await using named = await startService({ dataDir, env: { ...PRODUCTION, POSTHORN_PROVIDER: 'sandbox' } });
    await eventually(async () => (await statusAt(named)) === 'delivered', PATIENCE_MS);
    assert.equal(await statusAt(named), 'delivered');
    assert.equal(await readNotSendingSince(named.database), null);
  });
});
