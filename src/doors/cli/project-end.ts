/** Exports and deletes projects (docs/operate/retention.md). */
import { resolve } from 'node:path';
import { AppError } from '../../model/app-error.ts';
import { deleteProject } from '../../retention/delete-project.ts';
import { exportProject } from '../../retention/export-project.ts';
import { print, type ProjectOptions, withProject } from './command.ts';

export async function exportProjectTo({
  project: name,
  out,
  json,
}: ProjectOptions & { out: string }): Promise<void> {
  await withProject(name, async ({ database, blobs }, id) => {
    const folder = resolve(out);
    const emails = await exportProject(database, blobs, { id, name }, folder);
    print(json, { project: name, folder, emails });
  });
}

export async function deleteProjectNow({
  project,
  yes,
  json,
}: ProjectOptions & { yes?: true }): Promise<void> {
  await withProject(project, async ({ database }, id) => {
    if (yes !== true) throw unconfirmed(`the project ${project}`);
    await deleteProject(database, id, project);
    print(json, { project, deleted: true }, `Deleted the project ${project}. ${REST}`);
  });
}

export function unconfirmed(what: string): AppError {
  return new AppError(
    'bad-request',
    `This deletes ${what} with all keys, domains, mailboxes, webhooks and emails. Pending mail is not sent. This cannot be undone. Add --yes to confirm.`,
  );
}

export const REST = 'Its emails are deleted in the background.';
