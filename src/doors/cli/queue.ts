import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { QueueDestination, QueueQuery } from '../../contract/dashboard/system.ts';
import type { Database } from '../../db/database.ts';
import { runsAnywhere } from '../../db/presence.ts';
import { TIMINGS } from '../../worker/timings.ts';
import { AppError } from '../../model/app-error.ts';
import { type Pause, readPause } from '../../queue/pause.ts';
import {
  countOfKind,
  PROVIDER_KINDS,
  type ProviderKind,
  readNotSendingSince,
  readProviderKind,
} from '../../queue/provider-kind.ts';
import { countWaiting } from '../../sending/deliver/withdraw.ts';
import { readQueue } from '../../installation/system/queue-list.ts';
import {
  pauseDomain,
  pause,
  release,
  resume,
  resumeDomain,
  setProvider,
  tryNow,
  withdraw,
  withdrawOther,
} from '../../installation/system/queue-commands.ts';
import { example, json, print, withDatabase } from './command.ts';
import { addDeclared } from './declared.ts';
import { age, table } from './table.ts';

interface Options {
  json?: boolean;
}

interface DestinationOptions extends Options {
  destination: string;
}

const DESTINATION = '--destination <domain>';

export function defineQueue(queue: Command): void {
  queue
    .command('show')
    .description('show whether sending is paused, how many recipients wait, and for which destinations')
    .option(DESTINATION, 'only destinations whose name contains this text')
    .option('--page <number>', 'the page to show, with 50 destinations each', pageFrom)
    .addOption(json)
    .addHelpText('after', example('queue show'))
    .action(showQueue);
  queue
    .command('pause')
    .description(
      'pause all sending and webhooks until "queue resume", for example after recovering the database',
    )
    .addOption(json)
    .addHelpText('after', example('queue pause'))
    .action(pauseQueue);
  queue
    .command('hold')
    .description(
      'pause one destination until "queue resume --destination"; its mail waits and does not bounce',
    )
    .requiredOption(DESTINATION, 'the domain of the recipients')
    .addOption(json)
    .addHelpText('after', example('queue hold --destination example.net'))
    .action(pauseDestination);
  queue
    .command('resume')
    .description('resume sending, or resume one paused destination')
    .option(DESTINATION, 'resume only this paused destination')
    .option(
      '--withdraw-older',
      'do not send mail accepted before the pause; it fails with reason "withdrawn"',
    )
    .addOption(json)
    .addHelpText('after', example('queue resume'))
    .action((options: ResumeOptions) =>
      options.destination === undefined
        ? resumeQueue(options)
        : resumeDestination({ ...options, destination: options.destination }),
    );
  queue
    .command('try')
    .description('retry a failing destination now')
    .requiredOption(DESTINATION, 'the domain of the recipients')
    .addOption(json)
    .addHelpText('after', example('queue try --destination example.net'))
    .action(tryDestination);
  queue
    .command('provider')
    .description('show or change the kind of provider that this installation uses: sandbox or real')
    .addOption(
      new Option(
        '--set <kind>',
        'change the kind; waiting mail keeps the kind that it was accepted for',
      ).choices(PROVIDER_KINDS),
    )
    .option('--yes', 'confirm the change')
    .addOption(json)
    .addHelpText('after', example('queue provider --set real --yes'))
    .action(showProvider);
  queue
    .command('release')
    .description('send mail that was accepted while this installation was a sandbox')
    .addOption(
      new Option('--from <kind>', 'the kind that the mail was accepted for')
        .choices(['sandbox'])
        .makeOptionMandatory(),
    )
    .option('--yes', 'confirm the release')
    .addOption(json)
    .addHelpText('after', example('queue release --from sandbox --yes'))
    .action(releaseQueue);
  queue
    .command('withdraw')
    .description(
      'do not send mail that was accepted for another kind of provider; it fails with reason "withdrawn"',
    )
    .addOption(
      new Option('--from <kind>', 'the kind that the mail was accepted for')
        .choices(PROVIDER_KINDS)
        .makeOptionMandatory(),
    )
    .option('--yes', 'confirm the withdrawal')
    .addOption(json)
    .addHelpText('after', example('queue withdraw --from sandbox --yes'))
    .action(withdrawQueue);
  addDeclared(queue);
}

