/** The program `posthorn`, run as a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SECRET, type TestDatabase } from './postgres.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** @param env in addition to that of the tests */
export function posthorn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** What makes a command use a database of the tests. */
export function environmentOf({ url }: TestDatabase): Record<string, string> {
  return { POSTHORN_DATABASE_URL: url, POSTHORN_SECRET: SECRET };
}
