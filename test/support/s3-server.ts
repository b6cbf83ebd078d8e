/** Runs a third-party S3 server from npm, which checks signatures and stores objects in a folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { Bucket } from '../../src/blobs/object-bucket.ts';

export interface S3Server extends AsyncDisposable {
  readonly bucket: Bucket;
}

/** Starts the server with one empty bucket. */
export async function startS3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'mail' }],
  });
  const { port } = await server.run();
  return {
    bucket: {
      origin: `http://127.0.0.1:${port}`,
      bucket: 'mail',
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
