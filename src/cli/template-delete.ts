import { findProjectByName } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { deleteTemplate } from '../templates/save-template.ts';
import { withDatabase } from './with-database.ts';

export async function removeTemplate(options: { project: string; id: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const templateId = decodeId('tpl', options.id);
    const deleted = templateId !== null && (await deleteTemplate(database, projectId, templateId));
    if (!deleted) throw new AppError('not-found', `The project ${options.project} has no such template.`);
    process.stdout.write('deleted\n');
  });
}