interface ConfirmedOptions extends Options {
  yes?: boolean;
}

async function showProvider({
  set,
  yes,
  ...options
}: ConfirmedOptions & { set?: ProviderKind }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const before = await readProviderKind(database);
    if (set !== undefined) {
      if (yes !== true && set !== before)
        throw unconfirmed(
          `Mail accepted from now on will be ${set === 'real' ? 'sent' : 'stored in the sandbox'}, by processes whose POSTHORN_PROVIDER is ${set === 'real' ? 'direct, smtp or ses' : 'sandbox'}. Other processes will send nothing.`,
        );
      await setProvider(database, set);
      await untilWorkersKnow(database);
    }
    const kind = await readProviderKind(database);
    const waiting = {
      sandbox: await countOfKind(database, 'sandbox'),
      real: await countOfKind(database, 'real'),
    };
    const lines = [
      kind === null
        ? 'No provider has been set yet.'
        : `The provider of this installation is ${kind === 'real' ? 'a real one' : 'the sandbox'}.`,
      ...PROVIDER_KINDS.filter((each) => kind !== null && each !== kind && waiting[each] > 0).map(
        (each) =>
          `Waiting, because the mail was accepted for ${each === 'real' ? 'real delivery' : 'the sandbox'}: ${recipients(waiting[each])}.`,
      ),
    ];
    const since = (await readNotSendingSince(database))?.toISOString() ?? null;
    if (since !== null)
      lines.push(
        `No process has been able to send since ${since}. Run posthorn doctor on the worker's host to find out why.`,
      );
    print(options.json, { kind, waiting, not_sending_since: since }, lines.join(' '));
  });
}

async function releaseQueue({ yes, ...options }: ConfirmedOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const waiting = await countOfKind(database, 'sandbox');
    if (yes !== true && waiting > 0)
      throw unconfirmed(`Mail that was accepted for the sandbox will be sent to ${recipients(waiting)}.`);
    const released = await release(database);
    const left = await countOfKind(database, 'sandbox');
    print(options.json, { released, left }, `Released: ${recipients(released)}.${stillClaimed(left)}`);
  });
}

async function withdrawQueue({
  from,
  yes,
  ...options
}: ConfirmedOptions & { from: ProviderKind }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const waiting = await countOfKind(database, from);
    if (yes !== true && waiting > 0)
      throw unconfirmed(
        `Mail to ${recipients(waiting)} will not be sent, and will fail with reason "withdrawn".`,
      );
    const withdrawn = await withdrawOther(database, from);
    const left = await countOfKind(database, from);
    print(options.json, { withdrawn, left }, `Withdrawn: ${recipients(withdrawn)}.${stillClaimed(left)}`);
  });
}

/** A note that a worker with the other kind of provider may already have claimed `left` recipients. Empty if `left` is 0. */
function stillClaimed(left: number): string {
  return left === 0 ? '' : ` A worker is still processing ${recipients(left)}. Run this again in a minute.`;
}

function unconfirmed(what: string): AppError {
  return new AppError('bad-request', `${what} Add --yes to confirm.`);
}

interface ResumeOptions extends Options {
  destination?: string;
  withdrawOlder?: boolean;
}

async function showQueue({
  destination,
  page,
  ...options
}: Options & { destination?: string; page?: number }): Promise<void> {
  const query: QueueQuery = {
    ...(destination !== undefined && { q: destination }),
    ...(page !== undefined && { page }),
  };
  await withDatabase(async ({ database }) => {
    const state = await stateOf(database, await readPause(database));
    const { data, destinations: found, page: shown, pages } = await readQueue(database, query);
    const lines = [
      ...Object.entries(state).map(([name, value]) => `${name}: ${value}`),
      ...(data.length === 0 ? [] : ['', describe(data)]),
      ...(pages > 1 ? ['', `Page ${shown} of ${pages}. For the next page, add --page ${shown + 1}.`] : []),
    ];
    print(options.json, { ...state, destinations: data, found, page: shown, pages }, lines.join('\n'));
  });
}

