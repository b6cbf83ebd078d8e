/** The folder to which tests write: in memory if enough is free, because creating and dropping databases is then ten times faster. */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const FOLDER = '/dev/shm';
const NEEDED_BYTES = 4 * 1024 ** 3;

/** The folder for temporary files: TMPDIR if set, otherwise a folder in memory if possible, otherwise the folder of the system. */
export function memoryFolder(): string {
  return process.env.TMPDIR === undefined && isFit() ? FOLDER : tmpdir();
}

function isFit(): boolean {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    // In containers, the file system in memory often has only 64 MB, or does not allow running programs (noexec).
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, mountPoint]) => mountPoint === FOLDER);
    return (
      mount?.[2] === 'tmpfs' &&
      mount[3]?.split(',').includes('noexec') === false &&
      Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES
    );
  } catch {
    return false;
  }
}
