/** Tests the examples in each language. `test/faults/examples.test.ts` runs the curl examples in the order of the pages. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApiDocument } from '../../openapi.ts';
import { DocumentReader } from '../reference/document.ts';
import { INSTANCE } from '../site.fixture.ts';
import { curlOf } from './curl.ts';
import { examplesOf } from './examples-view.ts';
import { tryPathOf } from './try-paths.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const reader = new DocumentReader(openApiDocument(null, INSTANCE.hostedDomain));
const inLanguage = (language: string) =>
  reader.operations.flatMap((operation) =>
    examplesOf(operation, reader, INSTANCE)
      .filter((example) => example.language === language)
      .map(({ code }) => ({ name: operation.operationId, code })),
  );
const hasPython = spawnSync('python3', ['--version']).status === 0;

test('every curl example is valid shell, and contains no id or sender that a fresh instance lacks', () => {
  const lines = reader.operations.map((operation) => curlOf(operation, reader, INSTANCE));
  const { status, stderr } = spawnSync('sh', ['-n'], { input: lines.join('\n') });
  assert.equal(status, 0, String(stderr));
  for (const line of lines) assert.doesNotMatch(line, /\{id\}|_[0-9A-Z]{26}|acme\.example>/);
});

test('an example can be tried on the page only if the dashboard returns every documented field', () => {
  const tried = reader.operations.filter((operation) => tryPathOf(operation, reader) !== null);
  assert.deepEqual(
    tried.map(({ operationId }) => operationId),
    [
      'sendEmail',
      'listEmails',
      'getDomain',
      'listWebhooks',
      'listRoutes',
      'getRoute',
      'getTemplate',
      'listSuppressions',
    ],
  );
});

test('an example contains the URL of the service and quotes values for the shell', () => {
  const found = new DocumentReader({
    info: { title: '', version: '' },
    servers: [],
    tags: [],
    paths: {
      '/v1/things/{id}': {
        post: {
          operationId: 'x',
          summary: '',
          tags: [],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: {}, example: 'wh_1' },
            { name: 'q', in: 'query', required: true, schema: { default: 'a b' } },
            { name: 'X-Need', in: 'header', required: true, schema: {} },
          ],
          requestBody: { content: { 'application/json': { example: { a: "it's $HOME" } } } },
          responses: {},
        },
      },
    },
    webhooks: {},
    components: { schemas: {}, securitySchemes: {} },
  });
  const [operation] = found.operations;
  assert.ok(operation);
  assert.equal(
    curlOf(operation, found, { ...INSTANCE, address: 'https://mail.example.com' }),
    `curl -sS -X POST "https://mail.example.com/v1/things/$WEBHOOK_ID?q=a%20b" \\
  -H "Authorization: Bearer $POSTHORN_KEY" \\
  -H 'X-Need: X-NEED' \\
  -H 'Content-Type: application/json' \\
  -d '{
  "a": "it'\\''s $HOME"
}'`,
  );
});

test('every TypeScript example compiles with the SDK', () => {
  // A folder inside the SDK, so that the compiler finds the packages of the SDK.
  const folder = mkdtempSync(join(ROOT, 'sdk/.examples-'));
  try {
    const examples = inLanguage('typescript');
    assert.equal(examples.length, reader.operations.length);
    for (const { name, code } of examples) writeFileSync(join(folder, `${name}.ts`), code);
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: true,
        noPropertyAccessFromIndexSignature: false,
        paths: { '@posthorn/sdk': ['../src/index.ts'] },
      },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every Python example compiles', { skip: hasPython ? false : 'python3 is not installed' }, () => {
  const examples = inLanguage('python').map(({ code }) => code);
  assert.equal(examples.length, reader.operations.length);
  const program = 'import json, sys\nfor code in json.load(sys.stdin): compile(code, "example", "exec")';
  const { status, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(examples) });
  assert.equal(status, 0, String(stderr));
});

test('the operation that sends an email has an SMTP example if the service accepts submissions', () => {
  const [send] = reader.operations;
  assert.ok(send);
  const codeFor = (submission: typeof INSTANCE.submission) =>
    examplesOf(send, reader, { ...INSTANCE, submission }).find(({ language }) => language === 'smtp')?.code;
  assert.equal(codeFor(null), undefined);
  const code = codeFor({ host: 'mail.example', port: 587, security: 'starttls' }) ?? '';
  assert.match(code, /curl -sS smtp:\/\/mail\.example:587 --ssl-reqd --user "apikey:\$POSTHORN_KEY"/);
  assert.equal(spawnSync('sh', ['-n'], { input: code }).status, 0);
});
