/**
 * Measures large files that are sent as links: how fast they upload and download compared with the disk, how much memory this takes, and
 * how it affects other requests.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { PART_BYTES } from '../../src/file-links/limits.ts';
import { LinkFiles } from '../../src/file-links/link-files.ts';
import { decodeId } from '../../src/model/ids.ts';
import { digestOf, download, signIn, upload } from '../support/link-client.ts';
import { measureApi } from '../support/load.ts';
import { type Context, Runs } from '../support/part.ts';
import { pssBytes } from '../support/process-tree.ts';
import { type Product, startProduct } from '../support/product.ts';
import { median } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { watchMemory } from '../support/usage.ts';

const MIB = 1024 * 1024;
/** How long each run of API requests lasts. During a file transfer, one run follows another. */
const SLICE_MS = 4_000;

export async function fileLinks({ quick, folder, fileMb, log }: Context): Promise<Row[]> {
  // Plans allow files of at most 10 GiB.
  const octets = (quick ? 32 : fileMb) * MIB;
  // Hash the file first: hashing blocks this process for so long that the server closes idle connections, and later requests would fail.
  const digest = digestOf(octets);
  const product = await startProduct(join(folder, 'product'), {
    POSTHORN_ROLES: 'http',
    POSTHORN_BLOBS: '',
  });
  const runs = new Runs();
  const database = openDatabase(product.databaseUrl);
  try {
    const client = await signIn(product, database);
    const token = await product.createKey();
    const sliceMs = quick ? 300 : SLICE_MS;
    log('the API alone');
    // The first run warms up the API, so that the memory of the API itself is not measured as memory for files.
    await apiBeside(product, token, sliceMs, async () => wait(quick ? 0 : 4_000));
    const alone = await apiBeside(product, token, sliceMs, async () => wait(quick ? 0 : 8_000));
    const measuring = async (way: string, work: () => Promise<void>): Promise<void> => {
      let seconds = 0;
      const { p99s, memory } = await apiBeside(product, token, sliceMs, async () => {
        const startedAt = performance.now();
        await work();
        seconds = (performance.now() - startedAt) / 1_000;
      });
      runs.add(way, octets / MIB / seconds);
      for (const p99 of p99s) runs.add(`api ${way}`, p99 - median(alone.p99s));
      runs.add(`memory ${way}`, Math.max(0, memory - alone.memory) / MIB);
      log(
        `${way}: ${Math.round(octets / MIB / seconds)} MiB/s; API p99 ${median(p99s).toFixed(1)} ms, alone ${median(alone.p99s).toFixed(1)} ms`,
      );
    };
    // Beside the same API requests as the upload, because their commits use the disk too.
    const measureDisk = async (): Promise<void> => {
      log(`the disk, ${octets / MIB} MiB`);
      await apiBeside(product, token, sliceMs, async () =>
        runs.add('disk', await timeDisk(join(folder, 'disk'), octets)),
      );
      log(`the disk: ${Math.round(runs.of('disk').at(-1) ?? 0)} MiB/s`);
    };
    await measureDisk();
    log('upload');
    let location = '';
    await measuring('up', async () => void (location = await upload(product, client, octets)));
    // Measure the disk again, because other load on the disk changes.
    await measureDisk();
    log('download through the public link');
    await measuring('down', () => download(product, client, location, digest));
    log('read');
    const files = new LinkFiles(database, new ObjectFiles(join(folder, 'product', 'blobs')));
    const file = { projectId: client.projectId, id: decodeId('fil', location.split('/').at(-1) ?? '') ?? '' };
    const startedAt = performance.now();
    let read = 0;
    for await (const piece of files.read(file, { start: 0, end: octets })) read += piece.length;
    if (read !== octets) throw new Error(`${read} of ${octets} bytes were read`);
    runs.add('read', octets / MIB / ((performance.now() - startedAt) / 1_000));
  } finally {
    await database.destroy();
    await product.stop();
  }
  const most = (measure: string, name: string, unit: string, limit: number): Row => ({
    measure,
    unit,
    runs: runs.of(name),
    goal: { on: 'value', sense: 'at most', limit },
  });
  return [
    {
      measure: 'file uploaded',
      unit: 'MiB/s',
      runs: runs.of('up'),
      baseline: { name: 'the disk, writing and syncing one file beside the API', runs: runs.of('disk') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.6 },
    },
    most('memory during the upload, increase over the API alone', 'memory up', 'MiB', 50),
    most('API accept p99 during the upload, increase over alone', 'api up', 'ms', 50),
    { measure: 'file downloaded, at most 128 MiB/s', unit: 'MiB/s', runs: runs.of('down') },
    most('memory during the download, increase over the API alone', 'memory down', 'MiB', 50),
    most('API accept p99 during the download, increase over alone', 'api down', 'ms', 50),
    { measure: 'file read without HTTP', unit: 'MiB/s', runs: runs.of('read') },
  ];
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Writes and syncs one file sequentially. @returns MiB per second */
async function timeDisk(path: string, octets: number): Promise<number> {
  const piece = Buffer.alloc(PART_BYTES, 'a large file ');
  const startedAt = performance.now();
  const file = await open(path, 'w');
  for (let at = 0; at < octets; at += piece.length)
    await file.write(piece, 0, Math.min(piece.length, octets - at));
  await file.sync();
  await file.close();
  const seconds = (performance.now() - startedAt) / 1_000;
  await rm(path);
  return octets / MIB / seconds;
}

/** Reads the memory of the product's processes. The processes are listed only once, because listing takes longer than reading memory. */
function memoryOf(product: Product): () => number {
  const processes = product.processes().filter(({ command }) => command.startsWith('posthorn: '));
  return () => processes.reduce((sum, { pid }) => sum + pssBytes(pid), 0);
}

/** @returns the 99th percentile of the API's accept time in ms for each slice during the work, and the peak memory */
async function apiBeside(
  product: Product,
  token: string,
  sliceMs: number,
  work: () => Promise<void>,
): Promise<{ p99s: number[]; memory: number }> {
  let isOver = false;
  const p99s: number[] = [];
  const probe = async () => {
    do p99s.push((await measureApi(product.port, token, sliceMs)).p99Ms);
    while (!isOver);
  };
  const { most } = await watchMemory(memoryOf(product), () =>
    Promise.all([probe(), work().finally(() => (isOver = true))]),
  );
  return { p99s, memory: most };
}
