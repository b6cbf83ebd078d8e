/** Large files as links: how fast one comes in and goes out beside the disk, what it costs in memory, and what others notice meanwhile. */
import { open, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { beginWebSession } from '../../src/mailboxes/sign-in/web-sessions.ts';
import { csrfTokenOf } from '../../src/edge/http/browser/csrf.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { LinkFiles } from '../../src/file-links/link-files.ts';
import { decodeId, encodeId } from '../../src/model/ids.ts';
import { type Context, Runs } from '../support/part.ts';
import { pssBytes } from '../support/process-tree.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const MIB = 1024 * 1024;
/** As the web client sends them. */
const CHUNK = 16 * MIB;
const PASSWORD = 'correct horse battery staple';
const PIECE = Buffer.alloc(MIB, 'a large file ');
const PROBE_MS = 20;

export async function fileLinks({ quick, folder, log }: Context): Promise<Row[]> {
  // Ten gigabytes are all that a plan allows.
  const octets = quick ? 32 * MIB : 10 * 1024 * MIB;
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
    runs.add('api before', await probing(product, async () => wait(quick ? 500 : 10_000)));
    log('upload');
    let location = '';
    let most = 0;
    const sampling = setInterval(() => (most = Math.max(most, memoryOf(product))), 250);
    const p99 = await probing(product, async () => {
      const startedAt = performance.now();
      location = await upload(product, client, octets);
      runs.add('upload', octets / MIB / ((performance.now() - startedAt) / 1_000));
    });
    runs.add('api beside', p99 - (runs.of('api before')[0] ?? 0));
    clearInterval(sampling);
    runs.add('memory', Math.max(0, most - before) / MIB);
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
      ...{ measure: 'file taken', unit: 'MiB/s', runs: runs.of('upload') },
      baseline: { name: 'written and synced', runs: runs.of('disk') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.5 },
    },
    { measure: 'file read', unit: 'MiB/s', runs: runs.of('read') },
    most('memory for it', 'memory', 'MiB', 50),
    most('API beside it, p99, more', 'api beside', 'ms', 50),
  ];
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Parts as they are written: synced one by one. @returns MiB a second */
async function timeDisk(path: string, octets: number): Promise<number> {
  const part = Buffer.alloc(8 * MIB, 'a large file ');
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

interface Client {
  projectId: string;
  mailbox: string;
  headers: Record<string, string>;
}

async function signIn(product: Product, database: ReturnType<typeof openDatabase>): Promise<Client> {
  const origin = `http://localhost:${product.port}`;
  const authorization = `Bearer ${await product.createKey()}`;
  const domains = await fetch(`${origin}/v1/domains`, { headers: { authorization } });
  const { data } = (await domains.json()) as { data: { id: string; is_hosted: boolean }[] };
  await fetch(`${origin}/v1/mailboxes`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ domain_id: data.find((each) => each.is_hosted)?.id, local_part: 'web', password: PASSWORD },
    }),
  });
  const row = await database
    .selectFrom('mailboxes')
    .select(['projectId', 'id', 'passwordHash', 'sessionsVersion'])
    .where('localPart', '=', 'web')
    .executeTakeFirstOrThrow();
  const proved = {
    ...{ projectId: row.projectId, mailboxId: row.id },
    ...{ passwordHash: row.passwordHash ?? '', sessionsVersion: row.sessionsVersion },
  };
  const begun = await beginWebSession(database, proved, { address: '127.0.0.1', userAgent: 'bench' });
  if (begun === null) throw new Error('nobody is signed in');
  return {
    projectId: row.projectId,
    mailbox: encodeId('mbx', row.id),
    headers: {
      cookie: `posthorn_mail_${row.id.replaceAll('-', '')}=${begun.token}`,
      'x-csrf-token': csrfTokenOf(begun.token),
      ...{ 'tus-resumable': '1.0.0', origin },
    },
  };
}

async function upload({ port }: Product, { mailbox, headers }: Client, octets: number): Promise<string> {
  const origin = `http://localhost:${port}`;
  const made = await fetch(`${origin}/mail/api/mailboxes/${mailbox}/file-links/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(octets) },
  });
  if (made.status !== 201) throw new Error(await made.text());
  const location = made.headers.get('location') ?? '';
  for (let at = 0; at < octets; at += CHUNK)
    await send(origin + location, headers, at, Math.min(CHUNK, octets - at));
  return location;
}

function send(url: string, headers: Record<string, string>, offset: number, octets: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'PATCH',
      headers: {
        ...{ ...headers, 'upload-offset': String(offset), 'content-length': String(octets) },
        'content-type': 'application/offset+octet-stream',
      },
    });
    request.on('error', reject);
    request.on('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 204) resolve();
      else reject(new Error(`the upload was answered ${answer.statusCode}`));
    });
    let left = octets;
    const more = () => {
      while (left > 0) {
        left -= PIECE.length;
        if (!request.write(PIECE)) {
          request.once('drain', more);
          return;
        }
      }
      request.end();
    };
    more();
  });
}
