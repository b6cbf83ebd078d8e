/** A mailbox that uploads large files as the web client does, as attachments or links, and a visitor who downloads files. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Worker } from 'node:worker_threads';
import { csrfTokenOf } from '../../src/doors/http/browser/csrf.ts';
import type { openDatabase } from '../../src/db/database.ts';
import { beginWebSession } from '../../src/mailboxes/sign-in/web-sessions.ts';
import { encodeId } from '../../src/model/ids.ts';
import type { Product } from './product.ts';

const MIB = 1024 * 1024;
/** The chunk size of the web client. */
const CHUNK = 60 * MIB;
const PASSWORD = 'correct horse battery staple';
const PIECE = Buffer.alloc(MIB, 'a large file ');

export interface LinkClient {
  projectId: string;
  mailbox: string;
  headers: Record<string, string>;
}

export async function signIn(
  product: Product,
  database: ReturnType<typeof openDatabase>,
): Promise<LinkClient> {
  const origin = `http://localhost:${product.port}`;
  const authorization = `Bearer ${await product.createKey()}`;
  const domains = await fetch(`${origin}/v1/domains`, { headers: { authorization } });
  const { data } = (await domains.json()) as { data: { id: string; is_hosted: boolean }[] };
  await fetch(`${origin}/v1/mailboxes`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      domain_id: data.find((each) => each.is_hosted)?.id,
      local_part: 'web',
      password: PASSWORD,
    }),
  });
  const row = await database
    .selectFrom('mailboxes')
    .select(['projectId', 'id', 'passwordHash', 'sessionsVersion'])
    .where('localPart', '=', 'web')
    .executeTakeFirstOrThrow();
  const proved = {
    projectId: row.projectId,
    mailboxId: row.id,
    passwordHash: row.passwordHash ?? '',
    sessionsVersion: row.sessionsVersion,
  };
  const begun = await beginWebSession(database, proved, { address: '127.0.0.1', userAgent: 'bench' });
  if (begun === null) throw new Error('The sign-in failed');
  return {
    projectId: row.projectId,
    mailbox: encodeId('mbx', row.id),
    headers: {
      cookie: `posthorn_mail_${row.id.replaceAll('-', '')}=${begun.token}`,
      'x-csrf-token': csrfTokenOf(begun.token),
      'tus-resumable': '1.0.0',
      origin,
    },
  };
}

/** Uploads a file. @returns the URL path of the upload */
export async function upload(
  { port }: Product,
  { mailbox, headers }: LinkClient,
  octets: number,
): Promise<string> {
  const origin = `http://localhost:${port}`;
  const made = await fetch(`${origin}/mail/api/mailboxes/${mailbox}/file-links/uploads`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(octets),
      'upload-metadata': `name ${Buffer.from('large.bin').toString('base64')}`,
    },
  });
  if (made.status !== 201) throw new Error(await made.text());
  const location = made.headers.get('location') ?? '';
  for (let at = 0; at < octets; at += CHUNK)
    await send(origin + location, {
      method: 'PATCH',
      expectStatus: 204,
      octets: Math.min(CHUNK, octets - at),
      pieceOf: () => PIECE,
      headers: {
        ...headers,
        'upload-offset': String(at),
        'content-type': 'application/offset+octet-stream',
      },
    });
  return location;
}

/** Uploads an attachment whose bytes are unique. */
export async function attach(
  { port }: Pick<Product, 'port'>,
  { mailbox, headers }: LinkClient,
  octets: number,
): Promise<void> {
  await send(`http://localhost:${port}/mail/api/mailboxes/${mailbox}/uploads?name=large.bin`, {
    method: 'POST',
    expectStatus: 201,
    octets,
    pieceOf: () => Buffer.concat([randomBytes(16), PIECE]).subarray(0, MIB),
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  });
}

interface Sending {
  method: 'PATCH' | 'POST';
  headers: Record<string, string>;
  /** The size of the file. Must be a multiple of 1 MiB. */
  octets: number;
  /** Returns the next MiB of the file. */
  pieceOf(): Buffer;
  expectStatus: number;
}

function send(url: string, { method, headers, octets, pieceOf, expectStatus }: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      headers: { ...headers, 'content-length': String(octets) },
    });
    request.on('error', reject);
    request.on('response', (answer) => {
      answer.resume();
      if (answer.statusCode === expectStatus) resolve();
      else reject(new Error(`The upload returned ${answer.statusCode}`));
    });
    let left = octets;
    const more = () => {
      while (left > 0) {
        left -= MIB;
        if (!request.write(pieceOf())) {
          request.once('drain', more);
          return;
        }
      }
      request.end();
    };
    more();
  });
}

/** The SHA-256 of the file that `upload` sends. */
export function digestOf(octets: number): string {
  const sent = createHash('sha256');
  for (let at = 0; at < octets; at += PIECE.length) sent.update(PIECE.subarray(0, octets - at));
  return sent.digest('hex');
}

/** Creates a link to an upload and downloads the file with the public URL. @param digest the expected SHA-256 */
export async function download(
  { port }: Product,
  { mailbox, headers }: LinkClient,
  location: string,
  digest: string,
): Promise<void> {
  const origin = `http://localhost:${port}`;
  const made = await fetch(`${origin}/mail/api/mailboxes/${mailbox}/file-links`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ files: [location.split('/').at(-1)] }),
  });
  if (made.status !== 201) throw new Error(await made.text());
  const { url } = (await made.json()) as { url: string };
  // The visitor runs in a separate thread, so that its work does not delay other requests.
  const visitor = new Worker(new URL('visitor.ts', import.meta.url), {
    workerData: `${origin}${new URL(url).pathname}/1/large.bin`,
  });
  const [got] = await once(visitor, 'message');
  if (got !== digest) throw new Error('The downloaded file differs from the uploaded one');
}
