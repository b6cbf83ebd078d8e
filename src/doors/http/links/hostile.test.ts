/** Tests attacks by visitors who were not given the link. Every attack must fail. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../../test/support/eventually.ts';
import { forgive, Guesses, linkGuesses } from '../../../accounts/passwords/guesses.ts';
import { newLinkToken } from '../../../file-links/tokens.ts';
import { linkDownloadedBytes, linkDownloads, linkPasswords } from '../../../observe/instruments.ts';
import { type LinkWorld, type LinkFixture, openLinks } from './links.fixture.ts';

let world: LinkWorld;
before(async () => {
  world = await openLinks();
});
after(() => world[Symbol.asyncDispose]());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function get(path: string, headers: Record<string, string> = {}, base = world.baseUrl): Promise<Response> {
  return fetch(base + path, { headers, redirect: 'manual' });
}

function post(
  path: string,
  body: string,
  headers: Record<string, string> = FORM,
  base = world.baseUrl,
): Promise<Response> {
  return fetch(base + path, { method: 'POST', body, headers, redirect: 'manual' });
}

async function bytes(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** Sends bytes that `fetch` would not send, and returns the response as text. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(world.baseUrl).port), 'localhost');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += (chunk as Buffer).toString('latin1');
  return answer;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  assert.ok(await eventually(condition, 20_000));
}

async function passed(link: LinkFixture, password: string): Promise<string> {
  const answer = await post(link.path, `password=${password}`);
  assert.equal(answer.status, 303);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** The download metrics of the process, by result. */
async function measured(): Promise<Record<string, number>> {
  const results = [...(await linkDownloads.get()).values, ...(await linkPasswords.get()).values];
  const [octets] = (await linkDownloadedBytes.get()).values;
  return {
    ...Object.fromEntries(results.map(({ labels, value }) => [String(labels.result), value])),
    bytes: octets?.value ?? 0,
  };
}

const FILE = '/1/a.txt';

