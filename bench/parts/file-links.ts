/** Large files as links: how fast one comes in and goes out beside the disk, what it costs in memory, and what others notice meanwhile. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { PART_BYTES } from '../../src/file-links/limits.ts';
import { LinkFiles } from '../../src/file-links/link-files.ts';
import { decodeId } from '../../src/model/ids.ts';
import { digestOf, download, signIn, upload } from '../support/link-client.ts';
import { type Context, Runs } from '../support/part.ts';
import { pssBytes } from '../support/process-tree.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const MIB = 1024 * 1024;
const PROBE_MS = 20;

export async function fileLinks({ quick, folder, fileMb, log }: Context): Promise<Row[]> {
  // Ten gigabytes are all that a plan allows.
  const octets = (quick ? 32 : fileMb) * MIB;
  const product = await startProduct(join(folder, 'product'), {
    POSTHORN_ROLES: 'http',
    POSTHORN_BLOBS: '',
  });
  const runs = new Runs();
  const database = openDatabase(product.databaseUrl);
  try {
    log(`the disk, ${octets / MIB} MiB`);
    runs.add('disk', await timeDisk(join(folder, 'disk'), octets));
    const client = await signIn(product, database);
    const before = memoryOf(product);
    log('others, before');
    const alone = await probing(product, async () => wait(quick ? 500 : 10_000));
    const measuring = async (way: string, work: () => Promise<void>): Promise<void> => {
      let most = 0;
      const sampling = setInterval(() => (most = Math.max(most, memoryOf(product))), 250);
      const startedAt = performance.now();
      const p99 = await probing(product, work);
      clearInterval(sampling);
      runs.add(way, octets / MIB / ((performance.now() - startedAt) / 1_000));
      runs.add(`api ${way}`, p99 - alone);
      runs.add(`memory ${way}`, Math.max(0, most - before) / MIB);
    };
    log('upload');
    let location = '';
    await measuring('up', async () => void (location = await upload(product, client, octets)));
    log('download, through the door');
    const digest = digestOf(octets);
    await measuring('down', () => download(product, client, location, digest));
    log('read');
    const files = new LinkFiles(database, new ObjectFiles(join(folder, 'product', 'blobs')));
    const file = { projectId: client.projectId, id: decodeId('fil', location.split('/').at(-1) ?? '') ?? '' };
    const startedAt = performance.now();
    let read = 0;
    for await (const piece of files.read(file, { start: 0, end: octets })) read += piece.length;
    if (read !== octets) throw new Error(`${read} of ${octets} bytes came back`);
    runs.add('read', octets / MIB / ((performance.now() - startedAt) / 1_000));
  } finally {
    await database.destroy();
    await product.stop();
  }
  const most = (measure: string, name: string, unit: string, limit: number): Row => ({
    ...{ measure, unit, runs: runs.of(name), goal: { on: 'value', sense: 'at most', limit } },
  });
  return [
    {
      ...{ measure: 'file taken', unit: 'MiB/s', runs: runs.of('up') },
      baseline: { name: 'written and synced', runs: runs.of('disk') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.5 },
    },
    most('memory for it', 'memory up', 'MiB', 50),
    most('API beside it, p99, more', 'api up', 'ms', 50),
    { measure: 'file handed out, at most 128 MiB/s', unit: 'MiB/s', runs: runs.of('down') },
    most('memory for both', 'memory down', 'MiB', 50),
    most('API beside it, p99, more', 'api down', 'ms', 50),
    { measure: 'file read, by itself', unit: 'MiB/s', runs: runs.of('read') },
  ];
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Parts as they are written: synced one by one. @returns MiB a second */
async function timeDisk(path: string, octets: number): Promise<number> {
  const part = Buffer.alloc(PART_BYTES, 'a large file ');
  const startedAt = performance.now();
  const file = await open(path, 'w');
  for (let at = 0; at < octets; at += part.length) {
    await file.write(part);
    await file.datasync();
  }
  await file.close();
  const seconds = (performance.now() - startedAt) / 1_000;
  await rm(path);
  return octets / MIB / seconds;
}

function memoryOf(product: Product): number {
  return product
    .processes()
    .filter(({ command }) => command.startsWith('posthorn: '))
    .reduce((sum, { pid }) => sum + pssBytes(pid), 0);
}

/** What a small request waits while something goes on. @returns the 99th percentile, in ms */
async function probing({ port }: Product, work: () => Promise<void>): Promise<number> {
  let isOver = false;
  const times: number[] = [];
  const probe = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(`http://localhost:${port}/v1/emails`)).text();
      times.push(performance.now() - startedAt);
      await wait(PROBE_MS);
    }
  })();
  await work().finally(() => (isOver = true));
  await probe;
  return percentile(
    times.sort((a, b) => a - b),
    0.99,
  );
}
