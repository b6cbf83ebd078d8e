/** Whether anything goes out at all. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { readPausedDestinations } from '../../queue/paused-destinations.ts';
import { readPause } from '../../queue/pause.ts';
import {
  countOfKind,
  type ProviderKind,
  readNotSendingSince,
  readProviderKind,
  whyNotSending,
} from '../../queue/provider-kind.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const WHY = {
  restored: 'a backup was restored',
  asked: 'of posthorn queue pause',
} as const;

/** Whether sending is paused. */
export async function checkSending({ config, database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'Whether sending is paused cannot be told without the database.',
      'Put the database right first: see the check database.',
    );
  const kind = await readProviderKind(database.opened);
  const reason = whyNotSending(config, kind);
  const since = await readNotSendingSince(database.opened);
  if (since !== null)
    return problem(
      `${reason ?? 'POSTHORN_PROVIDER is right here, and wrong on the hosts of the workers.'} No process may send since ${since.toISOString()}.`,
      'Mail waits meanwhile, and none of its retries are used up: docs/operate/provider.md.',
    );
  if (reason !== null)
    return config.roles.includes('worker')
      ? problem(reason, 'Mail waits for this process, or for other workers: docs/operate/provider.md.')
      : warning(
          `No worker runs here, and POSTHORN_PROVIDER is not that of the installation. ${reason}`,
          'Set the same POSTHORN_PROVIDER on every host.',
        );
  const pause = await readPause(database.opened);
  if (pause === null) return (await checkOtherKind(database.opened, kind)) ?? checkHolds(database.opened);
  return warning(
    `Sending has been paused since ${pause.since.toISOString()}, because ${WHY[pause.because]}: mail is taken, and none goes out.`,
    'Run posthorn queue show and then posthorn queue resume: docs/operate/backup.md.',
  );
}

/** Whether mail waits that was accepted for the other kind of provider; null: none does. */
async function checkOtherKind(database: Database, kind: ProviderKind | null): Promise<Finding | null> {
  if (kind === null) return null;
  const other = kind === 'real' ? 'sandbox' : 'real';
  const waiting = await countOfKind(database, other);
  if (waiting === 0) return null;
  return warning(
    `${waiting} ${waiting === 1 ? 'recipient waits' : 'recipients wait'} because their mail was accepted for ${other === 'real' ? 'real delivery' : 'the sandbox'}.`,
    `Run posthorn queue ${other === 'sandbox' ? 'release --from sandbox' : 'provider --set real'}, or posthorn queue withdraw --from ${other}: docs/operate/provider.md.`,
  );
}

const NAMED = 5;

const TABLE = columnsOf({ exists: 'bool' });

/** Whether destinations are held, which do not bounce and so are easily forgotten. */
async function checkHolds(database: Database): Promise<Finding> {
  // A database that is older than this program has no such table.
  const { rows } = await TABLE.sql`
    select to_regclass('destination_holds') is not null as exists`.execute(database);
  const held = rows[0]?.exists === true ? await readPausedDestinations(database) : [];
  if (held.length === 0) return ok('Sending is not paused.');
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  return warning(
    `Mail is held for ${held.slice(0, NAMED).join(', ')}${more}: none goes there, and none bounces.`,
    'Run posthorn queue resume --destination with the domain once it may go out: docs/operate/system.md.',
  );
}
