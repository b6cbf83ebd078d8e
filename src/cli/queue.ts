import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Database } from '../db/database.ts';
import { TIMINGS } from '../edge/worker/timings.ts';
import { runsAnywhere } from '../db/presence.ts';
import * as clock from '../model/clock.ts';
import { type Pause, pauseSending, readPause, resumeSending } from '../queue/pause.ts';
import { countWaiting, withdrawOlder } from '../sending/deliver/withdraw.ts';
import { example, json, print, withDatabase } from './command.ts';

interface Options {
  json?: boolean;
}

export function defineQueue(queue: Command): void {
  queue
    .command('show')
    .description('whether sending is paused, and how many recipients wait')
    .addOption(json)
    .addHelpText('after', example('queue show'))
    .action(showQueue);
  queue
    .command('pause')
    .description('send nothing, and call no webhook, until queue resume: for a database that was recovered')
    .addOption(json)
    .addHelpText('after', example('queue pause'))
    .action(pauseQueue);
  queue
    .command('resume')
    .description('send again: all that waits, unless it is withdrawn')
    .option(
      '--withdraw-older',
      'what was accepted before the pause does not go out: it fails with reason "withdrawn"',
    )
    .addOption(json)
    .addHelpText('after', example('queue resume'))
    .action(resumeQueue);
}

async function showQueue(options: Options): Promise<void> {
  await withDatabase(async (database) => {
    print(options.json, await stateOf(database, await readPause(database)));
  });
}

/** When this ends, running workers take nothing more. What they have begun comes to its end. */
async function pauseQueue(options: Options): Promise<void> {
  await withDatabase(async (database) => {
    await pauseSending(database, clock.now());
    if (await runsAnywhere(database, 'worker')) await setTimeout(2 * TIMINGS.tickMs);
    print(options.json, await stateOf(database, await readPause(database)));
  });
}

async function resumeQueue(options: Options & { withdrawOlder?: boolean }): Promise<void> {
  await withDatabase(async (database) => {
    const pause = await readPause(database);
    const withdrawn =
      options.withdrawOlder === true && pause !== null ? await withdrawOlder(database, pause.since) : 0;
    const { paused, waiting, waiting_older } = await stateOf(database, pause);
    await resumeSending(database);
    const words = [
      paused ? 'Sending goes on.' : 'Sending was not paused.',
      `${recipients(waiting)} ${waiting === 1 ? 'waits' : 'wait'}${waiting_older > 0 ? `, ${waiting_older} of them since before the pause` : ''}.`,
      ...(withdrawn > 0 ? [`Withdrawn: ${recipients(withdrawn)}.`] : []),
    ];
    print(options.json, { was_paused: paused, withdrawn, waiting, waiting_older }, words.join(' '));
  });
}

async function stateOf(database: Database, pause: Pause | null) {
  const { all, older } = await countWaiting(database, pause?.since ?? null);
  return {
    paused: pause !== null,
    since: pause?.since.toISOString() ?? null,
    because: pause?.because ?? null,
    /** Recipients. */
    waiting: all,
    /** Those of emails that were accepted before the pause. */
    waiting_older: older,
  };
}

function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`;
}
