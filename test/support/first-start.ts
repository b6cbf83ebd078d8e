/** The first start of an installed Posthorn, as its user sees it. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, execFileSync } from 'node:child_process';
import type { Readable } from 'node:stream';

const LAST_LINE = 'To create more keys:';

/** The user and group of an ordinary user. Empty if the tests do not run as root. */
export function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.geteuid?.() !== 0) return {};
  const id = (option: string): number => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The PATH of this machine, without the programs of this checkout. */
export function pathOfMachine(): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.filter((folder) => !folder.includes('node_modules')).join(':');
}

/**
 * Waits for the banner and runs the curl command that it prints.
 * @returns the banner
 * @throws Error with the output if the service ends early
 */
export async function sendAsPrinted({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let output = '';
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes(LAST_LINE)) break;
  }
  const [line] = /^curl .*$/m.exec(output) ?? [];
  if (line === undefined) throw new Error(`The service printed no curl command: ${output}`);
  assert.match(execFileSync('sh', ['-c', line], { encoding: 'utf8' }), /"status":"queued"/);
  return output;
}
