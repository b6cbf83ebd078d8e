/** Tests commands that send emails and inspect sent emails. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../../test/support/cli.ts';
import { startDelivery } from '../../../test/support/deliveries.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { isAtRest } from '../../../test/support/queue-rows.ts';
import type { EmailList, QueuedEmail } from '../../contract/emails.ts';
import { createSandbox } from '../../sending/deliver/sandbox.ts';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

async function run(...args: string[]): Promise<Ran> {
  const env = { ...environmentOf(api.db), POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN };
  return posthorn(env, ...args, '--project', api.project.name);
}

test('send queues an email without a worker, show prints the API response, and raw prints the message to be sent', async () => {
  const { db, project } = api;
  const sent = await run(
    'send',
    '--to',
    'bounced@dst.test',
    'b@dst.test',
    '--subject',
    'Grüße',
    '--html',
    '<p>Hi</p>',
    '--header',
    'X-Order: 4711',
    '--tag',
    'order',
    '--json',
  );
  const queued = JSON.parse(sent.stdout) as QueuedEmail;
  assert.equal(queued.status, 'queued');
  assert.match(sent.stderr, /^No worker is running\. The email stays in the queue until one starts/);

  const listed = await run('email', 'list', '--tag', 'order', '--since', '2026-01-01', '--json');
  const response = await project.client.get<EmailList>('/v1/emails');
  assert.deepEqual(JSON.parse(listed.stdout), response.body);
  assert.match(
    (await run('email', 'list', '--limit', '1')).stdout,
    /^ID +STATUS +AGE +TO +SUBJECT\nem_\w{26} {2}queued +\d+[smh] +bounced@dst\.test, b@dst\.test +Grüße\n$/,
  );
  const rebuilt = await run('email', 'raw', '--id', queued.id);
  assert.match(rebuilt.stderr, /^No copy is stored\. This message was composed again from the stored email/);
  assert.match(
    rebuilt.stdout,
    /^DKIM-Signature: [^]+\r\nFrom: hello@hosted\.example\r\n[^]+\r\nX-Order: 4711\r\n/,
  );

  await using worker = await startDelivery(
    { database: db.database, sealer: api.sealer },
    createSandbox(db.database),
  );
  worker.delivery.wake();
  assert.ok(await eventually(() => isAtRest(db.database), 20_000));
  const stored = await run('email', 'raw', '--id', queued.id, '--json');
  assert.deepEqual(JSON.parse(stored.stdout), { id: queued.id, is_rebuilt: false, message: rebuilt.stdout });

  const shown = await run('email', 'show', '--id', queued.id, '--json');
  assert.deepEqual(JSON.parse(shown.stdout), (await project.client.get(`/v1/emails/${queued.id}`)).body);
  const { stdout } = await run('email', 'show', '--id', queued.id);
  assert.match(stdout, /^status: +bounced$/m);
  assert.match(stdout, /^header: +X-Order: 4711$/m);
  assert.match(
    stdout,
    /^2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d {2}bounced +bounced@dst\.test +hard unknown_user 550 5\.1\.1 no such user/m,
  );
});

test('send rejects what the API rejects, and lists the invalid fields', async () => {
  const { code, stderr, stdout } = await run(
    'send',
    '--to',
    'nobody',
    '--text',
    'x',
    '--subject',
    'x'.repeat(999),
  );
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /\n {2}subject: must have at most 998 characters\n/);
  assert.match((await run('email', 'show', '--id', 'em_x')).stderr, /^The project one has no such email/);
});

test('tail prints events as they happen, and exits on a signal or when its reader closes the pipe', async () => {
  const { client, name } = api.project;
  const env = { ...process.env, ...environmentOf(api.db), POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN };
  const follow = async (...args: string[]) => {
    const tail = spawn(process.execPath, [PROGRAM, 'tail', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(tail.stderr, 'data');
    return tail;
  };
  const send = async () => {
    const email = { from: `ada@${HOSTED_DOMAIN}`, to: ['b@dst.test'], text: 'Hi' };
    return (await client.post<QueuedEmail>('/v1/emails', email)).body.id;
  };
  const [ofAll, ofOther] = await Promise.all([follow('--json'), follow('--project', api.other.name)]);
  const id = await send();
  const [line] = (await once(createInterface(ofAll.stdout), 'line')) as [string];
  const { project, email_id, type, recipient, detail } = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual([project, email_id, type, recipient, detail], [name, id, 'queued', null, null]);

  ofAll.stdout.destroy();
  await send();
  assert.deepEqual(await once(ofAll, 'exit'), [0, null]);
  ofOther.kill('SIGINT');
  const [printed, exit] = await Promise.all([text(ofOther.stdout), once(ofOther, 'exit')]);
  assert.deepEqual([printed, exit], ['', [0, null]]);
});

test('JSON output escapes characters that a terminal would interpret', async () => {
  const subject = 'a\u202eb\u009b2J\u2028c\u{e0041}\u00ad😀';
  await run('send', '--to', 'a@dst.test', '--subject', subject, '--text', 'x', '--tag', 'odd');
  const { stdout } = await run('email', 'list', '--tag', 'odd', '--json');
  assert.match(stdout, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u);
  assert.equal((JSON.parse(stdout) as EmailList).data[0]?.subject, subject);
});
