import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { ApiKeys, createApiKey } from '../../accounts/keys/api-keys.ts';

let db: TestDatabase;
let projectId: string;
before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database, 'shop');
});
after(() => db[Symbol.asyncDispose]());

const key = (...args: string[]) => posthorn(environmentOf(db), 'key', ...args);
const isValid = async (token: string) => (await new ApiKeys(db.database).authenticate(token, '::1')) !== null;

async function listed(): Promise<{ id: string; name: string; scopes: string[] | null }[]> {
  const { stdout } = await key('list', '--project', 'shop', '--json');
  assert.ok(!stdout.includes('svc_live_'), stdout);
  return (JSON.parse(stdout) as { data: { id: string; name: string; scopes: string[] | null }[] }).data;
}

test('key list prints no tokens, and key revoke accepts an id, a name, or a token on standard input', async () => {
  const create = (name: string) => createApiKey(db.database, projectId, name, ['emails:send']);
  const [ci, twin, twin2, leaked] = [
    await create('ci'),
    await create('twin'),
    await create('twin'),
    await create('x'),
  ];
  const names = (await listed()).map(({ id, name, scopes }) => ({ id, name, scopes }));
  assert.deepEqual(names[0], { id: ci.id, name: 'ci', scopes: ['emails:send'] });
  assert.equal(names.length, 4);

  assert.match(
    (await key('revoke', '--project', 'shop', '--name', 'ci')).stdout,
    /^revoked key_\w+ \(ci\)\n$/,
  );
  const ambiguous = await key('revoke', '--project', 'shop', '--name', 'twin');
  assert.equal(ambiguous.code, 1);
  assert.match(ambiguous.stderr, new RegExp(`several keys .*--id \\(${twin.id}, ${twin2.id}\\)`));
  const byId = await key('revoke', '--project', 'shop', '--id', twin.id, '--json');
  assert.deepEqual(JSON.parse(byId.stdout), { id: twin.id, name: 'twin', revoked: true });
  assert.match(
    (await key('revoke', '--project', 'shop', '--id', twin.id)).stderr,
    /no such key, or it is already revoked/,
  );

  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const revoking = spawn(process.execPath, [program, 'key', 'revoke', '--token-stdin'], {
    env: { ...process.env, ...environmentOf(db) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  revoking.stdin.end(`${leaked.token}\n`);
  assert.match(await text(revoking.stdout), new RegExp(`^revoked ${leaked.id} \\(x\\)`));

  assert.deepEqual(
    (await listed()).map(({ id }) => id),
    [twin2.id],
  );
  assert.deepEqual(await Promise.all([ci, twin, twin2, leaked].map(({ token }) => isValid(token))), [
    false,
    false,
    true,
    false,
  ]);
});

test('key create creates a key with restrictions, which key list prints, and explains invalid restrictions', async () => {
  const created = await key(
    'create',
    '--project',
    'shop',
    '--name',
    'staging',
    '--scopes',
    'emails:send',
    '--json',
    '--from-domains',
    'Acme.example, *.acme.example',
    '--recipients',
    '*@acme.example',
    '--addresses',
    '192.0.2.0/24,2001:db8::7',
    '--expires',
    '2127-01-31',
  );
  assert.deepEqual(Object.keys(JSON.parse(created.stdout) as object), ['id', 'token', 'scopes']);
  const { id } = JSON.parse(created.stdout) as { id: string };
  const [record] = (await listed()).filter((each) => each.id === id);
  assert.partialDeepStrictEqual(record, {
    name: 'staging',
    scopes: ['emails:send'],
    from_domains: ['acme.example', '*.acme.example'],
    recipients: ['*@acme.example'],
    addresses: ['192.0.2.0/24', '2001:db8::7'],
    expires_at: '2127-01-31T00:00:00.000Z',
    last_used_at: null,
  });
  assert.match(
    (await key('list', '--project', 'shop')).stdout,
    /staging {2}never {2}emails:send {2}from acme\.example,\*\.acme\.example to \*@acme\.example at 192\.0\.2\.0\/24,2001:db8::7 until 2127-01-31 00:00:00/,
  );
  for (const [option, value, message] of [
    ['--from-domains', '@acme.example', /from_domains: .*not a domain/],
    ['--recipients', 'acme.example', /recipients: .*\*@acme\.example/],
    ['--addresses', ',', /addresses: must not be empty/],
    ['--expires', '2020-01-01', /expires_at: must be a time in the future/],
    ['--expires', 'tomorrow', /expires: must be a date or a time/],
  ] as const) {
    const { code, stderr } = await key('create', '--project', 'shop', '--name', 'x', option, value);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
});
