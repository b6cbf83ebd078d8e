/** Measures how password guessing affects the owner's sign-in and the API, and whether response times reveal which addresses exist. */
import { join } from 'node:path';
import { openDatabase } from '../../src/db/database.ts';
import { hashPassword } from '../../src/accounts/passwords/password.ts';
import { newUuid } from '../../src/model/ids.ts';
import { type SignInAttempt, SignIn } from '../../src/mailboxes/sign-in/sign-in.ts';
import { measureApi } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import { median, percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const DOMAIN = 'src.test';
const OWNERS = 2_000;
const PASSWORD = 'correct horse battery';
const HOME = '192.0.2.1';
/** How many bots guess passwords at the same time. */
const BOTS = 300;

type Kind = 'wrong password' | 'unknown address' | 'no password';
const KINDS: readonly Kind[] = ['wrong password', 'unknown address', 'no password'];

export async function signingIn(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const durationMs = quick ? 500 : 8_000;
  const product = await startProduct(join(folder, 'product'), {});
  const token = await product.createKey();
  await product.query(`
    insert into mailboxes (project_id, id, domain_id, domain, local_part, local_part_key, password_hash, is_catch_all, quota_mb, created_at)
    select p.id, gen_random_uuid(), d.id, d.name, 'owner' || n, 'owner' || n,
      case when n <= ${OWNERS} then '${await hashPassword(PASSWORD)}' end, false, 1, now()
    from projects p, domains d, generate_series(1, ${OWNERS + 200}) n where p.name = 'default' and d.name = '${DOMAIN}'`);
  await product.query(`
    insert into sign_in_networks (project_id, mailbox_id, network, seen_at)
    select project_id, id, '${HOME}', now() from mailboxes`);
  const database = openDatabase(product.databaseUrl);
  const signIn = new SignIn({
    database,
    databaseUrl: product.databaseUrl,
    processId: newUuid(),
    unseal: () => Promise.reject(new Error('the benchmark has no hashes of other systems')),
    logger: { info: () => {} },
  });
  let bot = 0;
  /** The address of a new bot, in a network of its own (`clientNetwork`) and a wider network of its own (`widerNetwork`, a /24). */
  const elsewhere = (): string => `11.${(++bot >> 8) % 256}.${bot % 256}.1`;
  const guess = async (user: string, address: string, password = `a guess of ${++bot}`): Promise<string> => {
    const attempt: SignInAttempt = {
      user: `${user}@${DOMAIN}`,
      password,
      address,
      door: 'imap',
      access: 'read',
    };
    const result = await signIn.signIn(attempt);
    if (result.outcome === 'signed-in') result.mailbox[Symbol.dispose]();
    return result.outcome;
  };
  let owner = 0;
  const enter = async (): Promise<number> => {
    const startedMs = performance.now();
    const outcome = await guess(`owner${(owner++ % OWNERS) + 1}`, HOME, PASSWORD);
    if (outcome !== 'signed-in') throw new Error(`The owner's sign-in returned ${outcome}`);
    return performance.now() - startedMs;
  };
  const ownersFor = async (durationMs: number): Promise<number[]> => {
    const took: number[] = [];
    for (const untilMs = performance.now() + durationMs; performance.now() < untilMs; )
      took.push(await enter());
    return took.toSorted((a, b) => a - b);
  };
  const api = () => measureApi(product.port, token, durationMs);
  const flood = async (isOver: () => boolean): Promise<Record<string, number>> => {
    const outcomes: Record<string, number> = {};
    const one = async (n: number): Promise<void> => {
      while (!isOver()) {
        const outcome = await guess(`unknown${n}-${++bot}`, elsewhere());
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        // Pause: an attempt that is refused at once would otherwise keep this process busy.
        if (outcome === 'try-later') await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all(Array.from({ length: BOTS }, (_, n) => one(n)));
    return outcomes;
  };

  const runs = new Runs();
  for (const _ of rounds(context)) {
    const times = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
    for (let n = 0; n < (quick ? 5 : 150); n++)
      for (const kind of KINDS) {
        const user = {
          'wrong password': `owner${n + 1}`,
          'unknown address': `unknown${n}`,
          'no password': `owner${OWNERS + 1 + n}`,
        }[kind];
        const startedMs = performance.now();
        await guess(user, elsewhere());
        times.get(kind)?.push(performance.now() - startedMs);
      }
    for (const [kind, took] of times) runs.add(kind, median(took));
    const alone = await ownersFor(durationMs);
    runs.add('owner alone', percentile(alone, 0.99));
    runs.add('api alone', (await api()).p99Ms);
    let isOver = false;
    const flooding = flood(() => isOver);
    const [beside, { p99Ms }] = await Promise.all([ownersFor(durationMs), api()]);
    isOver = true;
    const outcomes = await flooding;
    runs.add('owner', percentile(beside, 0.99));
    runs.add('api', p99Ms);
    const startedMs = performance.now();
    for (let n = 0; n < 200; n++) await guess('owner1', HOME, PASSWORD);
    runs.add('memory', (performance.now() - startedMs) / 200);
    log(
      `guesses: ${JSON.stringify(outcomes)}; owner sign-ins alone ${alone.length}, beside them ${beside.length}`,
    );
  }
  await signIn[Symbol.asyncDispose]();
  await database.destroy();
  return [
    {
      measure: `an owner signs in beside ${BOTS} bots: p99`,
      unit: 'ms',
      runs: runs.of('owner'),
      baseline: { name: 'alone', runs: runs.of('owner alone') },
      goal: { on: 'value', sense: 'at most', limit: 500 },
    },
    { measure: 'each sign-in of an app that signed in before', unit: 'ms', runs: runs.of('memory') },
    {
      measure: 'small emails beside guesses: p99, increase over alone',
      unit: 'ms',
      runs: runs.of('api').map((ms, round) => ms - (runs.of('api alone')[round] ?? 0)),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
    ...(['unknown address', 'no password'] as const).map(
      (kind): Row => ({
        measure: `rejected sign-in: ${kind}`,
        unit: 'ms',
        runs: runs.of(kind),
        baseline: { name: 'wrong password', runs: runs.of('wrong password') },
        goal: { on: 'ratio', sense: 'at most', limit: 1.1 },
      }),
    ),
  ];
}
