/** Runs the examples of the documentation on a new installation. This test is in test/faults because it is slow. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, test } from 'node:test';
import { runnable } from '../../src/doors/http/docs/examples/curl.fixture.ts';
import { checkPage, type Element } from '../../src/doors/http/docs/page.fixture.ts';
import { DocumentReader } from '../../src/doors/http/docs/reference/document.ts';
import { openApiDocument } from '../../src/doors/http/openapi.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-ports.ts';
import { type Service, startService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const END = '--- end of an example ---';
/** Whether Python is installed, as on every Debian version used for tests. */
const hasPython = spawnSync('python3', ['--version']).status === 0;

let dns: DnsServer;
let service: Service;
before(async () => {
  // The examples resolve the host of a webhook and check the records of a domain, so the service uses an empty DNS server.
  dns = await startDnsServer({});
  // Examples show a port only if the port was configured.
  const submissionPort = await freePort();
  service = await startService({
    env: { POSTHORN_DNS: dns.address, POSTHORN_SUBMISSION_PORT: String(submissionPort) },
  });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

const environment = () => ({
  ...process.env,
  POSTHORN_DATA: service.dataDir,
  POSTHORN_KEY: service.token ?? '',
});

/** Runs shell texts in one shell, and returns the output of each text. */
async function paste(texts: readonly string[]): Promise<string[]> {
  const script = texts.map((text) => `${text}\necho; echo '${END}'`).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: ROOT, env: environment() });
  return stdout.split(`${END}\n`).map((printed) => printed.trim());
}

const inside = (element: Element, ancestor: Element): boolean =>
  element === ancestor || (element.parent !== null && inside(element.parent, ancestor));

async function elementsAt(path: string): Promise<Element[]> {
  return checkPage(await (await fetch(service.baseUrl + path)).text());
}

test('every example of the API reference, run in the order of its page, returns the documented response', async () => {
  const overview = await elementsAt('/docs/api');
  const pages = new Set(
    overview.flatMap(
      ({ attributes }) => /^\.\.\/docs\/(api\/[\w-]+)#op-/.exec(attributes['href'] ?? '')?.[1] ?? [],
    ),
  );
  const examples: { id: string; command: string; answer: string | undefined }[] = [];
  for (const page of pages) {
    const elements = await elementsAt(`/docs/${page}`);
    for (const article of elements.filter(({ attributes }) => attributes['class'] === 'operation')) {
      const codes = elements.filter((element) => element.name === 'code' && inside(element, article));
      const of = (language: string) =>
        codes.find(({ attributes }) => attributes['class'] === `language-${language}`)?.text;
      const id = article.attributes['aria-labelledby'] ?? '';
      examples.push({ id, command: of('sh') ?? '', answer: of('json') });
    }
  }
  assert.ok(examples.length >= 24);
  const reader = new DocumentReader(openApiDocument(null));
  const instance = {
    address: service.baseUrl,
    webClient: '',
    hostedDomain: 'posthorn.localhost',
    submission: null,
  };
  const printed = await paste(
    examples.map(({ id, command }) => {
      const operation = reader.operations.find(({ operationId }) => `op-${operationId}` === id);
      assert.ok(operation, id);
      return runnable(command, operation, { reader, instance });
    }),
  );
  for (const [at, { id, command, answer }] of examples.entries()) {
    assert.ok(command.includes(service.baseUrl), id);
    const got = printed[at] ?? '';
    if (answer === undefined) assert.equal(got, '', id);
    else assert.deepEqual(missing(JSON.parse(answer), JSON.parse(got)), [], `${id}: ${got}`);
  }
});

/**
 * The paths of fields that the documentation promises and a response lacks. Null matches any value. Headers are not compared, because their
 * names depend on the caller.
 */
function missing(promised: unknown, got: unknown, path = ''): string[] {
  if (Array.isArray(promised) || path === '.headers') return typeof got === 'object' ? [] : [path];
  if (typeof promised !== 'object' || promised === null || got === null)
    return got === undefined ? [path] : [];
  if (typeof got !== 'object') return [path];
  const values = new Map(Object.entries(got));
  return Object.entries(promised).flatMap(([name, value]) =>
    missing(value, values.get(name), `${path}.${name}`),
  );
}

