import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../templates/save-template.ts';
import { idFrom, json, noSuch, print, type ProjectOptions, projectOption, withProject } from './command.ts';

export const template = new Command('template').description('templates: saved subjects and bodies');
template
  .command('create')
  .description('save a template')
  .addOption(projectOption('the project that the template belongs to'))
  .requiredOption('--name <name>', 'its name, which no other template of the project has')
  .requiredOption('--subject <template>', 'the subject')
  .option('--html <template>', 'the HTML body')
  .option('--html-file <path>', 'the HTML body, from a file')
  .option('--text <template>', 'the plain text body')
  .option('--text-file <path>', 'the plain text body, from a file')
  .addOption(json)
  .action(createNewTemplate);
template
  .command('update')
  .description('change the given parts of a template')
  .addOption(projectOption('the project that the template belongs to'))
  .requiredOption('--id <id>', 'the id of the template: tpl_...')
  .option('--name <name>', 'its name, which no other template of the project has')
  .option('--subject <template>', 'the subject')
  .option('--html <template>', 'the HTML body; empty for none')
  .option('--html-file <path>', 'the HTML body, from a file')
  .option('--text <template>', 'the plain text body; empty for none')
  .option('--text-file <path>', 'the plain text body, from a file')
  .addOption(json)
  .action(changeTemplate);
template
  .command('delete')
  .description('delete a template')
  .addOption(projectOption('the project that the template belongs to'))
  .requiredOption('--id <id>', 'the id of the template: tpl_...')
  .action(removeTemplate);

/** Each body is an argument or the path of a file. */
interface BodyOptions extends ProjectOptions {
  html?: string;
  htmlFile?: string;
  text?: string;
  textFile?: string;
}

async function createNewTemplate(options: BodyOptions & { name: string; subject: string }): Promise<void> {
  const { html = '', text = '' } = readBodies(options);
  await withProject(options.project, async (database, projectId) => {
    const fields = { name: options.name, subject: options.subject, html, text };
    const { id, name, variables } = await createTemplate(database, projectId, fields);
    print(options.json, { id: encodeId('tpl', id), name, variables });
  });
}

async function changeTemplate(
  options: BodyOptions & { id: string; name?: string; subject?: string },
): Promise<void> {
  const { name, subject } = options;
  const changes = {
    ...(name !== undefined && { name }),
    ...(subject !== undefined && { subject }),
    ...readBodies(options),
  };
  await withProject(options.project, async (database, projectId) => {
    const saved = await updateTemplate(database, projectId, idFrom('tpl', options.id), changes);
    if (saved === null) throw noSuch(options.project, 'template');
    print(options.json, { id: encodeId('tpl', saved.id), name: saved.name, variables: saved.variables });
  });
}

async function removeTemplate({ project, id }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    if (!(await deleteTemplate(database, projectId, idFrom('tpl', id)))) throw noSuch(project, 'template');
    process.stdout.write('deleted\n');
  });
}

/**
 * Reads the bodies that were given.
 * @throws AppError validation-failed for a body that is given twice, or a file that cannot be read
 */
function readBodies(options: BodyOptions): { html?: string; text?: string } {
  const html = readBody('html', options.html, options.htmlFile);
  const text = readBody('text', options.text, options.textFile);
  return { ...(html !== undefined && { html }), ...(text !== undefined && { text }) };
}

function readBody(
  field: 'html' | 'text',
  body: string | undefined,
  path: string | undefined,
): string | undefined {
  if (path === undefined) return body;
  if (body !== undefined) throw validationError({ [field]: `give --${field} or --${field}-file, not both` });
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw validationError({ [field]: `the file cannot be read: ${(error as Error).message}` });
  }
  if (!isUtf8(bytes)) throw validationError({ [field]: 'the file is not UTF-8' });
  return bytes.toString();
}
