/**
 * Measures the bytes that one email of 2 kB costs in PostgreSQL, from its acceptance until it is sent through a smart host: bytes of the
 * write-ahead log, and bytes that stay in tables.
 *
 * The first change to a page after a checkpoint writes the whole page to the log. A checkpoint precedes the warm-up, and none follows, so
 * these full pages are as rare as on a busy server, which writes up to 2 GB of log between two checkpoints.
 */
import { MESSAGE_BYTES, startEndToEnd } from '../support/end-to-end.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { untilDrained } from '../support/paused-queue.ts';
import type { Product } from '../support/product.ts';
import { type BytesByTable, formatBytes, type LogBytes, logBytes, sizesOf } from '../support/stored-bytes.ts';
import type { Row } from '../support/table.ts';
import { Words } from '../support/words.ts';

const BATCH = 100;
const TIMEOUT_MS = 60_000;
/** The tables that keep rows of an email that is sent. */
const EMAIL_TABLES = ['emails', 'email_contents', 'email_recipients', 'email_tags', 'events', 'deliveries'];

export async function bytes(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const { product } = await startEndToEnd(folder, { root: context.before ?? undefined });
  const client = new Client(product, await product.createKey());
  const [singly, inBatches] = quick ? [40, 200] : [1_500, 3_000];
  await product.query('checkpoint');
  await client.send(singly, 1);
  await client.send(inBatches, BATCH);

  const runs = new Runs();
  const notes = new Map<string, string>();
  const before = await sizesOf(product, EMAIL_TABLES);
  let emails = 0;
  for (const round of rounds(context, 2)) {
    for (const [name, count, size] of [
      ['singly', singly, 1],
      ['in batches', inBatches, BATCH],
    ] as const) {
      const written = await logBytes(product, () => client.send(count, size));
      emails += count;
      const { all = 0, heapOnly = 0 } = written.updates.get('emails') ?? {};
      runs.add(`${name}: log`, written.total / count / 1_000);
      runs.add(`${name}: heap-only`, (100 * heapOnly) / all);
      notes.set(name, describe(written, count));
      log(
        `round ${round}, ${name}: ${(written.total / count / 1_000).toFixed(2)} kB of log per email (${notes.get(name)}); ${heapOnly} of ${all} updates of emails are heap-only`,
      );
    }
  }
  const after = await sizesOf(product, EMAIL_TABLES);
  const grown: BytesByTable = new Map(
    [...after].map(([name, size]) => [name, size - (before.get(name) ?? 0)]),
  );
  const stored = [...grown.values()].reduce((sum, size) => sum + size, 0) / emails;
  return [
    ...(['singly', 'in batches'] as const).flatMap((name): Row[] => [
      {
        measure: `log of PostgreSQL per email of 2 kB, accepted ${name}`,
        note: notes.get(name) ?? '',
        unit: 'kB',
        runs: runs.of(`${name}: log`),
        goal: { on: 'value', sense: 'at most', limit: name === 'singly' ? 7 : 4 },
      },
      {
        measure: `updates of emails that are heap-only, accepted ${name}`,
        unit: '%',
        runs: runs.of(`${name}: heap-only`),
        goal: { on: 'value', sense: 'at least', limit: 80 },
      },
    ]),
    {
      measure: 'stored bytes per sent email of 2 kB',
      note: formatBytes(grown, emails),
      unit: 'kB',
      runs: [stored / 1_000],
      goal: { on: 'value', sense: 'at most', limit: 3.8 },
    },
  ];
}

function describe({ fullPages, byTable }: LogBytes, count: number): string {
  return `full pages ${Math.round(fullPages / count)}, ${formatBytes(byTable, count)}`;
}

/** Sends emails over one connection and waits until they are sent. */
class Client {
  readonly #product: Product;
  readonly #token: string;
  readonly #words = new Words();
  #sent = 0;

  constructor(product: Product, token: string) {
    this.#product = product;
    this.#token = token;
  }

  /** @param size the number of emails in each request */
  async send(count: number, size: number): Promise<void> {
    for (let left = count; left > 0; left -= size) await this.#post(Math.min(size, left), size > 1);
    // Waits for the queue, because reading the emails would change hint bits of their pages.
    await untilDrained(this.#product, TIMEOUT_MS);
  }

  async #post(size: number, isBatch: boolean): Promise<void> {
    const emails = Array.from({ length: size }, () => this.#email());
    const path = isBatch ? '/v1/emails/batch' : '/v1/emails';
    const response = await fetch(`http://127.0.0.1:${this.#product.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(isBatch ? { emails } : emails[0]),
    });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }

  #email() {
    const number = this.#sent++;
    return {
      from: 'a@src.test',
      to: [`b${String(number).padStart(8, '0')}@dst.test`],
      subject: `Your order ${number}`,
      html: this.#html(),
    };
  }

  /** HTML with different words each time. The usual body of benchmarks is a repeated sentence, which PostgreSQL compresses to 100 bytes. */
  #html(): string {
    let html = '';
    while (html.length < MESSAGE_BYTES)
      html += `<p style="margin: 0 0 16px; font-size: 15px">${this.#words.text(120)}</p>\n`;
    return html.slice(0, MESSAGE_BYTES);
  }
}
