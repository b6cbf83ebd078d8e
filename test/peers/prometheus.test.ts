/** Debian's Prometheus scrapes the metrics, and promtool checks the metrics. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, suite, test } from 'node:test';
import { posthornProcess } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { freePort, hookLimit, peerFolder, requireProgram, run, startDaemon, withPeers } from './peers.ts';
import { scrapeText, TOKEN } from '../support/scrape.ts';

const ALERTS = fileURLToPath(new URL('../../docs/operate/alerts.yaml', import.meta.url));
const DASHBOARD = new URL('../../docs/operate/grafana-dashboard.json', import.meta.url);
const PATIENCE_MS = 60_000;
const EMAILS = 3;

interface Answer {
  status: string;
  error?: string;
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

interface Rules {
  data: { groups: { rules: { name: string; health: string; lastError?: string; state: string }[] }[] };
}

suite('Prometheus', withPeers, () => {
  const stack = new AsyncDisposableStack();
  let service: Service;
  let url: string;

  before(async () => {
    const promtool = requireProgram('/usr/bin/promtool', 'prometheus');
    const prometheus = requireProgram('/usr/bin/prometheus', 'prometheus');
    service = stack.use(
      await startService({
        env: {
          POSTHORN_METRICS_TOKEN: TOKEN,
          POSTHORN_ENV: 'production',
          POSTHORN_PROVIDER: 'sandbox',
        },
      }),
    );
    const folder = stack.use(peerFolder('prometheus')).path;
    const backedUp = await posthornProcess(
      { POSTHORN_DATA: service.dataDir },
      'backup',
      join(folder, 'backup.tar.zst'),
    );
    assert.equal(backedUp.code, 0, backedUp.stderr);
    const config = join(folder, 'prometheus.yml');
    writeFileSync(join(folder, 'token'), TOKEN, { mode: 0o600 });
    writeFileSync(
      config,
      `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${ALERTS}']
scrape_configs:
  - job_name: posthorn
    authorization: { credentials_file: '${folder}/token' }
    static_configs: [{ targets: ['${new URL(service.baseUrl).host}'] }]
`,
    );
    await run(promtool, ['check', 'config', config]);
    const address = `127.0.0.1:${await freePort()}`;
    url = `http://${address}`;
    stack.use(
      await startDaemon(prometheus, {
        args: [
          `--config.file=${config}`,
          `--storage.tsdb.path=${folder}/data`,
          `--web.listen-address=${address}`,
        ],
        stopSignal: 'SIGTERM',
        isReady: () =>
          fetch(`${url}/-/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
      }),
    );
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  async function query(expression: string): Promise<Answer> {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    return (await answer.json()) as Answer;
  }

  /** Waits until an expression has exactly one value, which equals the given value. */
  async function assertValue(expression: string, value: number): Promise<void> {
    let answer = await query(expression);
    await eventually(async () => {
      answer = await query(expression);
      return Number(answer.data.result[0]?.value[1]) === value;
    }, PATIENCE_MS);
    assert.deepEqual(
      answer.data.result.map(({ value: [, found] }) => Number(found)),
      [value],
      `${expression}: ${JSON.stringify(answer)}`,
    );
  }

  test('promtool accepts names, types and units of the metrics', async () => {
    for (let recipientIndex = 0; recipientIndex < EMAILS; recipientIndex++) {
      const { status } = await service.client().post('/v1/emails', {
        from: 'Acme <hello@posthorn.localhost>',
        to: [recipientIndex === 0 ? 'bounced@example.com' : `you${recipientIndex}@example.com`],
        subject: 'Hello',
        text: 'It works.',
      });
      assert.equal(status, 202);
    }
    const checking = run('/usr/bin/promtool', ['check', 'metrics']);
    checking.child.stdin?.end(await scrapeText(service));
    const { stdout, stderr } = await checking;
    assert.equal(`${stdout}${stderr}`, '');
  });

  test('Prometheus scrapes the metrics with the token', async () => {
    await assertValue('up{job="posthorn"}', 1);
    await assertValue('sum(posthorn_emails_accepted_total)', EMAILS);
    await assertValue('sum(posthorn_delivery_attempts_total{outcome="accepted"})', EMAILS);
    await assertValue('sum(posthorn_bounces_total{type="hard"})', 1);
    await assertValue('posthorn_database_up', 1);
    await assertValue('sum(posthorn_queue_recipients)', 0);
    await assertValue('posthorn_scrape_missing_processes', 0);
    await assertValue('count(posthorn_backup_last_success_timestamp_seconds)', 1);
    await assertValue('count(posthorn_disk_free_bytes > 0)', 2);
    await assertValue('sum(posthorn_commit_seconds_count) > bool 0', 1);
  });

  test('a request for metrics without the token gets 401', async () => {
    assert.equal((await fetch(`${service.baseUrl}/metrics`)).status, 401);
  });

  test('Prometheus loads the alert rules, and no alert fires', async () => {
    await run('/usr/bin/promtool', ['check', 'rules', ALERTS]);
    let rules: Rules['data']['groups'][number]['rules'] = [];
    await eventually(async () => {
      const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as Rules;
      rules = data.groups.flatMap((group) => group.rules);
      return rules.length > 0 && rules.every(({ health, state }) => health === 'ok' && state === 'inactive');
    }, PATIENCE_MS);
    assert.notEqual(rules.length, 0);
    assert.deepEqual(
      rules.filter(({ health, state }) => health !== 'ok' || state !== 'inactive'),
      [],
    );
  });

  test('Prometheus evaluates every expression of the Grafana dashboard', async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const expression = expr.replaceAll('$job', '.+').replaceAll('$__rate_interval', '1m');
        const { status, error } = await query(expression);
        assert.equal(status, 'success', `${title}: ${error}`);
      }
    }
  });
});
