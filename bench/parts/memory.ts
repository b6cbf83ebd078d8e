/** Measures the memory of all processes, both the server's own and those of PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startEndToEnd } from '../support/end-to-end.ts';
import type { Context } from '../support/part.ts';
import type { Goal, Row } from '../support/table.ts';
import { formatUsage, memoryMb, total, type Usage } from '../support/usage.ts';

const goal = (limit: number): Goal => ({ on: 'value', sense: 'at most', limit });

export async function memory({ quick, folder, log }: Context): Promise<Row[]> {
  const { product, send } = await startEndToEnd(folder);
  await sleep(quick ? 500 : 10_000);
  const idle = memoryMb(product.processes());
  log(`idle: ${formatUsage(idle)}`);
  const count = quick ? 200 : 10_000;
  await send(count);
  const loaded = memoryMb(product.processes());
  log(`after ${count} emails: ${formatUsage(loaded)}`);
  return [
    row('memory, idle', idle, goal(230)),
    row('memory, just after the end-to-end load', loaded, goal(380)),
  ];
}

function row(measure: string, usage: Usage, goal: Goal): Row {
  return { measure, note: formatUsage(usage), unit: 'MB', runs: [total(usage)], goal };
}
