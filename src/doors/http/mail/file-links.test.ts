/** Tests large files that are sent as links. The files are uploaded by the web client or by any tus client. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { sql } from 'kysely';
import type { FileLink, FileLinkDetail, FileLinkList } from '../../../contract/mail/file-links.ts';
import { FairReads } from '../../../db/fair-reads.ts';
import { LinkFiles } from '../../../file-links/link-files.ts';
import { LinkDoor } from '../../../file-links/open/link-door.ts';
import { listProjectLinks } from '../../../file-links/project-links.ts';
import { decodeId, encodeId, newUuid } from '../../../model/ids.ts';
import { PLAN_LIMITS } from '../../../model/plans.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';

const MIB = 1024 * 1024;
const MIN = 256 * 1024;

let mail: TestMailClient;
let ann: TestOwner;
let bob: TestOwner;
before(async () => {
  mail = await startMailClient();
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
});
after(() => mail[Symbol.asyncDispose]());

const TUS = { 'tus-resumable': '1.0.0' };

function headersOf(owner: TestOwner): Record<string, string> {
  return {
    cookie: mailCookie(owner),
    'x-csrf-token': csrfTokenOf(owner.token),
    origin: mail.baseUrl,
    ...TUS,
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Announces an upload. @returns the URL to which the bytes are sent */
async function announced(octets: number, name = 'film.mp4', owner = ann): Promise<string> {
  const answer = await owner.request('POST', '/file-links/uploads', {
    headers: {
      ...TUS,
      'upload-length': String(octets),
      'upload-metadata': `name ${base64(name)},type ${base64('video/mp4')}`,
    },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('location') ?? '';
}

async function send(
  location: string,
  offset: number,
  body: Buffer | ReadableStream,
  headers: Record<string, string> = {},
  owner = ann,
): Promise<Response> {
  return fetch(mail.baseUrl + location, {
    method: 'PATCH',
    headers: {
      ...headersOf(owner),
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...headers,
    },
    body,
    duplex: 'half',
  });
}

async function offsetOf(location: string, owner = ann): Promise<number> {
  const answer = await fetch(mail.baseUrl + location, { method: 'HEAD', headers: headersOf(owner) });
  assert.equal(answer.status, 200);
  return Number(answer.headers.get('upload-offset'));
}

const idOf = (location: string) => location.split('/').at(-1) ?? '';

async function readBack(location: string, start = 0, end = Number.MAX_SAFE_INTEGER): Promise<Buffer> {
  const { database, objects } = mail.mail;
  const pieces: Buffer[] = [];
  const file = { projectId: ann.projectId, id: decodeId('fil', idOf(location)) ?? '' };
  for await (const piece of new LinkFiles(database, objects).read(file, { start, end })) pieces.push(piece);
  assert.ok(pieces.every((piece) => piece.length <= MIN));
  return Buffer.concat(pieces);
}

async function refused(answer: Response, status: number, slug: string): Promise<void> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  assert.equal((JSON.parse(text) as { type: string }).type, `/errors/${slug}`);
}

suite('uploads of large files', () => {
  test('a file can be sent in parts and read back in ranges', async () => {
    const bytes = randomBytes(20 * MIB + 7);
    const location = await announced(bytes.length);
    assert.equal(
      (await send(location, 0, bytes.subarray(0, 9 * MIB))).headers.get('upload-offset'),
      String(9 * MIB),
    );
    assert.equal(await offsetOf(location), 9 * MIB);
    assert.equal((await send(location, 9 * MIB, bytes.subarray(9 * MIB))).status, 204);
    assert.equal(await offsetOf(location), bytes.length);
    assert.ok((await readBack(location)).equals(bytes));
    assert.ok(
      (await readBack(location, 8 * MIB - 3, 17 * MIB + 5)).equals(bytes.subarray(8 * MIB - 3, 17 * MIB + 5)),
    );
    const row = await mail.db.database
      .selectFrom('linkFiles')
      .select(['crc32', 'wholeAt'])
      .where('id', '=', decodeId('fil', idOf(location)))
      .executeTakeFirstOrThrow();
    assert.deepEqual([Number(row.crc32), row.wholeAt === null], [crc32(bytes), false]);
  });

  test('OPTIONS announces the supported extensions', async () => {
    const { headers, status } = await ann.request('OPTIONS', '/file-links/uploads', { headers: TUS });
    assert.equal(status, 204);
    assert.equal(headers.get('tus-extension'), 'creation,termination,checksum,expiration');
    assert.equal(headers.get('tus-checksum-algorithm'), 'sha1,sha256');
    assert.equal(headers.get('tus-max-size'), String(PLAN_LIMITS.paid.largeFileShareBytes));
    assert.equal(headers.get('access-control-allow-origin'), null);
    const named = await ann.request('POST', '/file-links/uploads', {
      headers: { ...TUS, 'upload-length': '1', 'upload-metadata': `filename ${base64('holiday.jpg')}` },
    });
    const { rows } = await sql<{ name: string }>`
      select name from link_files where id = ${decodeId('fil', idOf(named.headers.get('location') ?? ''))}`.execute(
      mail.db.database,
    );
    assert.equal(rows[0]?.name, 'holiday.jpg');
  });

  test('another tus version, a deferred length, bytes in the announcement and invalid headers are rejected', async () => {
    const post = (headers: Record<string, string>, body?: string) =>
      fetch(`${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/file-links/uploads`, {
        method: 'POST',
        headers: { ...headersOf(ann), ...headers },
        ...(body === undefined ? {} : { body }),
      });
    await refused(await post({ 'tus-resumable': '0.2.2', 'upload-length': '5' }), 412, 'tus-version');
    for (const headers of [
      { 'upload-defer-length': '1' },
      { 'upload-length': '-1' },
      { 'upload-length': '1e3' },
      { 'upload-length': '99999999999999999999' },
      { 'upload-length': '5', 'upload-metadata': '__proto__ eA==' },
      { 'upload-length': '5', 'upload-metadata': 'name ***' },
      { 'upload-length': '5', 'upload-concat': 'partial' },
      {},
    ])
      await refused(await post(headers), 400, 'bad-request');
    await refused(await post({ 'upload-length': '5' }, 'hello'), 400, 'bad-request');
  });

  test('X-HTTP-Method-Override applies to POST requests only', async () => {
    const location = await announced(6);
    const post = (headers: Record<string, string>, body?: string) =>
      fetch(mail.baseUrl + location, {
        method: 'POST',
        headers: { ...headersOf(ann), ...headers },
        ...(body === undefined ? {} : { body }),
      });
    const bytes = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    const sent = await post({ ...bytes, 'x-http-method-override': 'PATCH' }, 'abcdef');
    assert.deepEqual([sent.status, sent.headers.get('upload-offset')], [204, '6']);
    assert.equal((await readBack(location)).toString(), 'abcdef');
    assert.equal((await post({ 'x-http-method-override': 'HEAD' })).headers.get('upload-offset'), '6');
    for (const headers of [{}, { 'x-http-method-override': 'PUT' }]) {
      const answer = await post(headers);
      assert.equal(answer.headers.get('allow'), 'HEAD, PATCH, DELETE');
      await refused(answer, 405, 'method-not-allowed');
    }
    await refused(
      await post({ 'x-http-method-override': 'DELETE', 'x-csrf-token': '' }),
      403,
      'request-forged',
    );
    // Attack: another site sends a HEAD request, which needs no CSRF token, with an override to a method that changes something.
    const head = await fetch(mail.baseUrl + location, {
      method: 'HEAD',
      headers: { ...headersOf(ann), 'x-http-method-override': 'DELETE' },
    });
    assert.equal(head.headers.get('upload-offset'), '6');
    assert.equal((await post({ 'x-http-method-override': 'DELETE' })).status, 204);
    assert.equal((await post({ 'x-http-method-override': 'HEAD' })).status, 404);
  });

  test('bytes sent with another media type return 415 and are not stored', async () => {
    const location = await announced(6);
    for (const type of ['application/octet-stream', 'application/json', 'text/plain'])
      await refused(
        await send(location, 0, Buffer.from('abcdef'), { 'content-type': type }),
        415,
        'tus-media-type',
      );
    assert.equal(await offsetOf(location), 0);
    const type = { 'content-type': 'Application/Offset+Octet-Stream' };
    assert.equal((await send(location, 0, Buffer.from('abcdef'), type)).status, 204);
  });

  test('HEAD returns a checksum of the received bytes, so that a client can verify the file before it resumes', async () => {
    const bytes = randomBytes(2 * MIB);
    const location = await announced(bytes.length);
    const told = async () =>
      (await fetch(mail.baseUrl + location, { method: 'HEAD', headers: headersOf(ann) })).headers.get(
        'posthorn-received-crc32',
      );
    assert.equal(await told(), '00000000');
    for (const end of [MIB, 2 * MIB]) {
      await send(location, end - MIB, bytes.subarray(end - MIB, end));
      assert.equal(await told(), crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0'));
    }
  });

  test('bytes at the wrong offset return 409, and the response contains the right offset', async () => {
    const location = await announced(2 * MIB);
    await send(location, 0, randomBytes(MIB));
    for (const offset of [0, MIB - 1, 2 * MIB]) {
      const answer = await send(location, offset, randomBytes(MIN));
      assert.equal(answer.headers.get('upload-offset'), String(MIB));
      await refused(answer, 409, 'upload-conflict');
    }
  });

  test('sending more bytes than announced returns 413, with or without a Content-Length', async () => {
    const location = await announced(MIB);
    await refused(await send(location, 0, randomBytes(MIB + 1)), 413, 'payload-too-large');
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(randomBytes(MIN));
      },
    });
    await refused(await send(location, 0, stream), 413, 'payload-too-large');
    assert.ok((await offsetOf(location)) <= MIB);
  });

  test('a small file can be sent in several requests, each below the usual minimum size of a stored part', async () => {
    const small = await announced(10, 'note.txt');
    assert.equal((await send(small, 0, Buffer.from('01234'))).status, 204);
    assert.equal((await send(small, 5, Buffer.from('56789'))).status, 204);
    assert.equal((await readBack(small)).toString(), '0123456789');
  });

  test('a body in chunks of one byte is stored correctly', async () => {
    const bytes = randomBytes(MIN + 3);
    const location = await announced(bytes.length);
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(mail.baseUrl + location, {
        method: 'PATCH',
        headers: {
          ...headersOf(ann),
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
        },
      });
      request.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject);
      for (const byte of bytes.subarray(0, 3_000)) request.write(Buffer.of(byte));
      request.end(bytes.subarray(3_000));
    });
    assert.equal(status, 204);
    assert.ok((await readBack(location)).equals(bytes));
  });

  test('a request with a checksum is stored completely or not at all', async () => {
    const bytes = randomBytes(9 * MIB);
    const location = await announced(bytes.length);
    const digest = createHash('sha256').update(bytes).digest('base64');
    await refused(
      await send(location, 0, randomBytes(9 * MIB), { 'upload-checksum': `sha256 ${digest}` }),
      460,
      'checksum-mismatch',
    );
    assert.equal(await offsetOf(location), 0);
    await refused(await send(location, 0, bytes, { 'upload-checksum': 'md5 eA==' }), 400, 'bad-request');
    assert.equal((await send(location, 0, bytes, { 'upload-checksum': `sha256 ${digest}` })).status, 204);
    assert.ok((await readBack(location)).equals(bytes));
  });

  test('only one of several concurrent requests for the same offset succeeds, and the file is correct', async () => {
    const bytes = randomBytes(3 * MIB);
    const location = await announced(bytes.length);
    const answers = await Promise.all([
      send(location, 0, bytes),
      send(location, 0, bytes),
      send(location, 0, bytes),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409, 409]);
    assert.ok((await readBack(location)).equals(bytes));
  });

  test('after a broken connection, only the bytes of an incomplete part are lost', async () => {
    const bytes = randomBytes(9 * MIB);
    const location = await announced(bytes.length);
    await new Promise<void>((resolve) => {
      const request = httpRequest(mail.baseUrl + location, {
        method: 'PATCH',
        headers: {
          ...headersOf(ann),
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
          'content-length': String(bytes.length),
        },
      });
      request.on('error', () => resolve());
      request.write(bytes.subarray(0, 8 * MIB + MIN), () =>
        request.destroy(new Error('the connection broke')),
      );
    });
    // The process notices the disconnect only a moment later.
    let offset = await offsetOf(location);
    for (const until = Date.now() + 10_000; offset === 0 && Date.now() < until; )
      offset = await offsetOf(location);
    assert.ok(offset > 0);
    for (let status = 409; status === 409; ) {
      offset = await offsetOf(location);
      ({ status } = await send(location, offset, bytes.subarray(offset)));
    }
    assert.ok((await readBack(location)).equals(bytes));
  });

  test('a file of another mailbox is reported as unknown by every operation', async () => {
    const location = await announced(MIB);
    const foreign = location.replace(ann.mailbox, bob.mailbox);
    for (const method of ['HEAD', 'DELETE'])
      assert.equal((await fetch(mail.baseUrl + foreign, { method, headers: headersOf(bob) })).status, 404);
    await refused(await send(foreign, 0, randomBytes(MIB), {}, bob), 404, 'not-found');
    const made = await bob.post('/file-links', { files: [idOf(location)] });
    assert.equal(made.status, 422);
    assert.equal(await offsetOf(location), 0);
  });

  test('an upload can be deleted', async () => {
    const location = await announced(MIB);
    await send(location, 0, randomBytes(MIN));
    assert.equal(
      (await fetch(mail.baseUrl + location, { method: 'DELETE', headers: headersOf(ann) })).status,
      204,
    );
    assert.equal(
      (await fetch(mail.baseUrl + location, { method: 'HEAD', headers: headersOf(ann) })).status,
      404,
    );
  });
});

