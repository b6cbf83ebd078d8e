/**
 * Uploads and downloads a large file in Chromium, with kill -9 of the HTTP processes during the upload. Run by hand: `deploy/node
 * test/web/large-file.ts [MB]`, by default 1024. Prints how long the upload and the download take, and for each of the two the memory of
 * the HTTP processes and the latency of other requests. Throws if the downloaded bytes differ.
 */
import assert from 'node:assert/strict';
import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openMailClient } from '../support/mail-client.ts';

const MB = 1024 * 1024;
const POLL_MS = 50;
const HOUR_MS = 3_600_000;

const megabytes = Number(process.argv[2] ?? 1024);
const folder = await mkdtemp(join(tmpdir(), 'posthorn-large-file-'));
await using client = await openMailClient({});
const { service } = client;
try {
  const path = join(folder, 'large.bin');
  await write(path);
  const page = await client.open('/inbox?compose=new', { isCut: true });
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  const before = memoryOf();
  const watched = watch();

  const upAt = performance.now();
  await page.getByRole('button', { name: 'More attachment options', exact: true }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('menuitem', { name: 'Send file as link', exact: true }).click(),
  ]);
  await chooser.setFiles(path);
  const list = page.getByRole('list', { name: 'File links', exact: true });
  await list.getByText(/[2-9]\d% · .*\/s/).waitFor({ timeout: HOUR_MS });
  for (const pid of httpPids()) process.kill(pid, 'SIGKILL');
  await list.getByText('Uploaded', { exact: true }).waitFor({ timeout: HOUR_MS });
  const upMs = performance.now() - upAt;

  const guest = await client.browser.newContext();
  const visitor = await guest.newPage();
  await visitor.goto(await linkOf(page));
  const downAt = performance.now();
  const [download] = await Promise.all([
    visitor.waitForEvent('download'),
    visitor
      .getByRole('link', { name: /Download/ })
      .first()
      .click(),
  ]);
  const downloaded = await download.path();
  const downMs = performance.now() - downAt;
  const { waits, peak } = watched.stop();
  assert.equal(await digestOf(downloaded), await digestOf(path), 'the downloaded bytes differ');
  say(`${megabytes} MB up in ${seconds(upMs)}, ${rate(upMs)}, with kill -9 of the service in between`);
  say(`${megabytes} MB down in ${seconds(downMs)}, ${rate(downMs)}`);
  say(`memory of the HTTP processes: ${before} MB before, ${peak} MB at most`);
  say(
    `/readyz meanwhile: p50 ${waits.p50} ms, p99 ${waits.p99} ms, ${waits.failed} of ${waits.count} failed while it restarted`,
  );
  await guest.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function write(to: string): Promise<void> {
  const file = await open(to, 'w');
  const piece = Buffer.alloc(MB);
  for (let at = 0; at < megabytes; at++) await file.write(randomFillSync(piece));
  await file.close();
}

/** The URL of the newest link in the list of the mailbox. */
async function linkOf(page: Page): Promise<string> {
  const answered = page.waitForResponse((response) => {
    const { pathname } = new URL(response.url());
    return pathname.startsWith('/mail/api/') && pathname.endsWith('/file-links');
  });
  await page.goto(page.url().replace(/\/inbox.*/, '/settings/file-links'));
  const { data } = (await (await answered).json()) as { data: { url: string }[] };
  return data[0]?.url ?? '';
}

async function digestOf(of: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(of), digest);
  return digest.digest('hex');
}

function httpPids(): number[] {
  return service
    .childPids()
    .filter((pid) => /posthorn: .*http/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
}

/** The resident memory of all HTTP processes in MB. */
function memoryOf(): number {
  const pages = httpPids().map((pid) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return Math.round(pages.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024);
}

/** Requests /readyz in a loop until stopped, and records latencies and memory. */
function watch() {
  const stop = new AbortController();
  const waits: number[] = [];
  let [failed, peak] = [0, 0];
  const running = (async () => {
    while (!stop.signal.aborted) {
      const at = performance.now();
      await fetch(`${service.baseUrl}/readyz`).then(
        async (response) => {
          await response.arrayBuffer();
          waits.push(performance.now() - at);
        },
        () => failed++,
      );
      peak = Math.max(peak, memoryOf());
      await delay(POLL_MS);
    }
  })();
  return {
    stop() {
      stop.abort();
      void running;
      const sorted = waits.toSorted((a, b) => a - b);
      const of = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
      return { peak, waits: { p50: of(0.5), p99: of(0.99), failed, count: waits.length + failed } };
    },
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function rate(ms: number): string {
  return `${Math.round(megabytes / (ms / 1000))} MB/s`;
}
