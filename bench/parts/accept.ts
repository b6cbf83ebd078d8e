/** Measures how many emails are accepted per second. Each email is stored and synced before its 202. */
import { join } from 'node:path';
import { startFastify } from '../baselines/fastify.ts';
import { startPostfix } from '../baselines/postfix.ts';
import { type LoadJob, runLoad, sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import type { Row } from '../support/table.ts';

const SIZES = [
  { bytes: 2048, size: '2 kB' },
  { bytes: 10_240, size: '10 kB' },
];
/** The size at which response times at half the rate are measured as well. */
const LATENCY_SIZE = '2 kB';

/** The minimum acceptance rate, as a share of the plain group commit's rate. */
const GOAL_OF_GROUP = 0.4;

export async function accept(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const load = quick
    ? { maxRequests: 2_000, durationMs: 500, warmupMs: 100 }
    : { maxRequests: 1_000_000, durationMs: 2_000, warmupMs: 500 };
  const postfixMessages = quick ? 200 : 2_000;

  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' });
  const token = await product.createKey();
  const echoPort = await startFastify('echo');
  const groupPort = await startFastify('group', join(folder, 'group'));
  const postfix = context.postfixMissing === null ? await startPostfix(folder) : null;

  const runs = new Runs();
  const measure = async (
    name: string,
    target: ReturnType<typeof sendEmail>,
    rate: Partial<LoadJob> = {},
  ): Promise<number> => {
    const { perSecond, p50Ms, p99Ms, maxMs } = await runLoad(target, { ...load, ...rate });
    const latency = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(' / ');
    log(`${name}: ${Math.round(perSecond)}/s, p50 / p99 / max ${latency} ms`);
    runs.add(`${name} rate`, perSecond);
    runs.add(`${name} p99`, p99Ms);
    return perSecond;
  };
  for (const round of rounds(context, 2)) {
    for (const { bytes, size } of SIZES) {
      // The larger size has wide margins to its goals.
      if (size !== LATENCY_SIZE && round > 1) continue;
      log(`round ${round}, ${size}`);
      const own = sendEmail(product.port, bytes, token);
      const group = sendEmail(groupPort, bytes, null);
      await measure(`echo ${size}`, sendEmail(echoPort, bytes, null));
      const groupRate = await measure(`group ${size}`, group);
      const ownRate = await measure(`own ${size}`, own);
      if (size === LATENCY_SIZE) {
        await measure(`own half ${size}`, own, { ratePerSecond: ownRate / 2 });
        await measure(`own half of goal ${size}`, own, { ratePerSecond: (groupRate * GOAL_OF_GROUP) / 2 });
        await measure(`group half ${size}`, group, { ratePerSecond: groupRate / 2 });
      }
      if (postfix === null) continue;
      const { acceptPerSecond, drainPerSecond } = await postfix.acceptThenDrain(bytes, postfixMessages);
      log(
        `postfix ${size}: accepts ${Math.round(acceptPerSecond)}/s, then delivers ${Math.round(drainPerSecond)}/s`,
      );
      runs.add(`postfix ${size} rate`, acceptPerSecond);
      runs.add(`postfix ${size} drain`, drainPerSecond);
    }
  }

  return SIZES.flatMap(({ size }): Row[] => {
    const rate = { measure: `accept ${size}`, unit: '/s', runs: runs.of(`own ${size} rate`) };
    const against = (name: string, key: string) => ({ name, runs: runs.of(`${key} ${size} rate`) });
    const ofPostfix: Row[] = [
      {
        ...rate,
        baseline: against('Postfix accepts', 'postfix'),
        goal: { on: 'ratio', sense: 'at least', limit: 4 },
      },
      {
        measure: `Postfix only: from its full queue to the sink, ${size}`,
        unit: '/s',
        runs: runs.of(`postfix ${size} drain`),
      },
    ];
    const ofHalfRate: Row[] = [
      {
        measure: `accept ${size} at half its rate: p99`,
        unit: 'ms',
        runs: runs.of(`own half ${size} p99`),
        baseline: {
          name: 'Fastify, group commit, at half its rate',
          runs: runs.of(`group half ${size} p99`),
        },
      },
      {
        measure: `accept ${size} at half the goal's rate: p99`,
        unit: 'ms',
        runs: runs.of(`own half of goal ${size} p99`),
        goal: { on: 'value', sense: 'at most', limit: 20 },
      },
    ];
    return [
      { ...rate, baseline: against('Fastify without storing', 'echo') },
      {
        ...rate,
        baseline: against('Fastify, group commit', 'group'),
        goal: { on: 'ratio', sense: 'at least', limit: GOAL_OF_GROUP },
      },
      {
        measure: `accept ${size}, 64 clients at full rate: p99`,
        unit: 'ms',
        runs: runs.of(`own ${size} p99`),
      },
      ...(size === LATENCY_SIZE ? ofHalfRate : []),
      ...(postfix === null ? [] : ofPostfix),
    ];
  });
}
