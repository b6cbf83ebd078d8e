import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '../../../test/support/postgres.ts';
import { checkSecret } from '../../db/seal.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../../reports/return-path.ts';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));
const SECRET = 'secret of the tests';

test('complaint address prints an address that the listener accepts as a complaint address', async () => {
  await using db = await testDatabase();
  const address = (domain: string) =>
    new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET };
      const args = [PROGRAM, 'complaint', 'address', '--domain', domain, '--json'];
      execFile(process.execPath, args, { env }, (_, stdout, stderr) => resolve({ stdout, stderr }));
    });
  const shown = JSON.parse((await address('Bücher.example')).stdout) as { address: string };
  assert.match(shown.address, /@send\.xn--bcher-kva\.example$/);
  const sealer = await checkSecret(db.database, SECRET);
  assert.ok(new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)).isComplaintAddress(shown.address));
  assert.match((await address('a b')).stderr, /^ {2}domain: /m);
});
