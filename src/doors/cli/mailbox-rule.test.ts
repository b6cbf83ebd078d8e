import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';

test('rule and block commands add, change and list rules and blocked senders', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (command: string[], ...args: string[]): Promise<unknown> => {
    const allArgs = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'mailbox', ...command, ...allArgs);
    return code === 0 ? JSON.parse(stdout) : stderr;
  };
  const conditions = ['from contains @news.example', 'size over 5M'];
  const conditionOptions = conditions.flatMap((condition) => ['--if', condition]);
  const added = (await run(
    ['rule', 'add'],
    '--name',
    'News',
    ...conditionOptions,
    '--any',
    '--then',
    'file News',
    '--then',
    'mark read',
  )) as {
    id: string;
  };
  assert.match(added.id, /^rule_/);
  const rule = {
    id: added.id,
    position: 1,
    name: 'News',
    enabled: true,
    match: 'any',
    conditions: ['from contains @news.example', 'size over 5242880'],
    actions: ['file News', 'mark read'],
  };
  assert.deepEqual(added, rule);
  assert.match(
    String(await run(['rule', 'add'], '--name', 'x', '--if', 'body is x', '--then', 'flag')),
    /not a condition/,
  );
  assert.deepEqual(await run(['rule', 'set'], '--id', added.id, '--enabled', 'off'), {
    id: added.id,
    enabled: false,
  });
  assert.deepEqual(await run(['rule', 'list']), { data: [{ ...rule, enabled: false }] });
  const changed = {
    ...rule,
    enabled: false,
    name: 'Shop',
    match: 'all',
    conditions: ['from is a@news.example'],
    actions: ['flag'],
  };
  assert.deepEqual(
    await run(
      ['rule', 'change'],
      '--id',
      added.id,
      '--name',
      'Shop',
      '--if',
      'from is a@news.example',
      '--then',
      'flag',
    ),
    changed,
  );
  assert.deepEqual(await run(['rule', 'list']), { data: [changed] });

  assert.deepEqual(await run(['block', 'add'], '--sender', 'Spam@News.example'), {
    sender: 'spam@news.example',
    blocked: true,
  });
  const { data } = (await run(['block', 'list'])) as { data: { sender: string }[] };
  assert.deepEqual(
    data.map(({ sender }) => sender),
    ['spam@news.example'],
  );
});

test('rule import converts a Sieve script, stores nothing if a command cannot be converted, and shows why', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'sales' });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sieve-'));
  const mailbox = ['--project', 'shop', '--address', 'sales@shop.example'];
  const run = async (script: string, ...args: string[]) => {
    const path = join(folder, 'script');
    writeFileSync(path, script);
    return posthorn(environmentOf(db), 'mailbox', 'rule', 'import', path, ...mailbox, ...args);
  };
  const stored = async () => {
    const { stdout } = await posthorn(environmentOf(db), 'mailbox', 'rule', 'list', ...mailbox, '--json');
    return (JSON.parse(stdout) as { data: { name: string; conditions: string[]; actions: string[] }[] }).data;
  };
  const vacations = () => db.database.selectFrom('mailboxVacations').select('text').execute();
  try {
    const good = 'vacation "Back soon";\n# rule:[A]\nif header "X-A" "1" { fileinto "A"; stop; }\n';
    const bad = `${good}if envelope "from" "a" { discard; }\n`;

    const refused = await run(bad, '--json');
    assert.equal(refused.code, 3);
    assert.partialDeepStrictEqual(JSON.parse(refused.stdout), {
      imported: false,
      rules: [{ name: 'A', match: 'all', conditions: ['header x-a is 1'], actions: ['file A', 'stop'] }],
      vacation: { subject: null, text: 'Back soon', days: 7 },
      not_converted: [{ line: 4, text: 'the test envelope is not supported' }],
    });
    const dry = await run(good, '--dry-run');
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^A: if header x-a is 1, then file A, stop\nvacation reply: Back soon\nNothing/);
    assert.match((await run('if {', '--json')).stderr, /Line 1 of the script: /);
    // The vacation reply is too long, so the rules are not stored either.
    const long = await run(good.replace('Back soon', 'x'.repeat(20_000)));
    assert.match(long.stderr, /text: must have 1 to 16384 bytes/);
    assert.deepEqual([await stored(), await vacations()], [[], []]);

    // The discard is left out too, because the command that is not converted may keep the message.
    const partial = await run(`${bad}if header "X-B" "2" { discard; }\n`, '--partial', '--json');
    assert.equal(partial.code, 3);
    assert.partialDeepStrictEqual(JSON.parse(partial.stdout), { not_converted: [{ line: 4 }, { line: 5 }] });
    assert.partialDeepStrictEqual(await stored(), [
      { name: 'A', conditions: ['header x-a is 1'], actions: ['file A', 'stop'] },
    ]);
    assert.deepEqual(await vacations(), [{ text: 'Back soon' }]);
    assert.equal((await run(good)).code, 0);
    assert.equal((await stored()).length, 2);
    const tooMany = await run('if header "X-A" "1" { stop; }\n'.repeat(99));
    assert.match(tooMany.stderr, /at most 100 rules/);
    assert.equal((await stored()).length, 2);
    const log = await db.database
      .selectFrom('auditLog')
      .select('after')
      .where('projectId', '=', projectId)
      .where('action', '=', 'mailbox.import-rules')
      .execute();
    assert.deepEqual(
      log,
      Array.from([1, 2], () => ({ after: { rules: 1, vacation: true } })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
