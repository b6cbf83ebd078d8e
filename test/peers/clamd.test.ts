/** Scans files with Debian's ClamAV, as a worker does. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askClamdVersion, type ClamdAddress, scanWithClamd } from '../../src/file-links/scan/clamd.ts';
import { EICAR, MAX_STREAM_BYTES, startClamd } from './clamd.ts';
import { hookLimit, withPeers } from './peers.ts';

const PIECE = 64 * 1024;

describe("Debian's ClamAV", withPeers, () => {
  const stack = new AsyncDisposableStack();
  let address: ClamdAddress;
  before(async () => {
    ({ address } = stack.use(await startClamd()));
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  const scan = (file: Buffer) =>
    scanWithClamd(
      address,
      (async function* () {
        for (let at = 0; at < file.length; at += PIECE) yield file.subarray(at, at + PIECE);
      })(),
      AbortSignal.timeout(60_000),
    );

  test('clamd returns its version', async () => {
    assert.match(await askClamdVersion(address, AbortSignal.timeout(10_000)), /^ClamAV \d/);
  });

  test('no virus is found in a harmless file of several pieces, or in an empty file', async () => {
    assert.deepEqual(await scan(Buffer.alloc(3 * PIECE, 'nothing ')), { result: 'clean' });
    assert.deepEqual(await scan(Buffer.alloc(0)), { result: 'clean' });
  });

  test('a virus that spans two pieces of a file is found and named', async () => {
    for (const before of [0, PIECE - 20]) {
      const found = await scan(Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(EICAR)]));
      assert.deepEqual(found, { result: 'infected', found: 'Test.EICAR.UNOFFICIAL' });
    }
  });

  test('a file larger than StreamMaxLength is rejected, and the next file is scanned', async () => {
    assert.deepEqual(await scan(Buffer.alloc(20 * MAX_STREAM_BYTES, 'nothing ')), { result: 'too-large' });
    assert.deepEqual(await scan(Buffer.from('nothing')), { result: 'clean' });
  });
});
