/** Checks docs/contract.md against the operations, the errors and all files that cite it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../model/app-error.ts';
import { RELAY_ORDERS } from '../../../model/relay-orders.ts';
import { OPERATIONS } from '../v1/operations.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const CITING = ['{src,test,bench}/**/*.{ts,sql,txt}', 'sdk/{,src/}*.ts'];
const SELF = 'src/doors/http/docs/contract-page.test.ts';

const page = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
/** The text below each heading, up to the next heading. */
const sections = new Map(
  page
    .split(/^#{2,3} /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

/** The text after each mention of the page's path, including comments that continue on the next line. */
function citedIn(text: string): string[] {
  const joined = text.replaceAll(/\s*\n\s*(?:\*|\/\/|--)?\s*/g, ' ');
  return joined.split(/docs\/contract\.md\b/).slice(1);
}

function isHeading(cited: string): boolean {
  return [...sections.keys()].some(
    (heading) => cited.startsWith(`, ${heading}`) && !/^\w/.test(cited.slice(heading.length + 2)),
  );
}

/** Citations of texts outside the repository. */
const ELSEWHERE =
  /\bcontract,? rows?\b|\brows? \d+(?: (?:to|and) \d+)? of the contract\b|(?:\(|\*\* )contract, |\bdecisions, /i;

const files = globSync(CITING, { cwd: ROOT })
  .filter((file) => file !== SELF)
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

test('every citation of docs/contract.md names one of its headings', () => {
  const cited = files.flatMap(({ file, text }) => citedIn(text).map((what) => ({ file, what })));
  assert.deepEqual(
    cited.filter(({ what }) => !isHeading(what)).map(({ file, what }) => `${file}: ${what.slice(0, 60)}`),
    [],
  );
  assert.ok(cited.length > 50);
});

test('no file cites texts outside the repository', () => {
  assert.deepEqual(
    files.filter(({ text }) => ELSEWHERE.test(text)).map(({ file }) => file),
    [],
  );
});

test('docs/contract.md lists the header fields that instruct a relay', () => {
  const cells = (sections.get('Header fields') ?? '').matchAll(/^\| [^|]+ \| (`[^|]+`) \|$/gm);
  const listed = [...cells].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  assert.deepEqual(listed.toSorted(), RELAY_ORDERS.toSorted());
});

test('the headings of docs/contract.md are unique', () => {
  const headings = page.match(/^#{2,3} .*/gm) ?? [];
  assert.equal(headings.length, sections.size);
});

for (const { operationId, method, path, scope, success, errors = [] } of OPERATIONS) {
  test(`docs/contract.md documents ${operationId} with its heading, route and errors`, () => {
    const section = sections.get(operationId) ?? '';
    assert.ok(section.includes(`\`${method} /v1${path}\` · scope \`${scope}\` · ${success.status}\n`));
    for (const code of errors) assert.ok(section.includes(`(errors.md#${code})`), code);
    assert.ok(sections.get('Scopes')?.includes(`[${operationId}](#${operationId.toLowerCase()})`));
  });
}

test('docs/contract.md links to every error', () => {
  assert.deepEqual(
    ERROR_CODES.filter((code) => !page.includes(`(errors.md#${code})`)),
    [],
  );
});

const CITATIONS: [text: string, isGood: boolean][] = [
  ['(docs/contract.md, Status of an email)', true],
  ['/**\n * See docs/contract.md,\n * Status of an email. */', true],
  ['docs/contract.md, sendEmail', true],
  ['docs/contract.md, Deliveries 2', true],
  ['docs/contract.md, sendEmails', false],
  ['see docs/contract.md', false],
];
for (const [text, isGood] of CITATIONS) {
  test(`the citation check ${isGood ? 'accepts' : 'rejects'} ${JSON.stringify(text)}`, () =>
    assert.deepEqual(citedIn(text).map(isHeading), [isGood]));
}
