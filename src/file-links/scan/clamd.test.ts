import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askClamdVersion, scanWithClamd } from './clamd.ts';
import { startFakeClamd, VIRUS } from './clamd.fixture.ts';

const NEVER = new AbortController().signal;

async function* pieces(...parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

describe('scanning with clamd', () => {
  test('sends the file unchanged, and reports whether it is infected', async () => {
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

  test('reports a file that is too large, and stops reading it', async () => {
    await using clamd = await startFakeClamd({ maxBytes: 100_000 });
    let read = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; read < 100_000; read++) yield Buffer.alloc(100_000);
    }
    assert.deepEqual(await scanWithClamd(clamd.address, endless(), NEVER), { result: 'too-large' });
    assert.ok(read < 1_000);
  });

  test('reports a file as too large even if one reply is lost in a reset, and fails if a second reply is lost', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(100_000);
    }
    await using clamd = await startFakeClamd({ maxBytes: 1_000_000, lost: 1 });
    assert.deepEqual(await scanWithClamd(clamd.address, endless(), NEVER), { result: 'too-large' });
    await using broken = await startFakeClamd({ maxBytes: 1_000_000, lost: 2 });
    await assert.rejects(
      scanWithClamd(broken.address, endless(), NEVER),
      /EPIPE|ECONNRESET|closed the connection/,
    );
  });

  for (const reply of ['stream: Cannot allocate memory ERROR', 'hang up', 'OK', 'stream: OK FOUND or not'])
    test(`fails if the reply is: ${reply}`, async () => {
      await using clamd = await startFakeClamd();
      clamd.says = reply;
      await assert.rejects(scanWithClamd(clamd.address, pieces('a'), NEVER), /clamd/);
    });

  test('fails if the reply is endless or the scan is aborted', async () => {
    await using clamd = await startFakeClamd();
    clamd.says = 'x'.repeat(100_000);
    await assert.rejects(scanWithClamd(clamd.address, pieces('a'), NEVER), /too long/);
    const stopped = new AbortController();
    async function* stopping(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1);
      stopped.abort();
      yield Buffer.alloc(1);
    }
    await assert.rejects(scanWithClamd(clamd.address, stopping(), stopped.signal), /abort/i);
  });

  test('makes the name of a virus printable, whatever the name contains', async () => {
    await using clamd = await startFakeClamd();
    clamd.says = 'stream: <b>\r\n\u001b[31m FOUND';
    const scan = await scanWithClamd(clamd.address, pieces('a'), NEVER);
    assert.ok(scan.result === 'infected');
    assert.doesNotMatch(scan.found, /[\x00-\x1f]/);
  });

  test('fails if no daemon is running', async () => {
    const stopped = await startFakeClamd();
    await stopped[Symbol.asyncDispose]();
    await assert.rejects(scanWithClamd(stopped.address, pieces('a'), NEVER), /ECONNREFUSED/);
    await assert.rejects(scanWithClamd({ path: '/nowhere/clamd.sock' }, pieces('a'), NEVER), /ENOENT/);
  });
});
