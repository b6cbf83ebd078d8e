import { findProjectByName } from '../accounts/projects.ts';
import { encodeId } from '../model/ids.ts';
import { createTemplate } from '../templates/save-template.ts';
import { type BodyOptions, readBodies } from './template-bodies.ts';
import { print, withDatabase } from './with-database.ts';

interface Options extends BodyOptions {
  project: string;
  name: string;
  subject: string;
  json?: boolean;
}

export async function createNewTemplate(options: Options): Promise<void> {
  const { html = '', text = '' } = readBodies(options);
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const fields = { name: options.name, subject: options.subject, html, text };
    const { id, name, variables } = await createTemplate(database, projectId, fields);
    print(options.json, { id: encodeId('tpl', id), name, variables });
  });
}
