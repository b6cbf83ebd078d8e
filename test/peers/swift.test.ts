import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ObjectBucket } from '../../src/blobs/object-bucket.ts';
import { newUuid } from '../../src/model/ids.ts';
import { testLinkFiles } from '../support/link-file-behaviors.ts';
import { testObjects } from '../support/object-behaviors.ts';
import { hookLimit, withPeers } from './peers.ts';
import { startSwift } from './swift.ts';

describe('a bucket of OpenStack Swift', withPeers, () => {
  let server: Awaited<ReturnType<typeof startSwift>>;
  let bucket: ObjectBucket;
  before(async () => {
    server = await startSwift();
    bucket = new ObjectBucket(server.bucket);
  }, hookLimit);
  after(async () => {
    await bucket[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }, hookLimit);
  testObjects(() => bucket);
  testLinkFiles(() => bucket);

  test('a wrong secret or an unknown bucket causes an error that does not contain the secret', async () => {
    const name = { projectId: newUuid(), id: newUuid() };
    for (const [wrong, says] of [
      [{ secretAccessKey: 'not-the-secret' }, /answered 403 SignatureDoesNotMatch/],
      [{ bucket: 'nowhere' }, /bucket nowhere cannot be used: it answered 404 NoSuchBucket/],
    ] as const) {
      await using other = new ObjectBucket({ ...server.bucket, ...wrong });
      await assert.rejects(other.put(name, Buffer.from('x')), (error: Error) => {
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /secret-of-swift|not-the-secret/);
        return true;
      });
    }
  });
});