test('the curl, Python and SMTP examples of the first page work with a key created as the page says', async () => {
  const elements = await elementsAt('/docs');
  const codes = elements.filter(
    ({ name, attributes }) => name === 'code' && /^language-(?:sh|python)$/.test(attributes['class'] ?? ''),
  );
  const [create, exported, send, python, smtp] = codes.map(({ text }) => text);
  assert.equal(exported, 'export POSTHORN_KEY=svc_live_...');
  const [created = ''] = await paste([create ?? '']);
  const token = /svc_live_\S+/.exec(created)?.[0] ?? '';
  const [answer = '', fromPython = '', fromSmtp] = await paste([
    `export POSTHORN_KEY=${token}\n${send}`,
    hasPython ? `export POSTHORN_KEY\npython3 - <<'END'\n${python}\nEND` : '',
    smtp ?? 'false',
  ]);
  assert.match(answer, /"id":"em_/);
  if (hasPython) assert.match(fromPython, /'id': 'em_/);
  assert.equal(fromSmtp, '');
  const list = await service.client().get('/v1/emails?limit=10');
  const subjects = (list.body as { data: { subject: string }[] }).data.map(({ subject }) => subject);
  assert.ok(subjects.filter((subject) => subject === 'Your order has shipped').length >= (hasPython ? 3 : 2));
});

test('the commands in README.md succeed', async () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8');
  const blocks = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  const { body: domains } = await service.client().get<{ data: { id: string }[] }>('/v1/domains');
  const here = (text: string) =>
    text
      .replace('dom_...', domains.data[0]?.id ?? '')
      .replaceAll('http://localhost:8025', service.baseUrl)
      .replaceAll('imap://localhost:2143', `imap://localhost:${service.imapPort}`)
      .replaceAll('smtp://localhost:2587', `smtp://localhost:${service.submissionPort}`)
      .replace(/^export POSTHORN_KEY=svc_live_\.\.\..*$/m, '');
  const pasted = blocks.filter((block) => block.includes('curl ')).map(here);
  const answers = await paste(pasted);
  assert.match(answers[0] ?? '', /"id":"em_/);
  assert.match(answers[1] ?? '', /"id":"dom_/);
  assert.match(answers[2] ?? '', /"id":"mbx_/);
  const toSales = (pasted[0] ?? '').replace('you@example.com', 'sales@posthorn.localhost');
  const read = pasted.find((block) => block.includes('imap://')) ?? '';
  await paste([toSales]);
  let inbox: string | undefined;
  await eventually(async () => {
    [inbox] = await paste([read]);
    return /"Note"/.test(inbox ?? '') && /"Hello"/.test(inbox ?? '');
  }, 20_000);
  assert.match(inbox ?? '', /ENVELOPE \("[^"]+" "Hello" .*"sales" "posthorn.localhost"/);
  assert.match(inbox ?? '', /ENVELOPE \("[^"]+" "Note" /);
  assert.match(answers[5] ?? '', /"id":"wh_/);
  const inLines = [...readme.matchAll(/`((?:POSTHORN_HOSTNAME=\S+ )?npm run -s posthorn -- [^`]+)`/g)].map(
    ([, line = '']) => line,
  );
  const commands = [...blocks.flatMap((block) => block.split('\n')), ...inLines].filter(
    (line) => /npm run -s posthorn -- /.test(line) && !/-- doctor/.test(line),
  );
  assert.ok(commands.length >= 6, commands.join('\n'));
  for (const command of commands) {
    // execFileSync throws if a command exits with a code other than 0.
    const direct = command
      .trim()
      .replace('npm run -s posthorn --', () => `'${process.execPath}' src/doors/cli/main.ts`);
    execFileSync('bash', ['-c', direct], { cwd: ROOT, env: environment(), stdio: 'pipe' });
  }
});
