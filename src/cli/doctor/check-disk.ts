import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const GB = 1_000_000_000;
const WARN_SHARE = 0.1;
/** PostgreSQL makes some thousands in its first days. */
const FEW_FILES = 10_000;
const MAKE_ROOM = 'Make room, or move the data folder (POSTHORN_DATA) to a larger disk.';

/** Whether there is room for mail in the data folder. */
export async function checkDisk({ config, space }: World): Promise<Finding> {
  const { freeBytes, totalBytes, freeFiles, totalFiles } = await space(nearestFolder(config.dataDir));
  const free = `${(freeBytes / GB).toFixed(1)} GB of ${(totalBytes / GB).toFixed(1)} GB are free for ${config.dataDir}.`;
  if (freeBytes < GB) return problem(free, MAKE_ROOM);
  if (totalFiles > 0 && freeFiles < FEW_FILES) {
    return problem(
      `There may be ${freeFiles} more files on the disk of ${config.dataDir}, however much room is left.`,
      'Remove files that nobody needs ("df -i" shows the figures), or move the data folder (POSTHORN_DATA) to another disk.',
    );
  }
  if (freeBytes < totalBytes * WARN_SHARE) return warning(free, MAKE_ROOM);
  return ok(
    config.databaseUrl === null ? free : `${free} The disk of PostgreSQL cannot be seen from here: watch it.`,
  );
}

/** Where the folder is going to be made. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
