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
} from '../../installation/system/queue-orders.ts';
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
    .description('whether sending is paused, how many recipients wait, and for which destinations')
    .option(DESTINATION, 'only those whose name has this in it')
    .option('--page <number>', 'further destinations: there are 50 on a page', pageFrom)
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
    .command('hold')
    .description('send nothing to a destination until it is resumed: its mail waits, and does not bounce')
    .requiredOption(DESTINATION, 'the domain of the recipients')
    .addOption(json)
    .addHelpText('after', example('queue hold --destination example.net'))
    .action(holdDestination);
  queue
    .command('resume')
    .description('send again: all that waits, unless it is withdrawn; or what is held for a destination')
    .option(DESTINATION, 'a destination that is held')
    .option(
      '--withdraw-older',
      'what was accepted before the pause does not go out: it fails with reason "withdrawn"',
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
    .description('try a destination that does not answer at once')
    .requiredOption(DESTINATION, 'the domain of the recipients')
    .addOption(json)
    .addHelpText('after', example('queue try --destination example.net'))
    .action(tryDestination);
  queue
    .command('provider')
    .description('the kind of provider that this installation sends by: sandbox, or real')
    .addOption(
      new Option('--set <kind>', 'change it: what waits keeps the kind it was accepted under').choices(
        PROVIDER_KINDS,
      ),
    )
    .option('--yes', 'really')
    .addOption(json)
    .addHelpText('after', example('queue provider --set real --yes'))
    .action(showProvider);
  queue
    .command('release')
    .description('send what was accepted while this installation was a sandbox')
    .addOption(
      new Option('--from <kind>', 'the kind it was accepted under')
        .choices(['sandbox'])
        .makeOptionMandatory(),
    )
    .option('--yes', 'really')
    .addOption(json)
    .addHelpText('after', example('queue release --from sandbox --yes'))
    .action(releaseQueue);
  queue
    .command('withdraw')
    .description(
      'do not send what was accepted under another kind of provider: it fails with reason "withdrawn"',
    )
    .addOption(
      new Option('--from <kind>', 'the kind it was accepted under')
        .choices(PROVIDER_KINDS)
        .makeOptionMandatory(),
    )
    .option('--yes', 'really')
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
          `Mail that is accepted from now on will be ${set === 'real' ? 'sent' : 'kept in the sandbox'}, by processes whose POSTHORN_PROVIDER is ${set === 'real' ? 'direct, smtp or ses' : 'sandbox'}. The others will send nothing.`,
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
        ? 'No start has named a provider yet.'
        : `The provider of this installation is ${kind === 'real' ? 'a real one' : 'the sandbox'}.`,
      ...PROVIDER_KINDS.filter((each) => kind !== null && each !== kind && waiting[each] > 0).map(
        (each) =>
          `Waiting, because accepted for ${each === 'real' ? 'real delivery' : 'the sandbox'}: ${recipients(waiting[each])}.`,
      ),
    ];
    const since = (await readNotSendingSince(database))?.toISOString() ?? null;
    if (since !== null)
      lines.push(`No process may send since ${since}: posthorn doctor on the worker's host says why.`);
    print(options.json, { kind, waiting, not_sending_since: since }, lines.join(' '));
  });
}

async function releaseQueue({ yes, ...options }: ConfirmedOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const waiting = await countOfKind(database, 'sandbox');
    if (yes !== true && waiting > 0)
      throw unconfirmed(
        `${recipients(waiting)} of mail that was accepted for the sandbox will be sent for real.`,
      );
    const released = await release(database);
    const left = await countOfKind(database, 'sandbox');
    print(options.json, { released, left }, `Released: ${recipients(released)}.${inHand(left)}`);
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
      throw unconfirmed(`${recipients(waiting)} will fail with reason "withdrawn", and are not sent.`);
    const withdrawn = await withdrawOther(database, from);
    const left = await countOfKind(database, from);
    print(options.json, { withdrawn, left }, `Withdrawn: ${recipients(withdrawn)}.${inHand(left)}`);
  });
}

/** Workers of the other kind may still hold some. */
function inHand(left: number): string {
  return left === 0 ? '' : ` A worker still holds ${recipients(left)}: run this again in a minute.`;
}

function unconfirmed(what: string): AppError {
  return new AppError('bad-request', `${what} Add --yes to do it.`);
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
      ...(pages > 1 ? ['', `Page ${shown} of ${pages}: --page ${shown + 1} shows the next.`] : []),
    ];
    print(options.json, { ...state, destinations: data, found, page: shown, pages }, lines.join('\n'));
  });
}

function describe(data: readonly QueueDestination[]): string {
  const columns = [
    { title: 'DESTINATION' },
    { title: 'WAIT' },
    { title: 'OLDEST' },
    { title: 'STATE' },
    { title: 'NEXT TRY' },
    { title: 'LAST WORDS', isCut: true as const },
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

/** When this ends, running workers take nothing more. What they have begun comes to its end. */
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
      wasPaused ? 'Sending goes on.' : 'Sending was not paused.',
      `${recipients(waiting)} ${waiting === 1 ? 'waits' : 'wait'}${waiting_older > 0 ? `, ${waiting_older} of them since before the pause` : ''}.`,
      ...(withdrawn > 0 ? [`Withdrawn: ${recipients(withdrawn)}.`] : []),
    ];
    print(options.json, { was_paused: wasPaused, withdrawn, waiting, waiting_older }, words.join(' '));
  });
}

/** When this ends, nothing more is begun. What is in flight comes to its end. */
async function holdDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const isNews = await pauseDomain(database, destination);
    await untilWorkersKnow(database);
    const words = isNews
      ? `Mail for ${destination} waits until posthorn queue resume --destination ${destination}.`
      : `Mail for ${destination} is held already.`;
    print(options.json, { destination, held: true, was_held: !isNews }, words);
  });
}

async function resumeDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const wasHeld = await resumeDomain(database, destination);
    const words = wasHeld ? `Mail for ${destination} goes on.` : `Mail for ${destination} was not held.`;
    print(options.json, { destination, held: false, was_held: wasHeld }, words);
  });
}

async function tryDestination({ destination, ...options }: DestinationOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const isWaitedFor = await tryNow(database, destination);
    const words = isWaitedFor
      ? `A worker tries ${destination} now: see posthorn queue show.`
      : `Nothing waits for ${destination}.`;
    print(options.json, { destination, tried: isWaitedFor }, words);
  });
}

function pageFrom(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 on.');
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
    /** Recipients. */
    waiting: all,
    /** Those of emails that were accepted before the pause. */
    waiting_older: older,
  };
}

function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`;
}