suite('file links', () => {
  async function link(body: object = {}, owner = ann): Promise<FileLink> {
    const location = await announced(10, 'a/b\u202Etxt.exe', owner);
    await send(location, 0, Buffer.from('0123456789'), {}, owner);
    const {
      status,
      body: made,
      text,
    } = await owner.post<FileLink>('/file-links', { files: [idOf(location)], ...body });
    assert.equal(status, 201, text);
    return made;
  }

  test('a link can be created, shown, changed and revoked', async () => {
    const made = await link({ password: 'open sesame', max_downloads: 3 });
    assert.match(made.url, /\/s\/[\w-]{22}$/);
    assert.deepEqual([made.state, made.has_password, made.files[0]?.name], ['open', true, 'a_b_txt.exe']);
    const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000;
    assert.equal(Math.round(days), 14);
    const path = `/file-links/${made.id}`;
    const changed = await ann.patch<FileLink>(path, { password: null, max_downloads: null });
    assert.deepEqual([changed.body.has_password, changed.body.max_downloads], [false, null]);
    const late = new Date(Date.parse(made.created_at) + 91 * 86_400_000).toISOString();
    assert.equal((await ann.patch(path, { expires_at: late })).status, 422);
    assert.equal((await bob.get(path)).status, 404);
    assert.equal((await bob.delete(path)).status, 404);
    assert.equal((await ann.delete(path)).status, 204);
    assert.equal((await ann.delete(path)).status, 204);
    const { body: detail } = await ann.get<FileLinkDetail>(path);
    assert.deepEqual([detail.state, detail.recent], ['revoked', []]);
    assert.equal((await ann.patch(path, { password: 'x' })).status, 422);
    assert.equal((await ann.delete(`/file-links/${encodeId('lnk', newUuid())}`)).status, 404);
  });

  test('a link shows that its files are still being uploaded, and a file can belong to only one link', async () => {
    const location = await announced(MIB);
    const body = { files: [idOf(location)], draft: 'a-composer-that-writes' };
    const { body: made } = await ann.post<FileLink>('/file-links', body);
    assert.deepEqual([made.state, made.is_for_draft], ['uploading', true]);
    assert.equal((await ann.post('/file-links', body)).status, 422);
    await send(location, 0, randomBytes(MIB));
    assert.equal((await ann.get<FileLinkDetail>(`/file-links/${made.id}`)).body.state, 'open');
  });

  test('the time of the last download is shown with the link to its owner, and in the list of all links of the project', async () => {
    const made = await link();
    const told = async () => {
      const { database } = mail.db;
      const { data } = await listProjectLinks(database, ann.projectId, null);
      const { last_download_at: own, recent } = (await ann.get<FileLinkDetail>(`/file-links/${made.id}`))
        .body;
      return { own, of: data.find(({ id }) => id === made.id)?.last_download_at, recent };
    };
    assert.deepEqual(await told(), { own: null, of: null, recent: [] });
    const { database } = mail.db;
    await using door = new LinkDoor({ database, reads: new FairReads(database, 1) });
    const opened = (await door.find(made.url.split('/').at(-1) ?? '', '192.0.2.1')) ?? assert.fail();
    for (const octets of [3, 10])
      await door.begin(opened, { wanted: 0, start: 0, octets, all: 10, reader: Buffer.alloc(8) });
    const { own, of, recent } = await told();
    assert.deepEqual(
      recent.map(({ octets }) => octets),
      [10, 3],
    );
    assert.deepEqual([own, of], [recent[0]?.at, recent[0]?.at]);
  });

  test('the plan free allows 1 GB of live files, and the error for one more byte names files to delete', async () => {
    const eve = await mail.newOwner('eve');
    const plan = (to: 'free' | 'paid') =>
      mail.db.database.updateTable('projects').set({ plan: to }).where('id', '=', eve.projectId).execute();
    await plan('free');
    const { live_octets: others } = (await eve.get<FileLinkList>('/file-links')).body;
    const location = await announced(1024 * MIB - others, 'holiday.mov', eve);
    const { body: made } = await eve.post<FileLink>('/file-links', { files: [idOf(location)] });
    const { body: full } = await eve.get<FileLinkList>('/file-links');
    assert.deepEqual([full.live_octets, full.allowance_octets], [1024 * MIB, 1024 * MIB]);
    const next = await eve.request<{ type: string; errors: { file: string } }>(
      'POST',
      '/file-links/uploads',
      { headers: { ...TUS, 'upload-length': '1', 'upload-metadata': `name ${base64('one')}` } },
    );
    assert.deepEqual([next.status, next.body.type], [422, '/errors/plan-limit-exceeded']);
    assert.match(
      next.body.errors.file,
      /^The file is 1 byte\. Only 0 bytes of the .* are free\. Revoke links .*“holiday\.mov” \(\d+ MB\)\.$/,
    );
    await eve.delete(`/file-links/${made.id}`);
    await announced(1, 'one', eve);
    await plan('paid');
  });

  test('the live files of concurrent uploads stay within the plan, and revoking a link frees the bytes of its files', async () => {
    const carl = await mail.newOwner('carl');
    const allowed = PLAN_LIMITS.paid.largeFileShareBytes;
    const { body: before } = await carl.get<FileLinkList>('/file-links');
    assert.equal(before.allowance_octets, allowed);
    const half = Math.floor((allowed - before.live_octets) / 2) + 1;
    const post = () =>
      carl.request<{ type: string; errors: { file: string } }>('POST', '/file-links/uploads', {
        headers: {
          ...TUS,
          'upload-length': String(half),
          'upload-metadata': `name ${base64('holiday.zip')}`,
        },
      });
    const answers = await Promise.all([post(), post(), post()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422]);
    const loose = (await post()).body;
    assert.equal(loose.type, '/errors/plan-limit-exceeded');
    assert.match(loose.errors.file, /Unfinished uploads/);
    const location = answers.find(({ status }) => status === 201)?.headers.get('location') ?? '';
    const { body: made } = await carl.post<FileLink>('/file-links', { files: [idOf(location)] });
    assert.match((await post()).body.errors.file, /holiday\.zip/);
    assert.equal((await carl.delete(`/file-links/${made.id}`)).status, 204);
    assert.equal((await carl.get<FileLinkList>('/file-links')).body.live_octets, before.live_octets);
    assert.equal((await post()).status, 201);
  });

  test('links are listed page by page', async () => {
    const dora = await mail.newOwner('dora');
    const { sealer } = mail;
    assert.notEqual(sealer, undefined);
    const location = await announced(10, 'one.txt', dora);
    await dora.post('/file-links', { files: [idOf(location)] });
    const { body } = await dora.get<FileLinkList>('/file-links');
    assert.deepEqual([body.data.length, body.next], [1, null]);
    const older = await dora.get<FileLinkList>(`/file-links?cursor=${body.data[0]?.id}`);
    assert.deepEqual(older.body.data, []);
    assert.equal((await dora.get('/file-links?cursor=nonsense')).status, 422);
  });
});
