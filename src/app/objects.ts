import { join } from 'node:path';
import { ObjectBucket } from '../blobs/object-bucket.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Config } from './config.ts';

/** Where large messages are (docs/operate/blobs.md). It is closed with the stack. */
export function openObjects(
  { blobs, dataDir }: Pick<Config, 'blobs' | 'dataDir'>,
  stack: AsyncDisposableStack,
): ObjectStore {
  return blobs === null ? new ObjectFiles(join(dataDir, 'blobs')) : stack.use(new ObjectBucket(blobs));
}
