/** Tests uploads of a large file in parts for an object store: no part is lost, and no object remains after a file is deleted. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import type { ObjectStore } from '../../src/blobs/object-store.ts';
import { announceFile } from '../../src/file-links/announce-file.ts';
import { Checksum } from '../../src/file-links/checksums.ts';
import { LinkFiles } from '../../src/file-links/link-files.ts';
import { LinkUploads } from '../../src/file-links/link-uploads.ts';
import { sweepingFileLinks } from '../../src/file-links/sweep-file-links.ts';
import { BlobSweeper, SWEEP_TIMINGS } from '../../src/retention/sweep-blobs.ts';
import { newUuid } from '../../src/model/ids.ts';
import { newMailbox } from './mail.ts';
import { testDatabase } from './postgres.ts';

const MIB = 1024 * 1024;
const CHUNK = 64 * 1024;

/** The bytes as a stream of chunks, like an upload. @param breaksOff whether the stream ends with an error */
function arriving(bytes: Buffer, breaksOff = false): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += CHUNK) yield Uint8Array.from(bytes.subarray(at, at + CHUNK));
      if (breaksOff) throw new Error('the line broke');
    })(),
    { objectMode: false },
  );
}

export function testLinkFiles(storeOf: () => ObjectStore): void {
  test('a large file is stored in parts: uploads can resume, all ranges can be read, and failed uploads leave no objects', async () => {
    await using db = await testDatabase();
    const { database } = db;
    const objects = storeOf();
    const mailbox = await newMailbox(database);
    const { projectId } = mailbox;
    const bytes = randomBytes(11 * MIB + 7);
    const id = await announceFile(database, mailbox, { name: 'a.bin', type: '', octets: bytes.length });
    const [file, uploads] = [{ ...mailbox, id }, new LinkUploads(database, objects)];
    const send = (offset: number, octets: Readable, checksum: Checksum | null = null) =>
      uploads.receive(file, { offset, octets, checksum });
    const objectsLeft = async (): Promise<number> => {
      let count = 0;
      for await (const _ of objects.list(projectId)) count += 1;
      return count;
    };

    const half = bytes.subarray(0, 6 * MIB);
    await assert.rejects(send(0, arriving(half, true)), { code: 'bad-request' });
    const received = (await uploads.find(file))?.received ?? 0;
    assert.equal(received, half.length);
    const wrong = new Checksum(`sha256 ${Buffer.alloc(32).toString('base64')}`);
    await assert.rejects(send(received, arriving(bytes.subarray(received)), wrong), {
      code: 'checksum-mismatch',
    });
    const rest = () => send(received, arriving(bytes.subarray(received)));
    const both = await Promise.allSettled([rest(), rest()]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const { parts } = await database
      .selectFrom('linkFileParts')
      .select((row) => row.fn.countAll<string>().as('parts'))
      .where('fileId', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(await objectsLeft(), Number(parts));

    for (const [start, end] of [
      [0, bytes.length],
      [4 * MIB - 3, 6 * MIB + 5],
      [bytes.length - 1, bytes.length],
    ] as const) {
      const pieces: Buffer[] = [];
      for await (const piece of new LinkFiles(database, objects).read(file, { start, end }))
        pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(bytes.subarray(start, end)), `${start} to ${end}`);
    }

    // Add an object without a row, as after the crash of a process between writing the object and writing the row.
    await objects.put({ projectId, id: newUuid() }, Buffer.from('a part'));
    await database.deleteFrom('linkFiles').where('id', '=', id).execute();
    for await (const _ of sweepingFileLinks(database, objects));
    assert.equal(await objectsLeft(), 1);
    const timings = { ...SWEEP_TIMINGS, strayMs: -1 };
    for await (const _ of new BlobSweeper(objects, pino({ enabled: false }), timings).sweeping(database));
    assert.equal(await objectsLeft(), 0);
  });
}
