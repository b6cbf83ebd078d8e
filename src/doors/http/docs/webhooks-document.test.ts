import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkDelivery } from '../../../../test/support/webhook-contract.ts';
import { verifyWebhook } from '../../../../docs/webhook-verification/verify.ts';
import { storedEvent } from '../../../contract/stored-event.ts';
import { BOUNCE_CATEGORIES } from '../../../model/bounce.ts';
import type { EmailStage } from '../../../model/email-status.ts';
import { EVENT_KEYS, TEST_EVENT } from '../../../model/event-keys.ts';
import { decodeId, type IdPrefix } from '../../../model/ids.ts';
import { retryDelayMs } from '../../../webhooks/deliver/attempt-outcome.ts';
import { emailPayload, testPayload } from '../../../webhooks/payload.ts';
import { openApiDocument } from '../openapi.ts';
import { checkPage } from './page.fixture.ts';
import { DocsSite } from './site.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../../docs');
const source = await readFile(join(DOCUMENTS, 'webhooks.md'), 'utf8');

interface Example {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

const examples = blocks('json').map((block) => JSON.parse(block) as Example);

function blocks(language: string): string[] {
  return [...source.matchAll(/^```(\w+)\n([^]*?)\n```$/gm)].flatMap(([, name, code]) =>
    name === language && code !== undefined ? [code] : [],
  );
}

test('docs/webhooks.md has a section with an example for each event type, and no other sections', () => {
  const types = [...EVENT_KEYS, TEST_EVENT];
  assert.deepEqual(examples.map(({ type }) => type).sort(), types.toSorted());
  const sections = [...source.matchAll(/^### `([\w.]+)`$/gm)].map(([, type]) => type);
  assert.deepEqual(
    sections,
    examples.map(({ type }) => type),
  );
});

for (const example of examples) {
  test(`the example of ${example.type} equals the event that the service would send`, () => {
    assert.equal(JSON.stringify(example), built(example));
    checkDelivery(JSON.stringify(example));
  });
}

test('each section has the summary and the example of the event in the OpenAPI document', () => {
  for (const [type, { post }] of Object.entries(openApiDocument(null).webhooks)) {
    const [, text = ''] = source.split(`### \`${type}\`\n\n`);
    const words = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/ \(`[^)]*\)/g, '');
    assert.ok(words.replaceAll(/\s+/g, ' ').startsWith(post.summary), type);
    assert.deepEqual(
      post.requestBody.content['application/json']?.example,
      examples.find((example) => example.type === type),
    );
  }
});

test('the tables list the fields of the schema and the categories in the code', () => {
  const [, table = ''] = source.split('`data` has these fields:');
  const rows = [...(table.split('\n\n')[1] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(rows, Object.keys(examples[0]?.data ?? {}));
  const [, categories = ''] = /- `category` is one of ([^.]*)\./.exec(source) ?? [];
  assert.deepEqual(
    [...categories.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    BOUNCE_CATEGORIES,
  );
});

/** Builds the event as the service would send it, from the values of the example. */
function built({ id, type, data }: Example): string {
  const eventId = uuid('evt', id);
  if (type === TEST_EVENT) return testPayload({ eventId, webhookId: uuid('wh', data['webhook_id']) });
  const detail = data['event_payload'] as { recipient: string } | null;
  return emailPayload({
    ...storedEvent({ type: data['status'] as EmailStage, detail }),
    eventId,
    recipient: detail?.recipient ?? null,
    emailId: uuid('em', data['email_id']),
    sender: data['from'] as string,
    toList: data['to'] as string[],
    subject: data['subject'] as string,
    tags: data['tags'] as string[],
    providerMessageId: data['provider_message_id'] as string | null,
  });
}

function uuid(prefix: IdPrefix, id: unknown): string {
  const decoded = decodeId(prefix, String(id));
  assert.ok(decoded, `${String(id)} is not an id`);
  return decoded;
}

for (const [language, file] of [
  ['ts', 'verify.ts'],
  ['python', 'verify.py'],
  ['go', 'verify.go'],
  ['php', 'verify.php'],
  ['ruby', 'verify.rb'],
  ['typescript', 'standard-webhooks.ts'],
] as const) {
  test(`the ${language} code on the page equals ${file}`, async () => {
    const code = await readFile(join(DOCUMENTS, 'webhook-verification', file), 'utf8');
    assert.deepEqual(blocks(language), [code.trimEnd()]);
  });
}

test('the sample signature is valid', () => {
  const [header = '', body = ''] = blocks('text');
  const secret = /`(whsec_\w+)`/.exec(source)?.[1] ?? '';
  const time = Number(/t=(\d+)/.exec(header)?.[1]);
  assert.ok(verifyWebhook(secret, header, Buffer.from(body), time));
});

test('the retry schedule on the page equals the schedule of the code', () => {
  const rows = [...source.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, n, wait, sum]) => [
    Number(n),
    wait === 'at once' ? 0 : seconds(wait ?? ''),
    seconds(sum ?? ''),
  ]);
  let total = 0;
  const expected = Array.from({ length: 12 }, (_, n) => {
    const wait = n === 0 ? 0 : Number(retryDelayMs(n, 12, 0)) / 1_000;
    total += wait;
    return [n + 1, wait, total];
  });
  assert.deepEqual(rows, expected);
  assert.ok(source.includes(`${total.toLocaleString('en')} seconds`));
});

function seconds(text: string): number {
  const units: Record<string, number> = { h: 3600, min: 60, s: 1 };
  return [...text.matchAll(/(\d+) (\w+)/g)].reduce(
    (sum, [, n, unit = '']) => sum + Number(n) * (units[unit] ?? NaN),
    0,
  );
}

test('the rendered page contains the whole text of docs/webhooks.md', async () => {
  const site = await DocsSite.open(openApiDocument(null), {
    address: 'http://localhost:8025',
    webClient: 'http://localhost:8025/mail',
    hostedDomain: 'hosted.example',
    submission: null,
  });
  const elements = checkPage(site.page('webhooks') ?? '');
  const heading = elements.find(({ name }) => name === 'h1');
  const text = elements.find(({ attributes }) => attributes['class'] === 'text');
  const turn = elements.find(({ attributes }) => attributes['class'] === 'turn');
  // Ignore Markdown markup and whitespace.
  const letters = (text: string) => text.replaceAll(/[\s`*#|[\]-]/g, '');
  const unmarked = source.replaceAll(/^```\w+$|\]\([^()]*\)|^\d+\. /gm, '');
  const shown = `${heading?.text}${text?.text}`.replace(turn?.text ?? '', '');
  assert.equal(letters(shown), letters(unmarked));
});
