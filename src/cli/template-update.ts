import { findProjectByName } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId, encodeId } from '../model/ids.ts';
import { updateTemplate } from '../templates/save-template.ts';
import { type BodyOptions, readBodies } from './template-bodies.ts';
import { print, withDatabase } from './with-database.ts';

interface Options extends BodyOptions {
  project: string;
  id: string;
  name?: string;
  subject?: string;
  json?: boolean;
}

export async function changeTemplate(options: Options): Promise<void> {
  const changes = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.subject === undefined ? {} : { subject: options.subject }),
    ...readBodies(options),
  };
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const templateId = decodeId('tpl', options.id);
    const saved = templateId === null ? null : await updateTemplate(database, projectId, templateId, changes);
    if (saved === null)
      throw new AppError('not-found', `The project ${options.project} has no such template.`);
    print(options.json, { id: encodeId('tpl', saved.id), name: saved.name, variables: saved.variables });
  });
}
