import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askClamdVersion, scanWithClamd } from './clamd.ts';
import { startFakeClamd, VIRUS } from './clamd.fixture.ts';

const NEVER = new AbortController().signal;

async function* pieces(...parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

describe('clamd', () => {
  test('is sent the file as it is, and says whether there is anything in it', async () => {
    await using clamd = await startFakeClamd();
    assert.deepEqual(await scanWithClamd(clamd.address, pieces('a', '', 'bc'), NEVER), { result: 'clean' });
    assert.deepEqual(await scanWithClamd(clamd.address, pieces(), NEVER), { result: 'clean' });
    const split = [VIRUS.slice(0, 5), VIRUS.slice(5)];
    assert.deepEqual(await scanWithClamd(clamd.address, pieces(...split), NEVER), {
      result: 'infected',
      found: 'Test.Virus-1',
    });
    assert.deepEqual(clamd.scanned.map(String), ['abc', '', VIRUS]);
    assert.equal(await askClamdVersion(clamd.address, NEVER), 'ClamAV 1.4.3/27000');
  });

  test('a file that is larger than it takes is read no further than that', async () => {
    await using clamd = await startFakeClamd({ maxBytes: 100_000 });
    let read = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; read < 100_000; read++) yield Buffer.alloc(100_000);
    }
    assert.deepEqual(await scanWithClamd(clamd.address, endless(), NEVER), { result: 'too-large' });
    assert.ok(read < 1_000);
  });

  test('a file is too large as well where the answer is lost in the reset behind it, and nothing is known where it broke off for another reason', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(100_000);
    }
    await using clamd = await startFakeClamd({ maxBytes: 1_000_000, lost: 1 });
    assert.deepEqual(await scanWithClamd(clamd.address, endless(), NEVER), { result: 'too-large' });
    await using broken = await startFakeClamd({ maxBytes: 1_000_000, lost: 2 });
    await assert.rejects(scanWithClamd(broken.address, endless(), NEVER), /EPIPE|ECONNRESET|broke off/);
  });

  for (const says of ['stream: Cannot allocate memory ERROR', 'hang up', 'OK', 'stream: OK FOUND or not'])
    test(`nothing is known of a file where it says: ${says}`, async () => {
      await using clamd = await startFakeClamd();
      clamd.says = says;
      await assert.rejects(scanWithClamd(clamd.address, pieces('a'), NEVER), /clamd/);
    });

  test('an answer without an end is not waited for, and one that nobody wants any more ends', async () => {
    await using clamd = await startFakeClamd();
    clamd.says = 'x'.repeat(100_000);
    await assert.rejects(scanWithClamd(clamd.address, pieces('a'), NEVER), /has no end/);
    const stopped = new AbortController();
    async function* stopping(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1);
      stopped.abort();
      yield Buffer.alloc(1);
    }
    await assert.rejects(scanWithClamd(clamd.address, stopping(), stopped.signal), /abort/i);
  });

  test('what it calls a virus is a word for people, whatever is in it', async () => {
    await using clamd = await startFakeClamd();
    clamd.says = 'stream: <b>\r\n\u001b[31m FOUND';
    const scan = await scanWithClamd(clamd.address, pieces('a'), NEVER);
    assert.ok(scan.result === 'infected');
    assert.doesNotMatch(scan.found, /[\x00-\x1f]/);
  });

  test('nobody is there', async () => {
    const gone = await startFakeClamd();
    await gone[Symbol.asyncDispose]();
    await assert.rejects(scanWithClamd(gone.address, pieces('a'), NEVER), /ECONNREFUSED/);
    await assert.rejects(scanWithClamd({ path: '/nowhere/clamd.sock' }, pieces('a'), NEVER), /ENOENT/);
  });
});
