import { join } from 'node:path';
import { ObjectBucket } from '../blobs/object-bucket.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Config } from './config.ts';

/** Opens the storage of large messages (docs/operate/blobs.md), which is closed with `stack`. */
export function openObjects(
  { blobs, dataDir }: Pick<Config, 'blobs' | 'dataDir'>,
  stack: AsyncDisposableStack,
): ObjectStore {
  return blobs === null ? new ObjectFiles(join(dataDir, 'blobs')) : stack.use(new ObjectBucket(blobs));
}

/** The folder for large messages while they arrive. */
export function spoolFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'spool');
}