function describe(data: readonly QueueDestination[]): string {
  const columns = [
    { title: 'DESTINATION' },
    { title: 'WAITING' },
    { title: 'OLDEST' },
    { title: 'STATE' },
    { title: 'NEXT TRY' },
    { title: 'LAST REPLY', isCut: true as const },
  ];
  return table(
    columns,
    data.map((each) => [
      each.domain,
      String(each.waiting),
      each.oldest_at === null ? '' : age(each.oldest_at),
      each.state,
      each.next_try_at?.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ') ?? '',
      each.last_words?.text ?? '',
    ]),
  );
}

/** Resolves when running workers claim no more recipients. Attempts that have begun still finish. */
async function pauseQueue(options: Options): Promise<void> {
  await withDatabase(async ({ database }) => {
    await pause(database);
    await untilWorkersKnow(database);
    print(options.json, await stateOf(database, await readPause(database)));
  });
}

async function resumeQueue(options: ResumeOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const paused = await readPause(database);
    const withdrawn = options.withdrawOlder === true && paused !== null ? await withdrawAll(database) : 0;
    const { paused: wasPaused, waiting, waiting_older } = await stateOf(database, paused);
    await resume(database);
    const words = [
      wasPaused ? 'Sending is resumed.' : 'Sending was not paused.',
      `${recipients(waiting)} ${waiting === 1 ? 'waits' : 'wait'}${waiting_older > 0 ? `, ${waiting_older} of them since before the pause` : ''}.`,
      ...(withdrawn > 0 ? [`Withdrawn: ${recipients(withdrawn)}.`] : []),
    ];
    print(options.json, { was_paused: wasPaused, withdrawn, waiting, waiting_older }, words.join(' '));
  });
}

/** Resolves when no new attempt to this destination begins. Attempts in flight still finish. */
async function pauseDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const isChanged = await pauseDomain(database, destination);
    await untilWorkersKnow(database);
    const words = isChanged
      ? `Mail to ${destination} is paused. To resume it, run posthorn queue resume --destination ${destination}.`
      : `Mail to ${destination} is already paused.`;
    print(options.json, { destination, held: true, was_held: !isChanged }, words);
  });
}

async function resumeDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const wasPaused = await resumeDomain(database, destination);
    const words = wasPaused ? `Mail to ${destination} is resumed.` : `Mail to ${destination} was not paused.`;
    print(options.json, { destination, held: false, was_held: wasPaused }, words);
  });
}

async function tryDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const hasMail = await tryNow(database, destination);
    const words = hasMail
      ? `A worker retries ${destination} now. To see the result, run posthorn queue show.`
      : `No mail is waiting for ${destination}.`;
    print(options.json, { destination, tried: hasMail }, words);
  });
}

function pageFrom(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

async function withdrawAll(database: Database): Promise<number> {
  for (let all = 0; ; ) {
    const { withdrawn, isDone } = await withdraw(database);
    all += withdrawn;
    if (isDone) return all;
  }
}

async function untilWorkersKnow(database: Database): Promise<void> {
  if (await runsAnywhere(database, 'worker')) await setTimeout(2 * TIMINGS.tickMs);
}

async function stateOf(database: Database, pause: Pause | null) {
  const { all, older } = await countWaiting(database, pause?.since ?? null);
  return {
    paused: pause !== null,
    since: pause?.since.toISOString() ?? null,
    because: pause?.because ?? null,
    /** Number of recipients with waiting mail. */
    waiting: all,
    /** Number of recipients of emails that were accepted before the pause. */
    waiting_older: older,
  };
}

function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`;
}
