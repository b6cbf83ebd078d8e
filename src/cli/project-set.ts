import { setTimeout } from 'node:timers/promises';
import { KEY_TTL_MS } from '../accounts/api-keys.ts';
import {
  changeProjectSettings,
  type ProjectSettings,
  readProjectSettings,
} from '../accounts/project-settings.ts';
import { findProjectByName } from '../accounts/projects.ts';
import { validationError } from '../model/app-error.ts';
import type { Plan } from '../model/plans.ts';
import type { SpamLevel } from '../model/spam-levels.ts';
import { encodeId } from '../model/ids.ts';
import { shownSettings } from './project-show.ts';
import { print, withDatabase } from './with-database.ts';

type Switch = 'on' | 'off';

interface Options {
  project: string;
  plan?: Plan;
  spamLevel?: SpamLevel;
  trackOpens?: Switch;
  trackClicks?: Switch;
  json?: boolean;
}

/** When it ends, every running server knows what was changed. */
export async function setProject(options: Options): Promise<void> {
  const { plan, spamLevel, trackOpens, trackClicks } = options;
  const changes: Partial<ProjectSettings> = {
    ...(plan !== undefined && { plan }),
    ...(spamLevel !== undefined && { defaultSpamLevel: spamLevel }),
    ...(trackOpens !== undefined && { trackOpens: trackOpens === 'on' }),
    ...(trackClicks !== undefined && { trackClicks: trackClicks === 'on' }),
  };
  if (Object.keys(changes).length === 0) {
    throw validationError({
      options: 'say what to set: --plan, --spam-level, --track-opens or --track-clicks',
    });
  }
  await withDatabase(async (database) => {
    const id = await findProjectByName(database, options.project);
    await changeProjectSettings(database, id, changes);
    // The others are read where they are needed.
    if (plan !== undefined || trackOpens !== undefined || trackClicks !== undefined)
      await setTimeout(KEY_TTL_MS);
    const settings = await readProjectSettings(database, id);
    print(options.json, { id: encodeId('prj', id), name: options.project, ...shownSettings(settings) });
  });
}