describe('a link', () => {
  test('that is unknown, expired, revoked, used up or truncated gets byte for byte the same response', async () => {
    const over = await world.newLink({ seconds: -1 });
    const revoked = await world.newLink({ isRevoked: true });
    const empty = await world.newLink({ files: [] });
    const usedUp = await world.newLink({ maxDownloads: 1 });
    await bytes(await get(usedUp.path + FILE));
    const locked = await world.newLink({ maxDownloads: 1, password: 'right' });
    await bytes(await get(locked.path + FILE, { cookie: await passed(locked, 'right') }));
    const { token } = await world.newLink();
    const pages = new Set<string>();
    for (const path of [
      ...[over, revoked, empty, usedUp, locked].map((link) => link.path),
      `/s/${newLinkToken()}`,
      `/s/${token.slice(1)}`,
      `/s/${token}A`,
      `/s/${token}/`,
      `/s/${token.toLowerCase().slice(0, -1)}_`,
      '/s/',
      '/s/..%2f..%2fetc%2fpasswd',
      "/s/'%20or%201=1--",
      `/s/%00${token}`,
    ]) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
      pages.add(JSON.stringify(headers) + (await answer.text()));
    }
    assert.equal(pages.size, 1);
    const files = new Set<string>();
    for (const link of [over, revoked, usedUp, locked]) {
      for (const path of [FILE, '/1/b', '/all.zip']) {
        const answer = await get(link.path + path);
        assert.equal(answer.status, 404);
        files.add((await answer.text()).replaceAll(/(?:\.\.\/)+/g, ''));
      }
    }
    assert.equal(files.size, 1);
  });

  test('expires to the second, even for visitors who opened the link earlier', async () => {
    const link = await world.newLink({ maxDownloads: 5 });
    const found = await world.door.find(link.token, '192.0.2.1');
    assert.ok(found !== null);
    const asked = { wanted: 0, start: 1, octets: 1, all: 100, reader: Buffer.from('there') };
    const id = await world.door.begin(found, asked);
    assert.ok(id !== null);
    await sql`update file_links set expires_at = now() where id = ${link.id}`.execute(world.db.database);
    assert.equal(await world.door.find(link.token, '192.0.2.1'), null);
    assert.equal(await world.door.begin(found, asked), null);
    assert.equal(await world.door.resume(found, id, asked), false);
    await world.door.end(found, id, asked, 1);
    assert.equal(await world.door.resumeByOffset(found, asked), null);
  });

  test('with a download limit can be downloaded exactly that often, even by concurrent visitors of two processes', async () => {
    const other = await world.another();
    const link = await world.newLink({ maxDownloads: 3 });
    const bases = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? world.baseUrl : other.baseUrl));
    const answers = await Promise.all(bases.map((base) => get(link.path + FILE, {}, base)));
    const statuses = await Promise.all(answers.map(async (answer) => (await bytes(answer), answer.status)));
    assert.deepEqual(statuses.sort(), [200, 200, 200, 404, 404, 404, 404, 404]);
    assert.equal((await world.counted(link)).downloads, 3);
  });

  test('does not leak to other pages, caches or search engines', async () => {
    const link = await world.newLink({ password: 'right' });
    for (const path of ['', FILE, '/2/b', '/all.zip']) {
      const { headers, status } = await get(link.path + path);
      assert.ok([200, 403].includes(status));
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('x-robots-tag') ?? '', /noindex/);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^sandbox .*default-src 'none'.*frame-ancestors 'none'/,
      );
      assert.equal(headers.get('set-cookie'), null);
    }
  });

  test('cannot be guessed without limit from one network', async () => {
    const limited = await world.another({
      rateLimit: 100,
      trustedProxies: ['127.0.0.1', '::1', '::ffff:127.0.0.1'],
    });
    const link = await world.newLink();
    const from = (address: string) => ({ 'x-forwarded-for': address });
    let refused = 0;
    for (let guess = 0; guess < 120; guess++) {
      const { status } = await get(`/s/${newLinkToken()}`, from('192.0.2.7'), limited.baseUrl);
      assert.ok(status === 404 || status === 429);
      if (status === 429) refused++;
    }
    assert.ok(refused >= 10);
    const right = await get(link.path, from('192.0.2.7'), limited.baseUrl);
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('retry-after')) > 0);
    assert.equal((await get(link.path, from('198.51.100.7'), limited.baseUrl)).status, 200);
  });

  test('returns 405 for other methods, and ignores the Host header', async () => {
    const link = await world.newLink();
    for (const [path, allow] of [
      [link.path, 'GET, HEAD, POST'],
      [link.path + FILE, 'GET, HEAD'],
      [`${link.path}/all.zip`, 'GET, HEAD'],
    ] as const)
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await fetch(world.baseUrl + path, { method });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow]);
      }
    const host = `Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n`;
    assert.doesNotMatch(await raw(`GET ${link.path} HTTP/1.1\r\n${host}\r\n`), /evil/);
    const locked = await world.newLink({ password: 'right' });
    const body = 'password=right';
    const answer = await raw(
      `POST ${locked.path} HTTP/1.1\r\n${host}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(answer, /^HTTP\/1\.1 303 /);
    assert.doesNotMatch(answer, /evil/);
    assert.match(answer, new RegExp(`^location: \\./${locked.token}\\r$`, 'm'));
    assert.equal((await world.counted(link)).downloads, 0);
  });
});

describe('the password of a link', () => {
  test('is required before any information about the files is shown', async () => {
    const link = await world.newLink({ password: 'right', files: [{ name: 'secret-name.txt' }, {}] });
    const { expiresAt, sender } = (await world.door.find(link.token, '192.0.2.1')) ?? assert.fail();
    const shown = new Set<string>();
    for (const path of ['', '/1/secret-name.txt', '/1/other', '/3/x', '/all.zip']) {
      const answer = await get(link.path + path, { range: 'bytes=0-0' });
      assert.equal(answer.status, path === '' ? 200 : 403);
      const text = await answer.text();
      for (const secret of [
        'secret-name',
        sender.address,
        String(expiresAt.getUTCFullYear()),
        'content-range',
      ])
        assert.ok(!text.includes(secret), secret);
      shown.add(text.replaceAll(/(?:\.\.\/)+/g, ''));
    }
    assert.equal(shown.size, 1);
    const head = await fetch(`${world.baseUrl}${link.path}/1/secret-name.txt`, { method: 'HEAD' });
    assert.equal(head.status, 403);
    assert.equal(head.headers.get('content-disposition'), null);
    assert.equal((await world.counted(link)).downloads, 0);
  });

  test('once entered, is remembered only for its link and only until the password changes', async () => {
    const [link, other] = [
      await world.newLink({ password: 'right' }),
      await world.newLink({ password: 'right' }),
    ];
    const answer = await post(link.path, 'password=right');
    const set = answer.headers.get('set-cookie') ?? '';
    assert.match(
      set,
      new RegExp(`^posthorn-link=[\\w.-]+; Max-Age=3600; Path=/s/${link.token}; HttpOnly; SameSite=Lax$`),
    );
    const [cookie = ''] = set.split(';');
    assert.equal((await get(link.path + FILE, { cookie })).status, 200);
    assert.equal((await get(other.path + FILE, { cookie })).status, 403);
    const [, until = '', mac = ''] = /=([^.]+)\.(.+)$/.exec(cookie) ?? [];
    for (const forged of [
      `zzzzzz.${mac}`,
      `${until}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'B' : 'A'}`,
      `${until}.`,
      `${until}.${'A'.repeat(24)}`,
      '',
      '.',
    ])
      assert.equal((await get(link.path + FILE, { cookie: `posthorn-link=${forged}` })).status, 403);
    await sql`update file_links set password_hash = ${'another'} where id = ${link.id}`.execute(
      world.db.database,
    );
    assert.equal((await get(link.path + FILE, { cookie })).status, 403);
  });

  test('is accepted only in a form', async () => {
    const link = await world.newLink({ password: 'right' });
    for (const [body, headers] of [
      ['password=wrong', FORM],
      ['password=', FORM],
      ['', FORM],
      ['password=wrong&password=right', FORM],
      ['{"password":"right"}', { 'content-type': 'application/json' }],
      ['password=right', { 'content-type': 'text/plain' }],
      [`password=${'r'.repeat(5_000)}`, FORM],
    ] as const) {
      const answer = await post(link.path, body, headers);
      assert.equal(answer.status, 403, body.slice(0, 40));
      assert.equal(answer.headers.get('set-cookie'), null);
      assert.match(await answer.text(), /Wrong password/);
    }
    assert.equal((await post(link.path, `password=right&x=${'x'.repeat(20_000)}`)).status, 413);
  });

  test('can be guessed a few times per network and slowly by all networks together, and no network locks out another', async () => {
    const proxied = await world.another({ trustedProxies: ['127.0.0.1', '::1', '::ffff:127.0.0.1'] });
    const link = await world.newLink({ password: 'right' });
    const from = (address: string, password: string) =>
      post(link.path, `password=${password}`, { ...FORM, 'x-forwarded-for': address }, proxied.baseUrl);
    let guesses = 0;
    for (let status = 403; status === 403 && guesses < 30; guesses++)
      ({ status } = await from('192.0.2.1', `guess-${guesses}`));
    assert.equal(guesses, 21);
    const refused = await from('192.0.2.1', 'right');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(refused.headers.get('set-cookie'), null);
    assert.equal((await from('198.51.100.1', 'right')).status, 303);
    // A botnet uses up the rest of the guesses that all networks share.
    const [, total] = linkGuesses(link.id, '', '');
    assert.ok(total !== undefined);
    const botnet = new Guesses(world.db.database);
    let more = 0;
    while ((await botnet.take([total])) === 0) more += 1;
    assert.ok(more >= total.burst - 20 && more <= total.burst);
    const late = await from('203.0.113.1', 'right');
    assert.equal(late.status, 429);
    assert.ok(Number(late.headers.get('retry-after')) <= 60);
    await forgive(world.db.database, [total]);
  });
});

describe('a download', () => {
  test('can be resumed with only its ETag, and then counts as one download', async () => {
    const content = Buffer.from('0123456789'.repeat(20_000));
    const link = await world.newLink({
      password: 'right',
      maxDownloads: 1,
      files: [{ content }, { content }],
    });
    const before = await measured();
    const cookie = await passed(link, 'right');
    const first = await get(link.path + FILE, { cookie, range: 'bytes=0-99' });
    assert.equal(first.status, 206);
    assert.equal(first.headers.get('content-range'), `bytes 0-99/${content.length}`);
    assert.deepEqual(await bytes(first), content.subarray(0, 100));
    const etag = first.headers.get('etag') ?? '';
    // Resume without the cookie: by now, the cookie that proves that the password was entered may have expired.
    const rest = await get(link.path + FILE, { range: 'bytes=100-', 'if-range': etag });
    assert.equal(rest.status, 206);
    assert.deepEqual(await bytes(rest), content.subarray(100));
    await until(async () => (await world.counted(link)).octets === content.length);
    const { downloads, rows } = await world.counted(link);
    assert.deepEqual([downloads, rows], [1, [{ octets: content.length, what: 'file' }]]);
    const now = await measured();
    const counted = { begun: 1, gone_on: 1, nowhere: 0, refused: 0, right: 1, wrong: 0, try_later: 0 };
    for (const [result, times] of Object.entries({ ...counted, bytes: content.length }))
      assert.equal((now[result] ?? 0) - (before[result] ?? 0), times, result);
    // A replay gets only the bytes that the download may still send, so no other visitor gets a second copy.
    const twice = await get(link.path + FILE, { range: 'bytes=1-', 'if-range': etag });
    assert.equal((await bytes(twice)).length, content.length - 1);
    assert.equal((await get(link.path + FILE, { range: 'bytes=1-', 'if-range': etag })).status, 404);
    for (const [path, headers] of [
      [FILE, {}],
      [FILE, { cookie }],
      [FILE, { cookie, range: 'bytes=100-' }],
      [FILE, { cookie, 'if-range': etag }],
      [FILE, { cookie, range: 'bytes=0-0', 'if-range': `W/${etag}` }],
      [
        FILE,
        { cookie, range: 'bytes=0-0', 'if-range': `${etag.slice(0, -2)}${etag.at(-2) === 'A' ? 'B' : 'A'}"` },
      ],
      [FILE, { cookie, range: 'bytes=0-0,2-2', 'if-range': etag }],
      ['/2/a (2).txt', { cookie, range: 'bytes=0-0', 'if-range': etag }],
      ['/all.zip', { cookie, range: 'bytes=0-0', 'if-range': etag }],
    ] as const)
      assert.equal((await get(link.path + path, headers)).status, 404, JSON.stringify([path, headers]));
    assert.equal((await world.counted(link)).downloads, 1);
  });

  test('can be resumed without its ticket from the same network at the same offset, one request at a time, within an hour', async () => {
    const proxied = await world.another({ trustedProxies: ['127.0.0.1', '::1', '::ffff:127.0.0.1'] });
    const content = Buffer.alloc(40_000_000, 3);
    const link = await world.newLink({ maxDownloads: 1, files: [{ content }, { content }] });
    const from = (address: string, start: number, path = FILE) =>
      get(
        link.path + path,
        { 'x-forwarded-for': address, ...(start > 0 && { range: `bytes=${start}-` }) },
        proxied.baseUrl,
      );
    const broken = async (answer: Response): Promise<number> => {
      await answer.body?.cancel();
      let at = 0;
      await until(async () => {
        const { rows } = await sql<{ reached: number | null; isLeft: boolean }>`
          select reached::int, left_at is not null as is_left from link_downloads where link_id = ${link.id}`.execute(
          world.db.database,
        );
        at = rows[0]?.reached ?? 0;
        return rows[0]?.isLeft === true;
      });
      return at;
    };
    const at = await broken(await from('192.0.2.1', 0));
    assert.ok(at > 0 && at < content.length);
    // Rejected: another network, another file, an offset that was not reached, the start of the file, and HEAD.
    assert.equal((await from('192.0.2.2', at)).status, 404);
    assert.equal((await from('192.0.2.1', at, '/2/a (2).txt')).status, 404);
    assert.equal((await from('192.0.2.1', at + 1)).status, 404);
    assert.equal((await from('192.0.2.1', 0)).status, 404);
    const head = await fetch(proxied.baseUrl + link.path + FILE, {
      method: 'HEAD',
      headers: { 'x-forwarded-for': '192.0.2.1', range: `bytes=${at}-` },
    });
    assert.equal(head.status, 404);
    // Of several concurrent requests to resume, only one succeeds.
    const many = await Promise.all(Array.from({ length: 4 }, () => from('192.0.2.1', at)));
    assert.deepEqual(many.map(({ status }) => status).sort(), [206, 404, 404, 404]);
    for (const answer of many) await answer.body?.cancel();
    await until(async () => {
      const again = await from('192.0.2.1', at);
      if (again.status === 206) assert.equal((await bytes(again)).length, content.length - at);
      return again.status === 206;
    });
    assert.equal((await world.counted(link)).downloads, 1);
    // A download that is resumed without a ticket also sends at most twice the bytes of the file.
    await until(async () => (await from('192.0.2.1', content.length - 1)).status === 206);
    await sql`update link_downloads set octets = ${2 * content.length}, left_at = now() where link_id = ${link.id}`.execute(
      world.db.database,
    );
    assert.equal((await from('192.0.2.1', content.length - 1)).status, 404);
    await sql`update link_downloads set octets = 0, left_at = now() - interval '61 minutes' where link_id = ${link.id}`.execute(
      world.db.database,
    );
    assert.equal((await from('192.0.2.1', content.length - 1)).status, 404);
  });

  test('with concurrent replays of a ticket sends no more bytes than with sequential replays', async () => {
    const content = Buffer.alloc(50_000, 1);
    const link = await world.newLink({ maxDownloads: 1, files: [{ content }] });
    const first = await get(link.path + FILE, { range: 'bytes=0-0' });
    await bytes(first);
    const headers = { range: 'bytes=1-', 'if-range': first.headers.get('etag') ?? '' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => get(link.path + FILE, headers)));
    const lengths = await Promise.all(
      answers.map(async (answer) => (answer.status === 206 ? (await bytes(answer)).length : 0)),
    );
    assert.ok(lengths.reduce((sum, length) => sum + length, 0) < 2 * content.length);
  });

  test('can no longer be resumed after a day, or after its link has ended', async () => {
    for (const end of [
      (id: string) => sql`update link_downloads set at = now() - interval '25 hours' where link_id = ${id}`,
      (id: string) => sql`update file_links set revoked_at = now() where id = ${id}`,
      (id: string) => sql`update file_links set expires_at = now() where id = ${id}`,
    ]) {
      const link = await world.newLink({ maxDownloads: 1 });
      const first = await get(link.path + FILE, { range: 'bytes=0-0' });
      await bytes(first);
      await end(link.id).execute(world.db.database);
      const headers = { range: 'bytes=1-', 'if-range': first.headers.get('etag') ?? '' };
      assert.equal((await get(link.path + FILE, headers)).status, 404);
    }
  });

  test('is not counted for HEAD, unsatisfiable ranges and missing files', async () => {
    const link = await world.newLink({ files: [{ content: Buffer.from('ten bytes.') }] });
    const head = await fetch(world.baseUrl + link.path + FILE, {
      method: 'HEAD',
      headers: { range: 'bytes=1-2' },
    });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), '10');
    assert.equal(head.headers.get('accept-ranges'), 'bytes');
    assert.match(head.headers.get('etag') ?? '', /^"[\w-]{22}"$/);
    for (const range of ['bytes=10-', 'bytes=-0', 'bytes=99999-']) {
      const answer = await get(link.path + FILE, { range });
      assert.deepEqual([answer.status, answer.headers.get('content-range')], [416, 'bytes */10']);
    }
    for (const path of [
      '/1/b.txt',
      '/2/a.txt',
      '/0/a.txt',
      '/01/a.txt',
      '/1/..%2fa.txt',
      '/-1/a.txt',
      '/1/A.TXT',
      '/all.zip',
      '/1',
      '/1/',
    ])
      assert.equal((await get(link.path + path)).status, 404, path);
    assert.equal((await world.counted(link)).downloads, 0);
    const several = await get(link.path + FILE, { range: 'bytes=0-0,2-2,4-4' });
    assert.deepEqual([several.status, String(await bytes(several))], [200, 'ten bytes.']);
  });

  test('is rejected with 429 if its network already has eight downloads, until one disconnects', async () => {
    const link = await world.newLink();
    const gate = Promise.withResolvers<void>();
    world.hold = gate.promise;
    const readers = await Promise.all(Array.from({ length: 8 }, () => get(link.path + FILE)));
    try {
      const refused = await get(link.path + FILE);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('content-type'), 'text/html; charset=utf-8');
      await readers.pop()?.body?.cancel();
      await until(async () => {
        const answer = await get(link.path + FILE);
        if (answer.status !== 200) return false;
        readers.push(answer);
        return true;
      });
      assert.equal((await world.counted(link)).downloads, 9);
    } finally {
      gate.resolve();
      world.hold = null;
      for (const reader of readers) await reader.body?.cancel();
    }
  });

  test('is aborted if the file is shorter than its recorded length', async () => {
    const link = await world.newLink({ files: [{ content: Buffer.from('short'), octets: 100 }] });
    await assert.rejects(async () => bytes(await get(link.path + FILE)));
  });

  test('is counted with the bytes sent if the client disconnects', async () => {
    const link = await world.newLink({ files: [{ content: Buffer.alloc(40_000_000) }] });
    const socket = connect(Number(new URL(world.baseUrl).port), 'localhost');
    socket.write(`GET ${link.path}${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    await until(async () => {
      const { downloads, octets, rows } = await world.counted(link);
      return downloads === 1 && octets > 0 && octets < 40_000_000 && rows[0]?.octets === octets;
    });
  });
});
