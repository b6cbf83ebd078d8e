import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { COMMAND, type DevService, startDev } from '../../support/dev-service.ts';

let dev: DevService;
before(async () => {
  dev = await startDev();
});
after(() => dev[Symbol.asyncDispose]());

const PDF = Buffer.from(`%PDF-1.4 ${'x'.repeat(5_000)}\0\xff`, 'latin1');
const LOGO = Buffer.from('89504e470d0a1a0a', 'hex');

function send(mail: object, auth?: { user: string; pass: string }) {
  const transport = createTransport({ host: '127.0.0.1', port: dev.smtpPort, ...(auth && { auth }) });
  return transport.sendMail({ from: 'Shop <shop@acme.example>', subject: 'Hello', text: 'Hi.', ...mail });
}

const wait = (query: string) => dev.ask(`/dev/messages/wait?${query}`);

describe('mail that is sent by SMTP', () => {
  for (const [who, auth] of [
    ['without sign-in', undefined],
    ['with any user and password', { user: 'nobody@nowhere', pass: 'x' }],
  ] as const)
    test(`is caught ${who}, from any domain and to any recipient, with all its files`, async () => {
      const to = `anna-${who.length}@example.com`;
      await send(
        {
          to: `Anna <${to}>`,
          cc: 'b@example.com',
          bcc: 'hidden@example.com',
          replyTo: 'help@acme.example',
          subject: 'Ihr Code – 314 159',
          text: 'Enter 314159 or 2718 at https://acme.example/verify?t=1.',
          html: '<p>Hi <img src="cid:logo" alt=""> <a href="https://acme.example/go?a=1&amp;b=2">Go</a></p>',
          attachments: [
            { filename: 'rechnung ü.pdf', content: PDF },
            { filename: 'logo.png', content: LOGO, cid: 'logo' },
          ],
        },
        auth,
      );
      const { status, body } = await wait(`to=${to}`);
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(body, {
        from: 'Shop <shop@acme.example>',
        to: [`Anna <${to}>`],
        cc: ['b@example.com'],
        reply_to: ['help@acme.example'],
        subject: 'Ihr Code – 314 159',
        text: 'Enter 314159 or 2718 at https://acme.example/verify?t=1.',
        links: ['https://acme.example/go?a=1&b=2', 'https://acme.example/verify?t=1'],
        codes: ['314159', '2718'],
      });
      assert.deepEqual(
        body.recipients.map(({ address }) => address),
        [to, 'b@example.com', 'hidden@example.com'],
      );
      const file = body.attachments.find(({ name }) => name === 'rechnung ü.pdf');
      const part = await dev.bytes(file?.path ?? '');
      assert.deepEqual([part.headers.get('content-type'), part.bytes.equals(PDF)], ['application/pdf', true]);
    });

  test('keeps its bytes', async () => {
    const raw =
      'From: a@acme.example\r\nTo: raw@example.com\r\nX-Odd:  two  spaces\r\nSubject: raw\r\n\r\nline\r\n.\r\n';
    await createTransport({ host: 'localhost', port: dev.smtpPort }).sendMail({
      envelope: { from: 'a@acme.example', to: 'raw@example.com' },
      raw,
    });
    const { body } = await wait('to=raw@example.com');
    assert.equal((await dev.ask(`/api/v1/message/${body.id}/raw`)).text, raw);
  });

  test('is read in another thread if it is large, and shows its files and links', async () => {
    const link = 'https://acme.example/large';
    await send({
      to: 'large@example.com',
      html: `<a href="${link}">${'x'.repeat(200_000)}</a>`,
      attachments: [{ filename: 'large.bin', content: Buffer.alloc(2_000_000, 7) }],
    });
    const { body } = await wait('to=large@example.com');
    assert.deepEqual([body.links, body.attachments.map(({ bytes }) => bytes)], [[link], [2_000_000]]);
    const { bytes } = await dev.bytes(body.attachments[0]?.path ?? '');
    assert.ok(bytes.equals(Buffer.alloc(2_000_000, 7)));
  });

  test('is not accepted within a request of a browser', async () => {
    const commands = 'EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<forged@example.com>\r\nDATA\r\n';
    const socket = connect(dev.smtpPort, 'localhost');
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n${commands}`);
    let replies = '';
    for await (const chunk of socket) replies += String(chunk);
    assert.equal(replies, '220 localhost ESMTP\r\n554 5.5.1 This port speaks SMTP, not HTTP\r\n');
  });

  test('is caught from Python', async () => {
    const code = `import smtplib
with smtplib.SMTP("localhost", ${dev.smtpPort}) as smtp:
    smtp.login("any", "thing")
    smtp.sendmail("", ["python@example.com"], "Subject: no sender\\n\\nIt works.\\n")`;
    await promisify(execFile)('python3', ['-c', code]);
    const { body } = await wait('to=python@example.com');
    assert.partialDeepStrictEqual(body, {
      subject: 'no sender',
      from: 'unknown@posthorn.localhost',
      text: 'It works.\n',
    });
  });

  test('plays the outcome that the recipient names, and shows it for each recipient', async () => {
    await send({ to: ['bounced+7@example.com', 'fine@example.com'], subject: 'outcomes' });
    const { body } = await wait('subject=outcomes&status=bounced');
    assert.deepEqual(
      body.recipients.map(({ status }) => status),
      ['bounced', 'delivered'],
    );
  });

  test('is an email of the API, with its timeline', async () => {
    await send({ to: 'timeline@example.com', subject: 'timeline' });
    const { body } = await wait('to=timeline@example.com&status=delivered');
    const headers = { authorization: `Bearer ${dev.token}` };
    const email = await dev.ask(`/v1/emails/${body.id}`, { headers });
    assert.partialDeepStrictEqual(email.body, {
      status: 'delivered',
      subject: 'timeline',
      from: 'Shop <shop@acme.example>',
    });
  });
});

describe('the API', () => {
  const post = (from: string) =>
    dev.ask('/v1/emails', {
      method: 'POST',
      headers: { authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from, to: ['api@example.com'], subject: 'by API', text: 'It works.' }),
    });

  test('sends to the same inbox', async () => {
    assert.equal((await post('hello@posthorn.localhost')).status, 202);
    const { body } = await wait('to=api@example.com');
    assert.partialDeepStrictEqual(body, { subject: 'by API', text: 'It works.\n' });
  });

  test('rejects senders of domains that are not verified, as in production', async () => {
    const { status, body } = await post('hello@acme.example');
    assert.deepEqual([status, body.type], [422, '/errors/domain-not-verified']);
  });
});

describe('waiting', () => {
  test('resolves when the email arrives', async () => {
    const found = wait('subject=later&timeout=30');
    await send({ to: 'late@example.com', subject: 'Much Later' });
    assert.equal((await found).body.subject, 'Much Later');
  });

  test('ends with 404 after the time, and sees only emails after the given one', async () => {
    await send({ to: 'since@example.com', subject: 'first' });
    const { body } = await wait('to=since@example.com');
    assert.equal((await wait(`to=since@example.com&since=${body.id}&timeout=0`)).status, 404);
    const minuteLater = new Date(Date.parse(body.created_at) + 60_000).toISOString();
    assert.equal((await wait(`to=since@example.com&since=${minuteLater}&timeout=0`)).status, 404);
    assert.equal((await wait(`to=since@example.com&since=${body.created_at}&timeout=0`)).status, 200);
  });

  test('many times on one connection leaves no listeners on it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = new URL(dev.url);
    for (let at = 0; at < 12; at++)
      await new Promise<void>((resolve, reject) => {
        const path = '/dev/messages/wait?subject=never&timeout=0';
        get({ host: 'localhost', port, path, agent }, (response) => response.resume().on('end', resolve)).on(
          'error',
          reject,
        );
      });
    agent.destroy();
    assert.doesNotMatch(dev.output(), /MaxListenersExceededWarning/);
  });

  test('finds an address with a + as it is, and encoded', async () => {
    await send({ to: 'bounced+1@example.com' });
    for (const to of ['bounced+1@example.com', 'bounced%2B1@example.com'])
      assert.equal((await wait(`to=${to}`)).status, 200, to);
  });

  test('accepts characters that no email contains', async () => {
    const { status } = await wait('to=a%00b&subject=%EF%BF%BF&timeout=0');
    assert.equal(status, 404);
    assert.equal((await dev.ask('/api/v1/search?query=a%00b%20tag:a%00b')).status, 200);
  });

  for (const query of ['timeout=61', 'timeout=-1', 'timeout=x', 'since=yesterday', 'status=lost'])
    test(`rejects ${query}`, async () => {
      assert.equal((await wait(query)).status, 400);
    });
});

describe("Mailpit's API", () => {
  before(async () => {
    await dev.ask('/api/v1/messages', { method: 'DELETE' });
    await send({
      to: 'Anna <anna@example.com>',
      cc: 'c@example.com',
      subject: 'Invoice 7',
      text: 'Please pay 100%.',
    });
    await send({
      to: 'ben@example.com',
      bcc: 'secret@example.com',
      subject: 'Welcome',
      html: '<b>Hi</b> <img src="cid:logo">',
      headers: { 'List-Unsubscribe': '<https://acme.example/u>' },
      attachments: [
        { filename: 'a.pdf', content: PDF },
        { filename: 'logo.png', content: LOGO, cid: 'logo' },
        { filename: 'x.html', content: '<script>alert(1)</script>' },
      ],
    });
    await wait('to=ben@example.com');
  });

  test('lists messages, newest first, with the fields of Mailpit', async () => {
    const { body } = await dev.ask('/api/v1/messages?limit=1&start=1');
    const [message] = body.messages;
    assert.ok(message !== undefined);
    assert.deepEqual(
      { ...body, messages: 1 },
      {
        total: 2,
        unread: 2,
        count: 1,
        messages_count: 2,
        messages_unread: 2,
        start: 1,
        tags: [],
        messages: 1,
      },
    );
    assert.deepEqual(
      { ...message, ID: '', MessageID: '', Created: '', Size: 0 },
      {
        ID: '',
        MessageID: '',
        Read: false,
        From: { Name: 'Shop', Address: 'shop@acme.example' },
        To: [{ Name: 'Anna', Address: 'anna@example.com' }],
        Cc: [{ Name: '', Address: 'c@example.com' }],
        Bcc: [],
        ReplyTo: [],
        Subject: 'Invoice 7',
        Created: '',
        Username: '',
        Tags: [],
        Size: 0,
        Attachments: 0,
        Snippet: 'Please pay 100%.',
      },
    );
    assert.match(message.MessageID, /^[^<>]+@acme\.example$/);
    assert.ok(message.Size > 100 && !Number.isNaN(Date.parse(message.Created)));
  });

  test('shows a message with its files', async () => {
    const { body } = await dev.ask('/api/v1/message/latest');
    assert.equal(
      Object.keys(body).toSorted().join(' '),
      'Attachments Bcc Cc Date From HTML ID Inline ListUnsubscribe MessageID ReplyTo ReturnPath Size Subject Tags Text To Username',
    );
    assert.partialDeepStrictEqual(body, {
      Bcc: [{ Name: '', Address: 'secret@example.com' }],
      Subject: 'Welcome',
      HTML: '<b>Hi</b> <img src="cid:logo">',
      ListUnsubscribe: {
        Header: '<https://acme.example/u>',
        Links: ['https://acme.example/u'],
        Errors: '',
        HeaderPost: '',
      },
    });
    const named = (files: { FileName: string }[]) => files.map(({ FileName }) => FileName);
    assert.deepEqual([named(body.Attachments), named(body.Inline)], [['a.pdf', 'x.html'], ['logo.png']]);
    const [pdf, page] = body.Attachments;
    assert.partialDeepStrictEqual(pdf, { ContentType: 'application/pdf', Size: PDF.length, ContentID: '' });
    assert.equal(body.Inline[0]?.ContentID, 'logo');
    const part = await dev.ask(`/api/v1/message/${body.ID}/part/${page?.PartID}`);
    assert.deepEqual(
      [part.headers.get('content-type'), part.headers.get('content-disposition')],
      ['application/octet-stream', 'attachment; filename="x.html"'],
    );
  });

  test('shows headers, the source and the bodies', async () => {
    const { text } = await dev.ask('/api/v1/message/latest/headers');
    const headers = JSON.parse(text) as Record<string, string[]>;
    assert.deepEqual(
      [headers['Subject'], headers['List-Unsubscribe']],
      [['Welcome'], ['<https://acme.example/u>']],
    );
    assert.match((await dev.ask('/api/v1/message/latest/raw')).text, /^Subject: Welcome$/m);
    const page = await dev.ask('/view/latest.html');
    assert.equal(page.text, `<b>Hi</b> <img src="data:image/png;base64,${LOGO.toString('base64')}">`);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^sandbox allow-popups[^;]*; default-src 'none'/,
    );
    assert.equal((await dev.ask('/view/latest.txt')).text, 'Hi.');
    assert.equal((await dev.ask('/api/v1/info')).body.Messages, 2);
    for (const path of ['/livez', '/readyz']) assert.equal((await dev.ask(path)).status, 200, path);
  });

  for (const path of [
    '/api/v1/message/x',
    '/api/v1/message/latest/part/9',
    '/view/latest.pdf',
    '/view/x.txt',
  ])
    test(`returns 404 for ${path}`, async () => {
      assert.equal((await dev.ask(path)).status, 404);
    });

  for (const [query, subjects] of [
    ['to:anna', ['Invoice 7']],
    ['to:ANNA@example.com subject:invoice', ['Invoice 7']],
    ['to:anna subject:welcome', []],
    ['subject:"Invoice 7"', ['Invoice 7']],
    ['from:acme.example', ['Welcome', 'Invoice 7']],
    ['cc:c@', ['Invoice 7']],
    ['bcc:secret', ['Welcome']],
    ['-to:anna', ['Welcome']],
    ['"pay 100%"', ['Invoice 7']],
    ['100_', []],
    ['has:attachment', ['Welcome']],
    ['message-id:acme.example', ['Welcome', 'Invoice 7']],
    ['before:2020-01-01', []],
    ['after:2020-01-01 is:unread', ['Welcome', 'Invoice 7']],
    ['tag:none', []],
  ] as const)
    test(`finds the messages of ${query}`, async () => {
      const { body } = await dev.ask(`/api/v1/search?query=${encodeURIComponent(query)}`);
      assert.deepEqual(
        [body.messages.map(({ Subject }) => Subject), body.messages_count],
        [[...subjects], subjects.length],
      );
    });

  test('deletes messages by id, by search, and all', async () => {
    const count = async () => (await dev.ask('/api/v1/messages')).body.total;
    const remove = (path: string, body?: string) =>
      dev.ask(path, { method: 'DELETE', ...(body !== undefined && { body }) });
    for (const to of ['d1', 'd2']) await send({ to: `${to}@example.com`, subject: to });
    const { body } = await wait('to=d1@example.com&status=delivered');
    await wait('to=d2@example.com&status=delivered');
    assert.equal((await remove('/api/v1/messages', JSON.stringify({ IDs: [body.id] }))).text, 'ok');
    assert.equal(await count(), 3);
    assert.equal((await remove('/api/v1/search?query=to:d2')).status, 200);
    assert.equal(await count(), 2);
    for (const broken of ['{"IDs":7}', '{'])
      assert.equal((await remove('/api/v1/messages', broken)).status, 400, broken);
    assert.equal(await count(), 2);
    assert.equal((await remove('/dev/messages')).status, 204);
    assert.equal(await count(), 0);
  });
});

describe('requests of the browser', () => {
  /** Sends headers that `fetch` does not allow to set. */
  const statusOf = (headers: Record<string, string>, { path = '/api/v1/messages', method = 'GET' } = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(dev.url);
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  const own = () => new URL(dev.url).host;

  for (const path of [
    '/api/v1/messages',
    '/inbox',
    '/dev/messages/latest',
    '/dev/dashboard',
    '/dashboard',
    '/v1/emails',
    '/readyz',
    '/nowhere',
  ])
    test(`are rejected at ${path} if Host names another host`, async () => {
      assert.equal(await statusOf({ host: 'evil.example' }, { path }), 403);
    });

  test('open the inbox and the dashboard without sign-in', async () => {
    assert.equal(await statusOf({ host: own() }, { path: '/inbox' }), 200);
    const response = await fetch(`${dev.url}/dev/dashboard?to=/dashboard/emails`, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [302, '/dashboard/emails']);
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    const session = await dev.ask('/dashboard/api/session', { headers: { cookie } });
    assert.partialDeepStrictEqual(session.body, {
      user: { email: 'dev@posthorn.localhost', is_operator: true },
    });
  });

  for (const to of [
    '//evil.example',
    '/dashboard//evil.example/..',
    'https://evil.example',
    '/dashboard\\evil',
    '/inbox',
  ])
    test(`are not redirected to ${to}`, async () => {
      const response = await fetch(`${dev.url}/dev/dashboard?to=${encodeURIComponent(to)}`, {
        redirect: 'manual',
      });
      const at = new URL(response.headers.get('location') ?? '/', dev.url);
      assert.equal(at.origin, dev.url);
    });
});

describe('the command', () => {
  for (const [what, env, says] of [
    ['in production', { POSTHORN_ENV: 'production' }, /POSTHORN_ENV=production/],
    ['with a real provider', { POSTHORN_PROVIDER: 'direct' }, /POSTHORN_PROVIDER=direct/],
    [
      'with a database on another machine',
      { POSTHORN_DATABASE_URL: 'postgres://u:secret@db.example/x' },
      /on another machine/,
    ],
  ] as const)
    test(`does not start ${what}`, async () => {
      await assert.rejects(startDev({ env }), (error: Error & { exitCode: number }) => {
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /u:secret/);
        return error.exitCode === 78;
      });
    });

  test('listens on loopback addresses, whatever the environment says, and keeps its emails until --fresh', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
    try {
      const first = await startDev({
        dataDir,
        env: { POSTHORN_LISTEN: '0.0.0.0', POSTHORN_DATA: '/nowhere' },
      });
      assert.equal(statSync(join(dataDir, 'api-key')).mode & 0o077, 0);
      await createTransport({ host: 'localhost', port: first.smtpPort }).sendMail({
        from: 'a@b.example',
        to: 'c@d.example',
        subject: 'kept',
      });
      const waiting = first.ask('/dev/messages/wait?subject=never&timeout=60').catch(() => null);
      await assert.rejects(startDev({ dataDir }), /Another process is using .* with --data/);
      const stoppedMs = performance.now();
      assert.equal(await first.stop(), 0);
      await waiting;
      assert.ok(performance.now() - stoppedMs < 3_000, 'a waiting request does not delay the end');

      const second = await startDev({ dataDir });
      assert.equal((await second.ask('/api/v1/message/latest')).body.Subject, 'kept');
      assert.equal(second.token, first.token);
      await second.stop();

      const third = await startDev({ dataDir, args: ['--fresh'] });
      assert.equal((await third.ask('/api/v1/messages')).body.total, 0);
      assert.notEqual(third.token, first.token);
      await third.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  for (const [what, files, env, says] of [
    ['a folder of the user', ['photos/1.jpg', 'letter.txt'], {}, /is not a folder of posthorn dev/],
    [
      'the data folder of a real installation',
      ['posthorn.lock', 'secret', 'postgres/18/PG_VERSION'],
      {},
      /is not a folder of posthorn dev/,
    ],
    [
      'its own folder if the emails are in another database',
      ['posthorn.lock', 'secret', 'api-key'],
      { POSTHORN_DATABASE_URL: 'postgres://localhost/x' },
      /the emails are in POSTHORN_DATABASE_URL/,
    ],
    [
      'its own folder if the configuration is wrong',
      ['posthorn.lock', 'secret', 'api-key'],
      { POSTHORN_LOG_LEVEL: 'loud' },
      /POSTHORN_LOG_LEVEL/,
    ],
  ] as const)
    test(`does not delete ${what}`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
      const paths = files.map((file) => join(dataDir, file));
      try {
        for (const path of paths) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, '');
        }
        await assert.rejects(startDev({ dataDir, env, args: ['--fresh'] }), says);
        for (const path of paths) assert.ok(existsSync(path), path);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
});

test('ends when npx is killed, which passes no signal on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
  const command = [
    process.execPath,
    COMMAND,
    'dev',
    '--data',
    folder,
    '--smtp-port',
    '0',
    '--http-port',
    '0',
  ];
  const npx = spawn('sh', ['-c', '"$0" "$@" & wait', ...command], {
    env: { ...process.env, npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Closed when the last process of the service has ended.
  const closed = once(npx.stdout, 'close');
  await once(npx.stdout, 'data');
  npx.kill('SIGKILL');
  npx.stdout.resume();
  await closed;
  rmSync(folder, { recursive: true });
});
