import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../test/support/processor-time.ts';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { describeError } from './describe-error.ts';

const shown = (error: unknown): string => JSON.stringify(describeError(error));

suite('a PostgreSQL error', () => {
  let db: TestDatabase;
  before(async () => {
    db = await testDatabase();
  });
  after(() => db[Symbol.asyncDispose]());

  const refused: { what: string; statement: (secret: string) => ReturnType<typeof sql>; code: string }[] = [
    {
      what: 'JSON that PostgreSQL cannot store',
      statement: (secret) => sql`select ${`{"to": "${secret}", "nul": "\\u0000"}`}::jsonb`,
      code: '22P05',
    },
    { what: 'text that is not a number', statement: (secret) => sql`select ${secret}::int`, code: '22P02' },
    {
      what: 'a duplicate row',
      statement: (secret) =>
        sql`with one as (insert into settings (name, value) values (${secret}, 'x')) insert into settings (name, value) values (${secret}, 'x')`,
      code: '23505',
    },
  ];
  for (const { what, statement, code } of refused) {
    test(`about ${what} is described without the values of the statement`, async () => {
      const secret = 'the secret of ada@example.com';
      const error: unknown = await statement(secret)
        .execute(db.database)
        .catch((reason: unknown) => reason);
      assert.ok(error instanceof Error);
      assert.match(JSON.stringify({ ...error, message: error.message }), /secret|ada/);
      assert.equal(describeError(error)['code'], code);
      assert.doesNotMatch(shown(error), /secret|ada/);
    });
  }
});

const cases: { what: string; error: () => unknown; hidden: RegExp; kept: RegExp }[] = [
  {
    what: 'an invalid URL',
    error: () => {
      try {
        return new URL('http://user:hidden@[hidden/?hidden');
      } catch (error) {
        return error;
      }
    },
    hidden: /hidden/,
    kept: /ERR_INVALID_URL/,
  },
  {
    what: 'invalid JSON',
    error: () => {
      try {
        return JSON.parse('{"subject": hidden}');
      } catch (error) {
        return error;
      }
    },
    hidden: /hidden/,
    kept: /SyntaxError.*is not valid JSON/,
  },
  {
    what: 'an address in its message',
    error: () =>
      new Error('no room for hidden.one@example.com, "hidden two"@example.com or <hidden@[192.0.2.1]>'),
    hidden: /hidden/,
    kept: /no room for <address>, <address> or <<address>>/,
  },
  {
    what: 'a URL in its message',
    error: () => new Error('GET https://user:hidden@example.com:8443/hooks/hidden?key=hidden#hidden failed'),
    hidden: /hidden/,
    kept: /GET https:\/\/example\.com:8443\/… failed/,
  },
  {
    what: 'credentials in its message',
    error: () => new TypeError('Invalid header "Bearer svc_live_hidden", whsec_hidden-hidden+hidden/hidden'),
    hidden: /hidden/,
    kept: /TypeError.*Bearer <secret>/,
  },
  {
    what: 'an address in the message of its cause',
    error: () => new Error('outer', { cause: new Error('inner, of hidden@example.com') }),
    hidden: /hidden/,
    kept: /outer.*caused by: Error: inner, of <address>/,
  },
  {
    what: 'foreign properties',
    error: () => Object.assign(new Error('failed'), { parameters: ['hidden'], code: 'E1', errno: -5 }),
    hidden: /hidden/,
    kept: /"code":"E1","errno":-5/,
  },
  {
    what: 'a message that looks like a stack',
    error: () => new Error('failed\n    at hidden@example.com'),
    hidden: /hidden/,
    kept: /describe-error\.test\.ts/,
  },
  {
    what: 'a thrown value that is not an error',
    error: () => 'hidden',
    hidden: /hidden/,
    kept: /"type":"string"/,
  },
];
for (const { what, error, hidden, kept } of cases) {
  test(`the description of an error omits ${what}`, () => {
    const text = shown(error());
    assert.doesNotMatch(text, hidden);
    assert.match(text, kept);
  });
}

test('the described stack has the position of the error and at most 2,000 characters', () => {
  const error = new Error('x'.repeat(100_000));
  const { stack, message } = describeError(error) as { stack: string; message: string };
  assert.equal(message.length, 500);
  assert.ok(stack.length <= 2_000);
  assert.match(stack, /\n {4}at .*describe-error\.test\.ts:\d+/);
});

test('any error message is described without throwing and without addresses', () => {
  const local = fc.stringMatching(/^[a-z0-9!#$%&'*+/?^_`{|}~.-]{1,64}$/);
  fc.assert(
    fc.property(fc.string(), local, fc.string(), (before, name, after) => {
      const text = shown(new Error(`${before} ${name}@example.com ${after}`));
      assert.ok(!text.includes(`${JSON.stringify(name).slice(1, -1)}@example.com`));
    }),
  );
});

test('a hostile error message is described in bounded time', () => {
  for (const part of ['a', 'a@', '"', '"@', '://', 'a://', 'whsec_', '<', 'http://a@']) {
    const usedMs = processorClock();
    shown(new Error(part.repeat(1_000_000 / part.length)));
    assert.ok(usedMs() < 2_000, part);
  }
});
