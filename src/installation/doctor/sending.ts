/** Checks that sending mail is neither disabled nor paused. */
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
  asked: '"posthorn queue pause" was run',
} as const;

/** Checks whether this process may send, and whether sending is paused. */
export async function checkSending({ config, database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'Cannot check without the database whether sending is paused.',
      'Fix the database first: see the check "database".',
    );
  const kind = await readProviderKind(database.opened);
  const reason = whyNotSending(config, kind);
  const since = await readNotSendingSince(database.opened);
  if (since !== null)
    return problem(
      `${reason ?? 'POSTHORN_PROVIDER is right on this host, but wrong on the hosts of the workers.'} No process has been able to send since ${since.toISOString()}.`,
      'Set the same kind of POSTHORN_PROVIDER on all hosts. Until then mail waits without using up its retries: docs/operate/provider.md.',
    );
  if (reason !== null)
    return config.roles.includes('worker')
      ? problem(
          reason,
          'Correct POSTHORN_PROVIDER. Until then mail waits, unless another worker can send it: docs/operate/provider.md.',
        )
      : warning(
          `No worker runs on this host, and its POSTHORN_PROVIDER differs from the installation. ${reason}`,
          'Set the same POSTHORN_PROVIDER on every host.',
        );
  const pause = await readPause(database.opened);
  if (pause === null)
    return (await checkOtherKind(database.opened, kind)) ?? checkPausedDestinations(database.opened);
  return warning(
    `Sending has been paused since ${pause.since.toISOString()}, because ${WHY[pause.because]}. Mail is accepted but not sent.`,
    'Run "posthorn queue show", then "posthorn queue resume": docs/operate/backup.md.',
  );
}

/**
 * Reports waiting mail that was accepted for the sandbox if the installation has a real provider, or the other way round. Null if there is
 * no such mail.
 * @param kind the kind of provider that the installation has
 */
async function checkOtherKind(database: Database, kind: ProviderKind | null): Promise<Finding | null> {
  if (kind === null) return null;
  const other = kind === 'real' ? 'sandbox' : 'real';
  const waiting = await countOfKind(database, other);
  if (waiting === 0) return null;
  return warning(
    `${waiting} ${waiting === 1 ? 'recipient waits' : 'recipients wait'} because their mail was accepted for ${other === 'real' ? 'real delivery' : 'the sandbox'}.`,
    `Run "posthorn queue ${other === 'sandbox' ? 'release --from sandbox' : 'provider --set real'}" to send it, or "posthorn queue withdraw --from ${other}" to drop it: docs/operate/provider.md.`,
  );
}

const NAMED = 5;

const TABLE = columnsOf({ exists: 'bool' });

/** Reports paused destinations. Mail to a paused destination does not bounce, so the pause is easily forgotten. */
async function checkPausedDestinations(database: Database): Promise<Finding> {
  // A database that is older than this program may not have the table.
  const { rows } = await TABLE.sql`
    select to_regclass('destination_holds') is not null as exists`.execute(database);
  const paused = rows[0]?.exists === true ? await readPausedDestinations(database) : [];
  if (paused.length === 0) return ok('Sending is not paused.');
  const more = paused.length > NAMED ? ` and ${paused.length - NAMED} more` : '';
  return warning(
    `Mail to ${paused.slice(0, NAMED).join(', ')}${more} is paused. It is not sent, and does not bounce.`,
    'To resume a destination, run "posthorn queue resume --destination" with its domain: docs/operate/system.md.',
  );
}
