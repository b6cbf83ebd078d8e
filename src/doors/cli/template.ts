import { type Command, Option } from 'commander';
import { validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { STARTER_KEYS, type StarterKey } from '../../model/template-starters.ts';
import { createTemplate, updateTemplate } from '../../templates/save-template.ts';
import { starterOf } from '../../templates/starters/starters.ts';
import { type BodyOptions, readBodies } from './bodies.ts';
import {
  example,
  idFrom,
  json,
  noSuch,
  print,
  projectOption,
  type ProjectOptions,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';

const NO_STARTER = { subject: '', html: '', text: '', sample: undefined };

export function defineTemplate(template: Command): void {
  template
    .command('create')
    .description('create a template')
    .addOption(projectOption('the project that the template belongs to'))
    .requiredOption('--name <name>', 'a name that is unique in the project')
    .addOption(
      new Option('--starter <starter>', 'start with an example; other options replace its parts').choices(
        STARTER_KEYS,
      ),
    )
    .option('--subject <template>', 'the subject; required without --starter')
    .option('--html <template>', 'the HTML body')
    .option('--html-file <path>', 'read the HTML body from a file')
    .option('--text <template>', 'the plain text body')
    .option('--text-file <path>', 'read the plain text body from a file')
    .addOption(json)
    .addHelpText(
      'after',
      example(
        "template create --project default --name 'order shipped' --subject 'Order {{order.id}}' --text 'On its way.'",
      ),
    )
    .action(createNewTemplate);
  template
    .command('update')
    .description('change a template; omitted parts do not change')
    .addOption(projectOption('the project that the template belongs to'))
    .requiredOption('--id <id>', 'the id of the template: tpl_...')
    .option('--name <name>', 'a name that is unique in the project')
    .option('--subject <template>', 'the subject')
    .option('--html <template>', 'the HTML body; empty for none')
    .option('--html-file <path>', 'read the HTML body from a file')
    .option('--text <template>', 'the plain text body; empty for none')
    .option('--text-file <path>', 'read the plain text body from a file')
    .addOption(json)
    .addHelpText(
      'after',
      example("template update --project default --id tpl_01M7T5C5R3ED1R4CWSVK7YRETV --subject 'Your order'"),
    )
    .action(changeTemplate);
  addDeclared(template);
}

type SaveOptions = ProjectOptions & BodyOptions;

async function createNewTemplate(
  options: SaveOptions & { name: string; starter?: StarterKey; subject?: string },
): Promise<void> {
  const { subject, starter } = options;
  if (subject === undefined && starter === undefined)
    throw validationError({ subject: 'is required; use --subject, or --starter for an example' });
  const { sample, ...parts } = starter === undefined ? NO_STARTER : starterOf(starter);
  const fields = {
    name: options.name,
    subject: subject ?? parts.subject,
    html: parts.html,
    text: parts.text,
    ...readBodies(options),
  };
  await withProject(options.project, async ({ database }, projectId) => {
    const { id, name, variables } = await createTemplate(database, projectId, { ...fields, sample });
    print(options.json, { id: encodeId('tpl', id), name, variables });
  });
}

async function changeTemplate(
  options: SaveOptions & { id: string; name?: string; subject?: string },
): Promise<void> {
  const { name, subject } = options;
  const changes = {
    ...(name !== undefined && { name }),
    ...(subject !== undefined && { subject }),
    ...readBodies(options),
  };
  await withProject(options.project, async ({ database }, projectId) => {
    const saved = await updateTemplate(database, projectId, idFrom('tpl', options.id), changes);
    if (saved === null) throw noSuch(options.project, 'template');
    print(options.json, { id: encodeId('tpl', saved.id), name: saved.name, variables: saved.variables });
  });
}
