/** Whether anything goes out at all. */
import { readPause } from '../../queue/pause.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const WHY = {
  restored: 'a backup was restored',
  asked: 'of posthorn queue pause',
} as const;

/** Whether sending is paused. */
export async function checkSending({ database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'Whether sending is paused cannot be told without the database.',
      'Put the database right first: see the check database.',
    );
  const pause = await readPause(database.opened);
  if (pause === null) return ok('Sending is not paused.');
  return warning(
    `Sending has been paused since ${pause.since.toISOString()}, because ${WHY[pause.because]}: mail is taken, and none goes out.`,
    'Run posthorn queue show and then posthorn queue resume: docs/operate/backup.md.',
  );
}
