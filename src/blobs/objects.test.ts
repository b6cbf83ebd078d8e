import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { testObjects } from '../../test/support/object-behaviors.ts';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { newUuid } from '../model/ids.ts';
import { ObjectBucket } from './object-bucket.ts';
import { ObjectFiles } from './object-files.ts';
import { TIMINGS } from './timings.ts';

describe('an object folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-objects-'));
  const files = new ObjectFiles(join(folder, 'blobs'));
  after(() => rmSync(folder, { recursive: true }));
  testObjects(() => files);

  test('makes objects readable only for their owner, and does not list files that are not objects', async () => {
    const name = { projectId: newUuid(), id: newUuid() };
    await files.put(name, Buffer.from('x'));
    const shard = join(folder, 'blobs', name.projectId, name.id.slice(-2));
    assert.equal(statSync(shard).mode & 0o777, 0o700);
    assert.equal(statSync(join(shard, name.id)).mode & 0o777, 0o600);
    writeFileSync(join(shard, 'notes.txt'), '');
    writeFileSync(join(folder, 'blobs', 'README'), '');
    writeFileSync(join(folder, 'blobs', newUuid()), '');
    mkdirSync(join(folder, 'blobs', 'lost+found'));
    const listed: string[] = [];
    for await (const { projectId, id } of files.list()) if (projectId === name.projectId) listed.push(id);
    assert.deepEqual(listed, [name.id]);
  });

  test('never overwrites an object, and rejects paths as names', async () => {
    const name = { projectId: newUuid(), id: newUuid() };
    await files.put(name, Buffer.from('first'));
    await assert.rejects(files.put(name, Buffer.from('second')), /EEXIST/);
    assert.equal((await files.get(name))?.toString(), 'first');
    await assert.rejects(files.get({ projectId: '..', id: name.id }), TypeError);
  });

  test('reports an error if it cannot be created', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const there = new ObjectFiles(join(folder, 'a-file', 'blobs'));
    await assert.rejects(there.put({ projectId: newUuid(), id: newUuid() }, Buffer.from('x')), /ENOTDIR/);
  });
});

describe('a bucket of an S3 server', () => {
  let server: S3Server;
  let bucket: ObjectBucket;
  before(async () => {
    server = await startS3Server();
    bucket = new ObjectBucket(server.bucket);
  });
  after(async () => {
    await bucket[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  testObjects(() => bucket);

  test('rejects a wrong secret and a missing bucket, and the error contains no secret', async () => {
    const name = { projectId: newUuid(), id: newUuid() };
    for (const [wrong, says] of [
      [{ secretAccessKey: 'not-the-secret' }, /answered 403 SignatureDoesNotMatch/],
      [{ bucket: 'nowhere' }, /bucket nowhere cannot be used: it answered 404 NoSuchBucket/],
    ] as const) {
      await using other = new ObjectBucket({ ...server.bucket, ...wrong });
      await assert.rejects(other.put(name, Buffer.from('x')), (error: Error) => {
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /not-the-secret|S3RVER/);
        return true;
      });
    }
  });
});

describe('a bucket of a faulty server', () => {
  type Respond = (response: ServerResponse, request: IncomingMessage) => void;
  let responses: Respond[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.once('end', () =>
      (responses.shift() ?? ((last) => last.writeHead(500).end()))(response, request),
    );
  });
  let bucket: ObjectBucket;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    bucket = new ObjectBucket(
      {
        origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        bucket: 'mail',
        region: 'us-east-1',
        accessKeyId: 'key',
        secretAccessKey: 'secret',
      },
      { ...TIMINGS, requestMs: 300, retryMs: 1 },
    );
  });
  after(async () => {
    await bucket[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });

  const ok: Respond = (response) => response.writeHead(200).end('whole');
  const silence: Respond = () => {};
  const closeConnection: Respond = (response) => response.socket?.destroy();
  const status =
    (code: number, body = ''): Respond =>
    (response) =>
      response.writeHead(code).end(body);
  const closeHalfway: Respond = (response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('part');
    setImmediate(() => response.socket?.destroy());
  };
  const CASES: [fault: string, responses: Respond[], gets: string | null | RegExp, tries: number][] = [
    ['a server error, then a response', [status(503, '<Code>SlowDown</Code>'), ok], 'whole', 2],
    ['a closed connection, then a response', [closeConnection, ok], 'whole', 2],
    ['half a response, then a whole one', [closeHalfway, ok], 'whole', 2],
    ['silence, then a response', [silence, ok], 'whole', 2],
    ['only errors', [status(500), status(502), status(503)], /answered 503/, 3],
    ['only silence', [silence, silence, silence], /no response within 300 ms/, 3],
    [
      'denied access',
      [status(403, '<Error><Code>AccessDenied</Code></Error>')],
      /answered 403 AccessDenied/,
      1,
    ],
    ['a redirect, which is not followed', [status(307)], /answered 307/, 1],
    ['a missing object', [status(404)], null, 1],
    ['a response without a range', [status(200, '0123456789')], '0123456789', 1],
  ];
  for (const [fault, scripted, gets, tries] of CASES)
    test(`makes ${tries === 1 ? 'one attempt' : `${tries} attempts`} after ${fault}`, async () => {
      responses = [...scripted];
      requests = 0;
      const got = bucket.get({ projectId: newUuid(), id: newUuid() });
      if (gets instanceof RegExp) await assert.rejects(got, gets);
      else assert.equal((await got)?.toString() ?? null, gets);
      assert.equal(requests, tries);
    });

  test('returns the requested range even if the server ignores the range', async () => {
    responses = [status(200, '0123456789')];
    const part = await bucket.get({ projectId: newUuid(), id: newUuid() }, { start: 2, end: 4 });
    assert.equal(part?.toString(), '23');
  });

  test('decodes the continuation token of a list before it requests the next page', async () => {
    const [project, one, two] = [newUuid(), newUuid(), newUuid()];
    const urls: string[] = [];
    const page =
      (key: string, next: string): Respond =>
      (response, request) => {
        urls.push(request.url ?? '');
        response.end(
          `<ListBucketResult><Contents><Key>${project}/${key}</Key></Contents><Contents><Key>foreign/a&amp;b</Key></Contents>${next}</ListBucketResult>`,
        );
      };
    responses = [
      page(
        one,
        '<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=&#x2F;</NextContinuationToken>',
      ),
      page(two, '<IsTruncated>false</IsTruncated>'),
    ];
    const ids: string[] = [];
    for await (const { id } of bucket.list()) ids.push(id);
    assert.deepEqual(ids, [one, two]);
    assert.match(urls[1] ?? '', /continuation-token=a%26b%3D%2F&/);
    const endless = page(one, '<IsTruncated>true</IsTruncated>');
    responses = [endless];
    await assert.rejects(async () => {
      for await (const { id } of bucket.list()) ids.push(id);
    }, /no valid continuation token/);
  });
});
