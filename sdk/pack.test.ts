/** Tests the published package: packs and unpacks the package, then uses it with plain JavaScript, TypeScript and a bundler. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');
const SECRET = 'whsec_of_the_tests';
const PAYLOAD =
  '{"id":"evt_1","type":"webhook.test","created_at":"2026-11-20T15:04:05.123Z","data":{"webhook_id":"wh_1"}}';

/** A program that runs in every environment, because it replaces `fetch`. The promise of its result is in `globalThis.done`. */
const PROGRAM = `
import { Posthorn, PosthornError, verifyWebhook } from '@posthorn/sdk';
const answers = [
  new Response('{"id":"em_1","status":"queued"}', { status: 202 }),
  new Response('{"type":"/errors/not-found","title":"Not found","status":404,"instance":"req_1"}', { status: 404 }),
];
const posthorn = new Posthorn({ apiKey: 'svc_live_x', baseUrl: 'https://mail.example.com', fetch: async () => answers.shift() });
globalThis.done = (async () => {
  const { id } = await posthorn.emails.send({ from: 'a@acme.example', to: ['b@example.org'], text: 'hello' });
  const error = await posthorn.emails.get(id).catch((error) => error);
  const t = Math.floor(Date.now() / 1000);
  const event = await verifyWebhook(PAYLOAD, SIGN(t), '${SECRET}');
  return JSON.stringify([id, error instanceof PosthornError, error.type, event.type]);
})();
`;
const RESULT = '["em_1",true,"/errors/not-found","webhook.test"]';

const sign = (t: number) =>
  `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.${PAYLOAD}`).digest('hex')}`;

let folder: string;
let installed: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-sdk-'));
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH']}` };
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: import.meta.dirname,
    env,
  });
  installed = join(folder, 'node_modules/@posthorn/sdk');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', installed, '--strip-components=1']);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
after(() => rm(folder, { recursive: true, force: true }));

test('the package has JavaScript and types, and no tests or dependencies', async () => {
  assert.deepEqual((await readdir(installed)).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = await readdir(join(installed, 'dist'));
  const names = files.filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -'.js'.length));
  assert.deepEqual(files.sort(), names.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).sort());
  assert.ok(!names.some((name) => /test|fixture/.test(name)));
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
  assert.ok(!('dependencies' in manifest));
});

/** All Node versions in PATH, with their paths. */
async function nodes(): Promise<Map<string, string>> {
  const folders = [...new Set((process.env['PATH'] ?? '').split(delimiter))];
  const found = new Map([[process.version, process.execPath]]);
  for (const path of folders.map((folder) => join(folder, 'node'))) {
    const version = await run(path, ['--version']).catch(() => null);
    if (version !== null) found.set(version.stdout.trim(), path);
  }
  return found;
}

test('the package works in each installed Node from version 20, without flags or warnings', async () => {
  const signing = `import { createHmac } from 'node:crypto';
    const PAYLOAD = ${JSON.stringify(PAYLOAD)};
    const SIGN = (t) => 't=' + t + ',v1=' + createHmac('sha256', '${SECRET}').update(t + '.' + PAYLOAD).digest('hex');`;
  await writeFile(join(folder, 'main.js'), `${signing}${PROGRAM}console.log(await globalThis.done);`);
  for (const [version, path] of await nodes()) {
    if (Number.parseInt(version.slice(1), 10) < 20) continue;
    const { stdout, stderr } = await run(path, ['main.js'], { cwd: folder });
    assert.deepEqual({ version, stdout: stdout.trim(), stderr }, { version, stdout: RESULT, stderr: '' });
  }
});

test('a bundle works with browser APIs and without Node', async () => {
  await writeFile(join(folder, 'page.js'), PROGRAM);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'page.js')],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    write: false,
    logLevel: 'silent',
  });
  const page = createContext({
    PAYLOAD,
    SIGN: sign,
    crypto,
    Response,
    Headers,
    URL,
    URLSearchParams,
    AbortController,
    DOMException,
    TextEncoder,
    TextDecoder,
    setTimeout,
    clearTimeout,
  }) as { done: Promise<string> };
  runInContext(outputFiles[0]?.text ?? '', page);
  assert.equal(await page.done, RESULT);
});

test('a bundle that only verifies webhooks does not contain the client', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export { verifyWebhook } from '@posthorn/sdk';`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    write: false,
  });
  assert.doesNotMatch(outputFiles[0]?.text ?? '', /authorization|idempotency/i);
});

/** A program for the type checker, which must report errors at the lines marked as errors, and at no other line. */
const CONSUMER = `
import { Posthorn, PosthornError, verifyWebhook, type EmailDetail, type SendEmail } from '@posthorn/sdk';
const posthorn = new Posthorn({ apiKey: 'svc_live_x', baseUrl: 'https://mail.example.com' });
export async function use(subject: string | undefined, signal: AbortSignal): Promise<EmailDetail> {
  const email: SendEmail = { from: 'a@acme.example', to: ['b@example.org'], subject, text: 'hello' };
  const { id } = await posthorn.emails.send(email, { idempotencyKey: 'order-1', signal });
  // @ts-expect-error neither html nor text
  await posthorn.emails.send({ from: 'a@acme.example', to: ['b@example.org'] });
  // @ts-expect-error no such status
  await posthorn.emails.list({ status: 'lost' });
  // @ts-expect-error no such field
  await posthorn.emails.send({ ...email, replyTo: 'c@example.org' });
  for await (const { status } of posthorn.emails.iterate({ status: 'bounced' })) {
    // @ts-expect-error no such status
    if (status === 'lost') break;
  }
  return posthorn.emails.get(id);
}
export async function receive(body: string, header: string | null): Promise<string> {
  const event = await verifyWebhook(body, header, 'whsec_x');
  switch (event.type) {
    case 'email.bounced':
      return event.data.event_payload.category;
    case 'email.clicked':
      return event.data.event_payload.url ?? '';
    case 'webhook.test':
      return event.data.webhook_id;
    case 'email.sent':
      // @ts-expect-error nothing more is known of an email that was sent
      return event.data.event_payload.recipient;
    default:
      return event.data.email_id;
  }
}
export function tell(error: unknown): string | undefined {
  if (!(error instanceof PosthornError)) throw error;
  return error.type === '/errors/validation-failed' ? error.errors['from'] : error.detail ?? undefined;
}
`;

for (const [name, options] of [
  [
    'a browser, through a bundler',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
  ],
  [
    'Node',
    { module: 'nodenext', lib: ['es2022'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  ],
] as const) {
  test(`the types of the package pass the strictest TypeScript for ${name}`, async () => {
    const project = await mkdtemp(join(folder, 'consumer-'));
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...strict, noEmit: true, target: 'es2022', skipLibCheck: false, ...options };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(project, 'use.ts'), CONSUMER);
    const { stdout } = await run(join(BIN, 'tsc'), ['-p', project]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, '');
  });
}
