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

const ORGANIZATION = ['--organization <name>', 'the name or id of the organization: org_...'] as const;

export function defineOrganization(organization: Command): void {
  organization
    .command('create')
    .description('create an organization with its own projects and members')
    .requiredOption('--name <name>', 'the name of the organization')
    .addOption(json)
    .addHelpText('after', example('organization create --name acme'))
    .action(create);
  organization
    .command('export')
    .description(
      'export all data of the projects of an organization to a new folder, with one subfolder for each',
    )
    .requiredOption(...ORGANIZATION)
    .requiredOption('--out <folder>', 'a new or empty folder')
    .addOption(json)
    .addHelpText('after', example('organization export --organization default --out /srv/export'))
    .action(exportTo);
  organization
    .command('delete')
    .description('delete an organization and all its projects')
    .requiredOption(...ORGANIZATION)
    .option('--yes', 'confirm the deletion')
    .addOption(json)
    .addHelpText('after', example('organization delete --organization acme --yes'))
    .action(deleteNow);
  addDeclared(organization);
}

interface OrganizationOptions {
  organization: string;
  json?: boolean;
}

async function create({ name, json }: { name: string; json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const id = await createOrganization(database, name);
    print(json, { id: encodeId('org', id), name });
  });
}

async function exportTo({ organization, out, json }: OrganizationOptions & { out: string }): Promise<void> {
  await withDatabase(async ({ database, blobs }) => {
    const { id } = await findOrganization(database, organization);
    const folder = resolve(out);
    let emails = 0;
    const projects = (await listProjects(database)).filter(({ organizationId }) => organizationId === id);
    for (const project of projects)
      emails += await exportProject(database, blobs, project, join(folder, encodeId('prj', project.id)));
    print(json, { organization, folder, projects: projects.length, emails });
  });
}

async function deleteNow({ organization, yes, json }: OrganizationOptions & { yes?: true }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const { id, name } = await findOrganization(database, organization);
    if (yes !== true) throw unconfirmed(`the organization ${name} and all its projects`);
    const projects = await deleteOrganization(database, id, name);
    const forPeople = `Deleted the organization ${name}. Deleted projects: ${projects.join(', ') || 'none'}. ${REST}`;
    print(json, { organization: name, projects, deleted: true }, forPeople);
  });
}
