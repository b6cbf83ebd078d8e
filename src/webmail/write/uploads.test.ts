import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newMailbox } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { prepareInRow } from '../../blobs/blobs.ts';
import { PIECE_BYTES } from './limits.ts';
import { Uploads } from './uploads.ts';

test('concurrent uploads of a project write one piece at a time, and do not delay uploads of other projects', async () => {
  await using db = await testDatabase();
  const [one, other] = [await newMailbox(db.database), await newMailbox(db.database)];
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  let mostOfAll = 0;
  const uploads = new Uploads(db.database, {
    open: async () => null,
    discard: async () => {},
    async prepare(projectId, bytes) {
      const now = (running.get(projectId) ?? 0) + 1;
      running.set(projectId, now);
      most.set(projectId, Math.max(most.get(projectId) ?? 0, now));
      mostOfAll = Math.max(
        mostOfAll,
        now + (running.get(projectId === one.projectId ? other.projectId : one.projectId) ?? 0),
      );
      await sleep(20);
      running.set(projectId, now - 1);
      return prepareInRow(projectId, bytes.subarray(0, 8));
    },
  });
  const octets = async function* () {
    for (let piece = 0; piece < 4; piece++) yield Buffer.alloc(PIECE_BYTES, piece);
  };
  const send = () => ({ name: 'a', type: '', source: null, octets: octets(), declared: null });
  const rows = await Promise.all([
    ...[1, 2, 3].map(() => uploads.receive(one, send())),
    uploads.receive(other, send()),
  ]);
  assert.deepEqual(
    rows.map((row) => row.octets),
    Array(4).fill(4 * PIECE_BYTES),
  );
  assert.deepEqual([...most.values(), mostOfAll], [1, 1, 2]);
});
