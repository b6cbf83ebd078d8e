/** Measures how many emails per second get from the API to the next mail server. */
import { startPostfix } from '../baselines/postfix.ts';
import { MESSAGE_BYTES, startEndToEnd } from '../support/end-to-end.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import type { Row } from '../support/table.ts';
import { cpuSeconds, formatUsage, microsEach, total, type Usage } from '../support/usage.ts';

export async function e2e(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const [count, ofPostfix] = quick ? [200, 200] : [10_000, 5_000];
  const { product, send } = await startEndToEnd(folder);
  const postfix = context.postfixMissing === null ? await startPostfix(folder) : null;
  // Warm up: the first run also compiles code and unseals keys.
  await send(quick ? 50 : 1_000);

  const runs = new Runs();
  let spent: Usage = {};
  for (const round of rounds(context)) {
    const before = cpuSeconds(product.processes());
    const { acceptPerSecond, toSinkMs, toSentMs } = await send(count);
    spent = microsEach(before, cpuSeconds(product.processes()), count);
    const [toSink, toSent] = [(count * 1000) / toSinkMs, (count * 1000) / toSentMs];
    runs.add('accept', acceptPerSecond);
    runs.add('to sink', toSink);
    runs.add('to sent', toSent);
    runs.add('cpu', total(spent));
    log(
      `round ${round}: accepted ${Math.round(acceptPerSecond)}/s, at the sink ${Math.round(toSink)}/s, shown as sent ${Math.round(toSent)}/s`,
    );
    log(`round ${round}: µs of CPU per message: ${formatUsage(spent)}`);
    if (postfix === null) continue;
    const perSecond = await postfix.endToEnd(MESSAGE_BYTES, ofPostfix);
    runs.add('postfix', perSecond);
    log(`round ${round}: Postfix ${Math.round(perSecond)}/s`);
  }

  const against =
    postfix === null ? {} : { baseline: { name: 'Postfix to the sink', runs: runs.of('postfix') } };
  return [
    {
      measure: 'end to end 2 kB, until the sink has received all',
      unit: '/s',
      runs: runs.of('to sink'),
      ...against,
      goal: { on: 'ratio', sense: 'at least', limit: 1.5 },
    },
    {
      measure: 'end to end 2 kB, until all have status sent',
      unit: '/s',
      runs: runs.of('to sent'),
      ...against,
    },
    { measure: 'accept 2 kB during the end-to-end run', unit: '/s', runs: runs.of('accept') },
    {
      measure: 'CPU per message',
      note: formatUsage(spent),
      unit: 'µs',
      runs: runs.of('cpu'),
      goal: { on: 'value', sense: 'at most', limit: 850 },
    },
  ];
}
