/** The metrics of the whole service after a known amount of traffic. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import type { Exposed } from '../../support/exposition.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { scrape } from '../../support/scrape.ts';

const PATIENCE_MS = 60_000;
const EMAIL = { from: 'Acme <hello@posthorn.localhost>', subject: 'Hello', text: 'It works.' };

async function send(service: Service, to: readonly string[]): Promise<void> {
  assert.equal((await service.client().post('/v1/emails', { ...EMAIL, to })).status, 202);
}

/** Scrapes the metrics until the condition holds. */
async function pageWith(service: Service, holds: (page: Exposed) => boolean): Promise<Exposed> {
  let page = await scrape(service);
  await eventually(async () => {
    page = await scrape(service);
    return holds(page);
  }, PATIENCE_MS);
  assert.ok(holds(page), JSON.stringify(page.series.filter(({ value }) => value !== 0).map(shown), null, 1));
  return page;
}

function shown({ name, labels, value }: Exposed['series'][number]): string {
  return `${name} ${JSON.stringify(labels)} ${value}`;
}

function processesOf({ valuesOf }: Exposed): string[] {
  return [...valuesOf('process_start_time_seconds', 'process')].toSorted();
}

suite('with one HTTP process and one worker', () => {
  let server: SmtpTestServer;
  let service: Service;
  before(async () => {
    server = await startSmtpServer({
      reply: (stage, argument) =>
        stage === 'rcpt' && argument.startsWith('refused') ? '550 5.1.1 no such user' : undefined,
    });
    service = await startService({
      env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
      patches: [{ cores: 2 }],
    });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('the metrics have the series of both processes, each labeled with its process', async () => {
    // Wait, because a process is ready before its worker has a lease.
    const page = await pageWith(service, ({ sum }) => sum('posthorn_queue_workers') === 1);
    assert.deepEqual(processesOf(page), ['http', 'worker-1']);
    assert.equal(page.sum('posthorn_scrape_missing_processes'), 0);
    assert.equal(page.sum('posthorn_queue_workers'), 1);
    assert.equal(page.sum('posthorn_environment_info', { environment: 'development' }), 1);
    assert.equal(page.sum('posthorn_provider', { kind: 'smtp' }), 1);
    assert.ok(page.sum('posthorn_disk_free_bytes', { holds: 'database' }) > 0);
    const ofAll =
      /^posthorn_(?:scrape_|disk_|environment_|provider|queue_|locked_mailboxes|service_mail|webhook_(?:deliveries|oldest)|database_(?!pool_|connection_))/;
    for (const { name, labels } of page.series)
      assert.equal(labels['process'] === undefined, ofAll.test(name), name);
  });

  test('mail is counted by the process that accepts it and by the process that sends it', async () => {
    await send(service, ['a@example.com', 'b@example.com']);
    await send(service, ['c@example.net']);
    await send(service, ['refused@example.com']);
    assert.equal((await service.client().post('/v1/emails', {})).status, 422);
    const { sum } = await pageWith(service, (page) => page.sum('posthorn_recipient_events_total') === 4);

    const counted = (name: string, labels: Record<string, string>) => sum(`posthorn_${name}`, labels);
    const http = { process: 'http' };
    const worker = { process: 'worker-1' };
    assert.equal(counted('emails_accepted_total', http), 3);
    assert.ok(counted('commit_seconds_count', http) >= 1);
    const requests = 'http_request_duration_seconds_count';
    assert.equal(counted(requests, { ...http, operation: 'sendEmail', status: '2xx' }), 3);
    assert.equal(counted(requests, { ...http, operation: 'sendEmail', status: '4xx' }), 1);
    assert.equal(counted('delivery_attempts_total', { ...worker, outcome: 'accepted' }), 3);
    assert.equal(counted('delivery_attempts_total', { ...worker, outcome: 'permanent' }), 1);
    assert.equal(counted('time_to_accepted_seconds_count', worker), 3);
    assert.equal(counted('recipient_events_total', { ...worker, type: 'sent' }), 3);
    assert.equal(counted('recipient_events_total', { ...worker, type: 'failed' }), 1);
    assert.ok(counted('outgoing_smtp_connections', worker) >= 1);
    assert.equal(counted('outgoing_smtp_connections', http), 0);
  });

  test('connections to the SMTP port are counted, and a gauge has the number of open connections', async () => {
    const socket = connect(service.smtpPort, '127.0.0.1');
    await once(socket, 'data');
    const open = await scrape(service);
    assert.equal(open.sum('posthorn_inbound_smtp_sessions'), 1);
    assert.equal(open.sum('posthorn_inbound_smtp_connections_total', { result: 'served' }), 1);
    socket.end('QUIT\r\n');
    await pageWith(service, (page) => page.sum('posthorn_inbound_smtp_sessions') === 0);
  });

  test('a suspended process is left out of the metrics and counted as missing within 8 s', async () => {
    const [worker = 0] = service.workerPids();
    process.kill(worker, 'SIGSTOP');
    const startedMs = performance.now();
    const page = await scrape(service);
    const tookMs = performance.now() - startedMs;
    process.kill(worker, 'SIGCONT');
    assert.deepEqual(processesOf(page), ['http']);
    assert.equal(page.sum('posthorn_scrape_missing_processes'), 1);
    assert.equal(page.sum('posthorn_emails_accepted_total'), 3);
    // The scrape timeout of Prometheus is ten seconds.
    assert.ok(tookMs < 8_000, `${tookMs}`);
    await pageWith(service, (again) => again.sum('posthorn_scrape_missing_processes') === 0);
  });

  test('a replacement process counts from 0 under the same name, and counts of the other process are unchanged', async () => {
    const before = await scrape(service);
    const [worker = 0] = service.workerPids();
    process.kill(worker, 'SIGKILL');
    const startOf = ({ sum }: Exposed) => sum('process_start_time_seconds', { process: 'worker-1' });
    const { sum } = await pageWith(
      service,
      (page) => processesOf(page).length === 2 && startOf(page) !== startOf(before),
    );
    assert.equal(sum('posthorn_recipient_events_total', { process: 'worker-1' }), 0);
    assert.equal(sum('posthorn_emails_accepted_total', { process: 'http' }), 3);
  });
});

test('a single process reports all metrics', async () => {
  await using service = await startService({ patches: [{ cores: 1 }] });
  await send(service, ['a@example.com', 'bounced@example.com']);
  // Wait for the outcome, because an attempt is counted before its outcome.
  const page = await pageWith(
    service,
    ({ sum }) => sum('posthorn_delivery_attempts_total') === 2 && sum('posthorn_bounces_total') === 1,
  );
  assert.deepEqual(processesOf(page), ['http']);
  assert.equal(page.sum('posthorn_scrape_missing_processes'), 0);
  assert.equal(page.sum('posthorn_emails_accepted_total'), 1);
  assert.equal(page.sum('posthorn_bounces_total', { type: 'hard' }), 1);
});

test('an instance without an API serves the metrics at its status port', async () => {
  await using service = await startService({
    env: { POSTHORN_ROLES: 'worker' },
    patches: [{ cores: 3 }],
  });
  const page = await pageWith(service, ({ sum }) => sum('posthorn_queue_workers') === 2);
  assert.deepEqual(processesOf(page), ['worker-1', 'worker-2']);
  assert.equal(page.sum('posthorn_queue_workers'), 2);
  assert.equal(page.sum('posthorn_database_up'), 1);
});
