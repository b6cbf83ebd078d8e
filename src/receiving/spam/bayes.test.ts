import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { Bayes, LEAST_LESSONS, type SpamKind } from './bayes.ts';
import { spamProbability } from './chi-square.ts';
import { letter } from './spam-mail.fixture.ts';
import { TOKEN_NUMBERS, tokensOf } from './tokens.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const WORDS: Readonly<Record<SpamKind, string>> = {
  junk: 'casino winner jackpot bonus spins deposit',
  ham: 'meeting invoice project deadline report quarter',
};

const mailOf = (kind: SpamKind, at: number) =>
  letter({ body: `${WORDS[kind]} letter${at}\r\n`, fields: { Subject: `x${at}` } });

async function taught(bayes: Bayes, projectId: string, count: number): Promise<void> {
  for (const kind of ['junk', 'ham'] as const) {
    for (let at = 0; at < count; at++) await bayes.train(projectId, mailOf(kind, at).arrival.raw, kind);
  }
}

const says = async (bayes: Bayes, projectId: string, kind: SpamKind) =>
  (await bayes.reasonsFor(projectId, tokensOf(mailOf(kind, 999)))).map(({ rule }) => rule);

const stored = async (projectId: string) => ({
  training: await db.database
    .selectFrom('spamTraining')
    .select(['junk', 'ham'])
    .where('projectId', '=', projectId)
    .execute(),
  tokens: await db.database
    .selectFrom('spamTokens')
    .select(['token', 'junk', 'ham'])
    .where('projectId', '=', projectId)
    .orderBy('token')
    .execute(),
});

describe('what a project learns', () => {
  test('counts from enough messages of both kinds on, for the project alone', async () => {
    const [projectId, other] = [await newProject(db.database), await newProject(db.database)];
    await taught(new Bayes(db.database), projectId, LEAST_LESSONS - 1);
    assert.deepEqual(await says(new Bayes(db.database), projectId, 'junk'), []);
    const bayes = new Bayes(db.database);
    await taught(bayes, projectId, LEAST_LESSONS);
    assert.deepEqual(await says(bayes, projectId, 'junk'), ['LEARNED_99']);
    assert.deepEqual(await says(bayes, projectId, 'ham'), ['LEARNED_05']);
    assert.deepEqual(await says(bayes, other, 'junk'), []);
  });

  test('counts a message once, by what it was called last', async () => {
    const projectId = await newProject(db.database);
    const bayes = new Bayes(db.database);
    const { raw } = mailOf('junk', 1).arrival;
    await bayes.train(projectId, raw, 'junk');
    const once = await stored(projectId);
    assert.deepEqual(once.training, [{ junk: 1, ham: 0 }]);
    assert.ok(once.tokens.every(({ junk, ham, token }) => junk === 1 && ham === 0 && token < TOKEN_NUMBERS));
    await Promise.all([
      bayes.train(projectId, raw, 'junk'),
      new Bayes(db.database).train(projectId, raw, 'junk'),
    ]);
    assert.deepEqual(await stored(projectId), once);
    await bayes.train(projectId, raw, 'ham');
    const turned = await stored(projectId);
    assert.deepEqual(turned.training, [{ junk: 0, ham: 1 }]);
    assert.ok(turned.tokens.every(({ junk, ham }) => junk === 0 && ham === 1));
  });

  test('is written by several at once without harm', async () => {
    const projects = [await newProject(db.database), await newProject(db.database)];
    const teachers = Array.from({ length: 4 }, () => new Bayes(db.database));
    await Promise.all(
      teachers.flatMap((bayes, teacher) =>
        projects.flatMap((projectId) =>
          Array.from({ length: 10 }, (_, at) =>
            bayes.train(projectId, mailOf('junk', teacher * 10 + at).arrival.raw, 'junk'),
          ),
        ),
      ),
    );
    for (const projectId of projects)
      assert.deepEqual((await stored(projectId)).training, [{ junk: 40, ham: 0 }]);
  });

  test('goes with its project', async () => {
    const projectId = await newProject(db.database);
    await new Bayes(db.database).train(projectId, mailOf('junk', 1).arrival.raw, 'junk');
    await sql`delete from projects where id = ${projectId}`.execute(db.database);
    assert.deepEqual(await stored(projectId), { training: [], tokens: [] });
  });
});

describe('the probability that a message is spam', () => {
  const totals = { junk: 100, ham: 100 };
  const CASES: [name: string, tokens: { junk: number; ham: number }[], from: number, to: number][] = [
    [
      'high where all its words are those of spam',
      Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
      0.99,
      1,
    ],
    ['low where none are', Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })), 0, 0.01],
    [
      'in the middle where they contradict',
      [
        ...Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
        ...Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })),
      ],
      0.4,
      0.6,
    ],
    [
      'still a number with many of them',
      Array.from({ length: 5_000 }, () => ({ junk: 100, ham: 0 })),
      0.99,
      1,
    ],
  ];
  for (const [name, tokens, from, to] of CASES) {
    test(`is ${name}`, () => {
      const probability = spamProbability(tokens, totals);
      assert.ok(probability !== null && probability >= from && probability <= to, `${probability}`);
    });
  }

  test('is not known where too few words say something', () => {
    assert.equal(spamProbability([{ junk: 50, ham: 0 }], totals), null);
    assert.equal(
      spamProbability(
        Array.from({ length: 50 }, () => ({ junk: 10, ham: 10 })),
        totals,
      ),
      null,
    );
  });
});
