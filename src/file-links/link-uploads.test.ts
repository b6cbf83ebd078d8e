import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import { newUuid } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { announceFile } from './announce-file.ts';
import { Checksum } from './checksums.ts';
import { PART_BYTES, WRITES_AT_ONCE } from './limits.ts';
import { LinkFiles } from './link-files.ts';
import { LinkUploads } from './link-uploads.ts';
import type { PartCollector } from './part-collector.ts';
import { consumeChunks } from './sent-chunks.ts';

const MIB = 1024 * 1024;
const PIECE = 64 * 1024;

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

/** An object store in memory. */
function heap(): Pick<ObjectStore, 'get' | 'put' | 'delete'> & { all: Map<string, Buffer> } {
  const all = new Map<string, Buffer>();
  return {
    all,
    async put({ id }, bytes) {
      all.set(id, Buffer.from(bytes));
    },
    get: async ({ id }, range) => all.get(id)?.subarray(range?.start, range?.end) ?? null,
    async delete({ id }) {
      all.delete(id);
    },
  };
}

async function fileOf(mailbox: MailboxKey, octets: number) {
  return { ...mailbox, id: await announceFile(db.database, mailbox, { name: 'a.bin', type: '', octets }) };
}

function stream(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Readable {
  return Readable.from(chunks, { objectMode: false });
}

async function* byteAfter(then: Promise<void>): AsyncGenerator<Uint8Array> {
  await then;
  yield Uint8Array.of(1);
}

const pieces = (count: number) => Array.from({ length: count }, (_, at) => Buffer.alloc(PIECE, at + 1));

test('an upload whose bytes arrive one by one is ended, with or without a checksum, and without a checksum its bytes are stored', async () => {
  const mailbox = await newMailbox(db.database);
  for (const checksum of [null, new Checksum(`sha256 ${Buffer.alloc(32).toString('base64')}`)]) {
    let nowMs = 0;
    const uploads = new LinkUploads(db.database, heap(), () => nowMs);
    const file = await fileOf(mailbox, 4 * MIB);
    const trickle = async function* () {
      for (const chunk of pieces(5)) yield Uint8Array.from(chunk);
      for (;;) {
        nowMs += 25_000;
        yield Uint8Array.of(1);
      }
    };
    await assert.rejects(
      uploads.receive(file, { offset: 0, octets: stream(trickle()), checksum }),
      /too slow/,
    );
    const { received } = (await uploads.find(file)) ?? { received: -1 };
    assert.ok(checksum === null ? received > 5 * PIECE : received === 0);
  }
});

test('an upload that waits for memory or for the disk does not fail as too slow', async () => {
  let nowMs = 0;
  const sent = Promise.withResolvers<void>();
  const octets = stream(
    (async function* () {
      yield Uint8Array.of(1);
      await sent.promise;
      yield Uint8Array.of(2);
    })(),
  );
  const collector: Pick<PartCollector, 'take' | 'whenReclaimed'> = {
    take: () => ({ bytes: Buffer.alloc(PIECE), digest: Buffer.alloc(32), crc32: 0, release: () => {} }),
    // Pretend that other uploads need the buffer as soon as it contains bytes.
    whenReclaimed: (then) => void setImmediate(then),
  };
  const store = async () => {
    nowMs += 10 * 60_000;
    sent.resolve();
  };
  let received = 0;
  // Always return a promise, as the real `take` does only if a chunk has to wait for memory.
  const take = async (chunk: Uint8Array) => void (received += chunk.length);
  await consumeChunks(octets, { collector, take, store, nowMs: () => nowMs });
  assert.equal(received, 2);
});

test('a part that cannot be stored fails the request, even if all bytes have been received, and no later part is stored', async () => {
  const parts = 5;
  for (const failing of [1, 2, 3, 4, 5]) {
    const objects = heap();
    const octets = new Readable({ read: () => {} });
    const ended = once(octets, 'end');
    let puts = 0;
    const full: typeof objects = {
      ...objects,
      async put(name, bytes) {
        puts += 1;
        if (puts !== failing) return objects.put(name, bytes);
        // The very last chunk is received during this write.
        if (failing > parts - WRITES_AT_ONCE) await ended;
        throw new Error('no space left on device');
      },
    };
    const uploads = new LinkUploads(db.database, full);
    const file = await fileOf(await newMailbox(db.database), parts * PART_BYTES);
    for (let at = 0; at < parts * PART_BYTES; at += MIB) octets.push(Buffer.alloc(MIB, at / MIB));
    octets.push(null);
    await assert.rejects(uploads.receive(file, { offset: 0, octets, checksum: null }), /no space left/);
    const { received = -1 } = (await uploads.find(file)) ?? {};
    assert.equal(received, objects.all.size * PART_BYTES, `put number ${failing}`);
    assert.ok(received < failing * PART_BYTES);
  }
});

test('one project leaves upload slots for other projects, however many mailboxes it has', async () => {
  const uploads = new LinkUploads(db.database, heap());
  const { projectId } = await newMailbox(db.database);
  const stop = Promise.withResolvers<void>();
  const begin = (mailbox: MailboxKey) =>
    uploads.receive(
      { ...mailbox, id: newUuid() },
      { offset: 0, octets: stream(byteAfter(stop.promise)), checksum: null },
    );
  const mailboxes = Array.from({ length: 5 }, () => ({ projectId, mailboxId: newUuid() }));
  const all = mailboxes.flatMap((mailbox) => [
    begin(mailbox),
    begin(mailbox),
    begin(mailbox),
    begin(mailbox),
  ]);
  all.push(begin({ projectId: newUuid(), mailboxId: newUuid() }));
  stop.resolve();
  const ends = await Promise.allSettled(all);
  const codes = ends.map((end) => (end.status === 'rejected' ? (end.reason as { code: string }).code : ''));
  assert.equal(codes.filter((code) => code === 'rate-limited').length, 4);
  assert.equal(codes.at(-1), 'not-found', 'another project gets a slot');
});

test('a file can be sent in pieces of any size, but the number of small parts is limited', async () => {
  const uploads = new LinkUploads(db.database, heap());
  const file = await fileOf(await newMailbox(db.database), 1_000);
  const send = (offset: number, octets: number) =>
    uploads.receive(file, { offset, octets: stream([Buffer.alloc(octets)]), checksum: null });
  let offset = 0;
  for (; offset < 65; offset++) assert.equal(await send(offset, 1), offset + 1);
  await assert.rejects(send(offset, 1), { code: 'validation-failed' });
  assert.equal(await send(offset, 1_000 - offset), 1_000);
});

test('a part that was changed on disk is never downloaded completely, wherever the download starts', async () => {
  const objects = heap();
  const file = await fileOf(await newMailbox(db.database), 6 * MIB);
  const bytes = Buffer.concat(pieces((6 * MIB) / PIECE));
  await new LinkUploads(db.database, objects).receive(file, {
    offset: 0,
    octets: stream([Uint8Array.from(bytes)]),
    checksum: null,
  });
  const read = async (start: number, end: number): Promise<number> => {
    let octets = 0;
    try {
      for await (const piece of new LinkFiles(db.database, objects).read(file, { start, end })) {
        assert.ok(piece.equals(bytes.subarray(start + octets, start + octets + piece.length)));
        octets += piece.length;
      }
      return octets;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'internal');
      return -1;
    }
  };
  for (const [start, end] of [
    [0, bytes.length],
    [MIB + 3, bytes.length],
    [MIB + 3, MIB + 4],
    [4 * MIB, 6 * MIB],
  ] as const)
    assert.equal(await read(start, end), end - start);
  const [, second] = [...objects.all.values()];
  assert.ok(second !== undefined);
  second[second.length - 1] = 0;
  assert.equal(await read(0, bytes.length), -1);
  assert.equal(await read(5 * MIB + 1, bytes.length), -1);
  assert.equal(await read(0, 4 * MIB), 4 * MIB);
});
