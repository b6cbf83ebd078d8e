/** What a newcomer pastes, pasted on a new installation. It is here because it takes its time. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, test } from 'node:test';
import { checkPage, type Element } from '../../src/edge/http/docs/page.fixture.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const END = '--- end of an example ---';

let dns: DnsServer;
let service: Service;
before(async () => {
  // The examples look up a webhook's host and the records of a domain: nothing is there.
  dns = await startDnsServer({});
  service = await startService({ env: { POSTHORN_DNS: dns.address } });
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

/** Pastes texts into one shell, and returns what each printed. */
async function paste(texts: readonly string[]): Promise<string[]> {
  const script = texts.map((text) => `${text}\necho; echo '${END}'`).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: ROOT, env: environment() });
  return stdout.split(`${END}\n`).map((printed) => printed.trim());
}

const inside = (element: Element, ancestor: Element): boolean =>
  element === ancestor || (element.parent !== null && inside(element.parent, ancestor));

test('every example of the reference answers as the page says, in the order of the page', async () => {
  const elements = checkPage(await (await fetch(`${service.baseUrl}/docs`)).text());
  const examples = elements
    .filter(({ name, attributes }) => name === 'article' && attributes['class'] === 'operation')
    .map((article) => {
      const codes = elements.filter((element) => element.name === 'code' && inside(element, article));
      const of = (language: string) =>
        codes.find(({ attributes }) => attributes['class'] === `language-${language}`)?.text;
      return { id: article.attributes['aria-labelledby'] ?? '', command: of('sh') ?? '', answer: of('json') };
    });
  assert.ok(examples.length >= 24);
  const printed = await paste(examples.map(({ command }) => command));
  for (const [at, { id, command, answer }] of examples.entries()) {
    assert.ok(command.includes(service.baseUrl), id);
    const got = printed[at] ?? '';
    if (answer === undefined) assert.equal(got, '', id);
    else assert.deepEqual(missing(JSON.parse(answer), JSON.parse(got)), [], `${id}: ${got}`);
  }
});

/** The paths of what is promised and not there. Null may stand for anything, and the names of headers are the caller's. */
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

test('the page at / has an example that works, and says where the key comes from', async () => {
  const elements = checkPage(await (await fetch(`${service.baseUrl}/`)).text());
  const codes = elements
    .filter(({ attributes }) => attributes['class'] === 'language-sh')
    .map(({ text }) => text);
  const [create = '', given = '', send = ''] = codes;
  assert.equal(given, 'export POSTHORN_KEY=svc_live_...');
  const [made = ''] = await paste([create]);
  const token = /svc_live_\S+/.exec(made)?.[0] ?? '';
  const [answer = ''] = await paste([`export POSTHORN_KEY=${token}\n${send}`]);
  assert.match(answer, /"id":"em_/);
});

test('what README says to paste works', async () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8');
  const blocks = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  const here = (text: string) =>
    text
      .replaceAll('http://localhost:8025', service.baseUrl)
      .replaceAll('imap://localhost:2143', `imap://localhost:${service.imapPort}`)
      .replaceAll('smtp://localhost:2587', `smtp://localhost:${service.submissionPort}`)
      .replace(/^export POSTHORN_KEY=svc_live_\.\.\..*$/m, '');
  const pasted = blocks.filter((block) => block.includes('curl ')).map(here);
  const answers = await paste(pasted);
  assert.match(answers[0] ?? '', /"id":"em_/);
  assert.match(answers[1] ?? '', /"id":"mbx_/);
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
  assert.match(answers[4] ?? '', /"id":"wh_/);
  const inLines = [...readme.matchAll(/`((?:POSTHORN_HOSTNAME=\S+ )?npm run -s posthorn -- [^`]+)`/g)].map(
    ([, line = '']) => line,
  );
  const commands = [...blocks.flatMap((block) => block.split('\n')), ...inLines].filter(
    (line) => /npm run -s posthorn -- /.test(line) && !/-- doctor/.test(line),
  );
  assert.ok(commands.length >= 6, commands.join('\n'));
  for (const command of commands) {
    // A command that does not work ends with another code than 0.
    const direct = command
      .trim()
      .replace('npm run -s posthorn --', () => `'${process.execPath}' src/cli/main.ts`);
    execFileSync('bash', ['-c', direct], { cwd: ROOT, env: environment(), stdio: 'pipe' });
  }
});
