import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { Store } from '../../store/store.ts';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { JunkLessons } from './junk-lessons.ts';
import { Bayes, LEAST_LESSONS, type SpamKind } from './bayes.ts';
import { spamProbability } from './chi-square.ts';
import type { Mail } from './mail.ts';
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

const trainingOf = ({ arrival: { raw } }: Mail) => ({ digest: hash('sha256', raw, 'buffer'), head: raw });

async function trainBoth(bayes: Bayes, projectId: string, count: number): Promise<void> {
  for (const kind of ['junk', 'ham'] as const) {
    for (let at = 0; at < count; at++) await bayes.train(projectId, trainingOf(mailOf(kind, at)), kind);
  }
}

const rulesFor = async (bayes: Bayes, projectId: string, kind: SpamKind) =>
  (await bayes.reasonsFor(projectId, tokensOf(mailOf(kind, 999)))).map(({ rule }) => rule);

const storedOf = async (projectId: string) => ({
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

describe('the learned filter of a project', () => {
  test('applies only after enough messages of both kinds, and only to its own project', async () => {
    const [projectId, other] = [await newProject(db.database), await newProject(db.database)];
    await trainBoth(new Bayes(db.database), projectId, LEAST_LESSONS - 1);
    assert.deepEqual(await rulesFor(new Bayes(db.database), projectId, 'junk'), []);
    const bayes = new Bayes(db.database);
    await trainBoth(bayes, projectId, LEAST_LESSONS);
    assert.deepEqual(await rulesFor(bayes, projectId, 'junk'), ['LEARNED_99']);
    assert.deepEqual(await rulesFor(bayes, projectId, 'ham'), ['LEARNED_05']);
    assert.deepEqual(await rulesFor(bayes, other, 'junk'), []);
  });

  test('counts a message once, with its last classification', async () => {
    const projectId = await newProject(db.database);
    const bayes = new Bayes(db.database);
    const raw = trainingOf(mailOf('junk', 1));
    await bayes.train(projectId, raw, 'junk');
    const once = await storedOf(projectId);
    assert.deepEqual(once.training, [{ junk: 1, ham: 0 }]);
    assert.ok(once.tokens.every(({ junk, ham, token }) => junk === 1 && ham === 0 && token < TOKEN_NUMBERS));
    await Promise.all([
      bayes.train(projectId, raw, 'junk'),
      new Bayes(db.database).train(projectId, raw, 'junk'),
    ]);
    assert.deepEqual(await storedOf(projectId), once);
    await bayes.train(projectId, raw, 'ham');
    const turned = await storedOf(projectId);
    assert.deepEqual(turned.training, [{ junk: 0, ham: 1 }]);
    assert.ok(turned.tokens.every(({ junk, ham }) => junk === 0 && ham === 1));
  });

  test('can be trained concurrently', async () => {
    const projects = [await newProject(db.database), await newProject(db.database)];
    const teachers = Array.from({ length: 4 }, () => new Bayes(db.database));
    await Promise.all(
      teachers.flatMap((bayes, teacher) =>
        projects.flatMap((projectId) =>
          Array.from({ length: 10 }, (_, at) =>
            bayes.train(projectId, trainingOf(mailOf('junk', teacher * 10 + at)), 'junk'),
          ),
        ),
      ),
    );
    for (const projectId of projects)
      assert.deepEqual((await storedOf(projectId)).training, [{ junk: 40, ham: 0 }]);
  });

  test('is deleted with its project', async () => {
    const projectId = await newProject(db.database);
    await new Bayes(db.database).train(projectId, trainingOf(mailOf('junk', 1)), 'junk');
    await sql`delete from projects where id = ${projectId}`.execute(db.database);
    assert.deepEqual(await storedOf(projectId), { training: [], tokens: [] });
  });
});

describe('moving a message', () => {
  test('into or out of Junk trains the filter once, and between other folders does not', async () => {
    const bayes = new Bayes(db.database);
    const blobs = new Blobs(db.database, new ObjectFiles('/nowhere'));
    const lessons = new JunkLessons({ database: db.database, blobs, bayes });
    const store = new Store(db.database, null, lessons.learn);
    const mailbox = await newMailbox(db.database);
    const { raw } = mailOf('junk', 1).arrival;
    const [stored] = await store.append([newMessage(mailbox, { bytes: raw })]);
    assert.ok(stored?.outcome === 'stored');
    let at = { folderId: stored.folderId, uid: stored.uid };
    const move = async (role: FolderRole) => {
      const result = await store.move(
        { ...mailbox, folderId: at.folderId },
        [{ first: at.uid, last: at.uid }],
        { role },
      );
      assert.ok(result.outcome === 'filed');
      at = { folderId: result.folderId, uid: result.uids[0]?.to ?? 0 };
      await lessons[Symbol.asyncDispose]();
      const [learned] = (await storedOf(mailbox.projectId)).training;
      return learned === undefined ? null : [learned.junk, learned.ham];
    };
    assert.equal(await move('archive'), null);
    assert.deepEqual(await move('junk'), [1, 0]);
    assert.deepEqual(await move('trash'), [1, 0]);
    assert.deepEqual(await move('junk'), [1, 0]);
    assert.deepEqual(await move('inbox'), [0, 1]);
  });
});

describe('the probability that a message is spam', () => {
  const totals = { junk: 100, ham: 100 };
  const CASES: [name: string, tokens: { junk: number; ham: number }[], from: number, to: number][] = [
    [
      'is high if all its words are spam words',
      Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
      0.99,
      1,
    ],
    ['is low if it has no spam words', Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })), 0, 0.01],
    [
      'is medium if spam words and other words balance',
      [
        ...Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
        ...Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })),
      ],
      0.4,
      0.6,
    ],
    [
      'is a number even for many words',
      Array.from({ length: 5_000 }, () => ({ junk: 100, ham: 0 })),
      0.99,
      1,
    ],
  ];
  for (const [name, tokens, from, to] of CASES) {
    test(name, () => {
      const probability = spamProbability(tokens, totals);
      assert.ok(probability !== null && probability >= from && probability <= to, `${probability}`);
    });
  }

  test('is unknown if too few words are significant', () => {
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
