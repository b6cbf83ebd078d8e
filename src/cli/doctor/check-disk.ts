import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const GB = 1_000_000_000;
const WARN_SHARE = 0.1;
const MAKE_ROOM = 'Make room, or move the data folder (POSTHORN_DATA) to a larger disk.';

/** Whether there is room for mail in the data folder. */
export async function checkDisk({ config, space }: World): Promise<Finding> {
  const { freeBytes, totalBytes } = await space(nearestFolder(config.dataDir));
  const free = `${(freeBytes / GB).toFixed(1)} GB of ${(totalBytes / GB).toFixed(1)} GB are free for ${config.dataDir}.`;
  if (freeBytes < GB) return problem(free, MAKE_ROOM);
  return freeBytes < totalBytes * WARN_SHARE ? warning(free, MAKE_ROOM) : ok(free);
}

/** Where the folder is going to be made. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
