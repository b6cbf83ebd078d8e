import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { createOrganization, findOrganization } from '../../accounts/organizations/organizations.ts';
import { listProjects } from '../../accounts/projects/project-settings.ts';
import { encodeId } from '../../model/ids.ts';
import { deleteOrganization } from '../../retention/delete-project.ts';
import { exportProject } from '../../retention/export-project.ts';
import { example, json, print, withDatabase } from './command.ts';
import { addDeclared } from './declared.ts';
import { REST, unconfirmed } from './project-end.ts';

const WHICH = ['--organization <name>', 'its name or id: org_...'] as const;

export function defineOrganization(organization: Command): void {
  organization
    .command('create')
    .description('make an organisation: its projects and people are apart from those of others')
    .requiredOption('--name <name>', 'what people call it')
    .addOption(json)
    .addHelpText('after', example('organization create --name acme'))
    .action(create);
  organization
    .command('export')
    .description('write all that the projects of an organisation have into a new folder, one for each')
    .requiredOption(...WHICH)
    .requiredOption('--out <folder>', 'a folder that is new or empty')
    .addOption(json)
    .addHelpText('after', example('organization export --organization default --out /srv/export'))
    .action(exportTo);
  organization
    .command('delete')
    .description('delete an organisation with all its projects')
    .requiredOption(...WHICH)
    .option('--yes', 'really')
    .addOption(json)
    .addHelpText('after', example('organization delete --organization acme --yes'))
    .action(deleteNow);
  addDeclared(organization);
}

interface Which {
  organization: string;
  json?: boolean;
}

async function create({ name, json }: { name: string; json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const id = await createOrganization(database, name);
    print(json, { id: encodeId('org', id), name });
  });
}

async function exportTo({ organization, out, json }: Which & { out: string }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const { id } = await findOrganization(database, organization);
    const folder = resolve(out);
    let emails = 0;
    const projects = (await listProjects(database)).filter(({ organizationId }) => organizationId === id);
    for (const project of projects)
      emails += await exportProject(database, project, join(folder, encodeId('prj', project.id)));
    print(json, { organization, folder, projects: projects.length, emails });
  });
}

async function deleteNow({ organization, yes, json }: Which & { yes?: true }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const { id, name } = await findOrganization(database, organization);
    if (yes !== true) throw unconfirmed(`the organisation ${name} and all its projects,`);
    const projects = await deleteOrganization(database, id, name);
    const forPeople = `The organisation ${name} is deleted, with ${projects.join(', ') || 'no project'}. ${REST}`;
    print(json, { organization: name, projects, deleted: true }, forPeople);
  });
}
