/** Files of the checked-out commit, and archives with the same bytes on every machine. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const ROOT = join(import.meta.dirname, '..');
const MAX_BYTES = 2 ** 28;

/** Runs git in the checkout. */
export function git(args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: MAX_BYTES });
}

/** The text of a file in the checked-out commit. */
export function committed(path: string): string {
  return git(['show', `HEAD:${path}`]).toString();
}

/** Unpacks files of the checked-out commit. @param paths paths and pathspecs of git */
export function unpack(folder: string, paths: readonly string[]): void {
  execFileSync('tar', ['-x', '-C', folder], { input: git(['archive', 'HEAD', ...paths]) });
}

/** @param parent the folder that contains `name`. The files are sorted, have no owners, and have the time of the commit */
export function tarball(parent: string, name: string): Buffer {
  const time = `--mtime=@${git(['log', '-1', '--format=%ct']).toString().trim()}`;
  const same = [
    '--format=gnu',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=go=u,go-w',
  ];
  const tar = execFileSync('tar', ['-c', '-C', parent, ...same, time, name], { maxBuffer: MAX_BYTES });
  return gzipSync(tar, { level: 9 });
}
