import { createProject, ensureOrganization } from '../accounts/projects.ts';
import { encodeId } from '../model/ids.ts';
import type { Plan } from '../model/plans.ts';
import { print, withDatabase } from './with-database.ts';

export async function createNewProject(options: {
  name: string;
  plan?: Plan;
  json?: boolean;
}): Promise<void> {
  await withDatabase(async (database, config) => {
    const id = await database.transaction().execute(async (tx) => {
      const organizationId = await ensureOrganization(tx);
      return createProject(tx, organizationId, options.name, options.plan ?? config.defaultPlan);
    });
    print(options.json, { id: encodeId('prj', id), name: options.name });
  });
}
