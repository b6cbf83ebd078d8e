import type { Command } from 'commander';
import type { DashboardFileLink } from '../../contract/dashboard/file-links.ts';
import { listProjectLinks } from '../../file-links/project-links.ts';
import { example, json, projectOption, type ProjectOptions, withProject } from './command.ts';
import { addDeclared } from './declared.ts';
import { age, printList, timeInWords } from './table.ts';

export function defineFileLink(fileLink: Command): void {
  fileLink
    .command('list')
    .description('list the file links of all mailboxes of a project, newest first')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('file-link list --project default'))
    .action(list);
  addDeclared(fileLink);
}

async function list(options: ProjectOptions): Promise<void> {
  await withProject(options.project, async ({ database }, projectId) => {
    const data: DashboardFileLink[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await listProjectLinks(database, projectId, cursor);
      data.push(...page.data);
      cursor = page.next;
      if (cursor === null) break;
    }
    printList(
      options.json,
      { data },
      {
        columns: [
          ...['ID', 'AGE', 'STATE', 'FILES', 'MB', 'DOWNLOADS', 'LAST', 'UNTIL'].map((title) => ({ title })),
          { title: 'MAILBOX', isCut: true as const },
        ],
        rowOf: (link) => [
          link.id,
          age(link.created_at),
          link.state,
          String(link.files),
          String(Math.ceil(link.octets / 1024 / 1024)),
          String(link.downloads),
          link.last_download_at === null ? '' : timeInWords(link.last_download_at),
          timeInWords(link.expires_at),
          link.mailbox.address,
        ],
        none: `The project ${options.project} has no file links.`,
      },
    );
  });
}
