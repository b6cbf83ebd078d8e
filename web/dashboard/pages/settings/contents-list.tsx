import type { ProjectContents } from '../../../../src/contract/dashboard/projects.ts';
import { classes } from '../../../ui/classes.ts';
import { bytes, counted, number } from '../../../ui/amounts.ts';

/** Lists how much data of each kind a project contains, the most serious loss first. Kinds without data are left out. */
export function ContentsList({ contents }: { contents: ProjectContents }) {
  const { counted_up_to: most } = contents;
  const lines = (
    [
      [contents.emails, 'email', 'emails', 'including timelines'],
      [contents.waiting, 'queued recipient', 'queued recipients', ''],
      [contents.mailboxes, 'mailbox', 'mailboxes', ''],
      [contents.messages, 'message', 'messages', 'in mailboxes'],
      [contents.aliases, 'alias', 'aliases', ''],
      [contents.domains, 'domain', 'domains', 'including DKIM keys'],
      [contents.api_keys, 'API key', 'API keys', ''],
      [contents.webhooks, 'webhook', 'webhooks', ''],
      [contents.templates, 'template', 'templates', ''],
      [contents.people, 'person', 'people', 'in the directory'],
      [contents.suppressions, 'suppression', 'suppressions', ''],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <>
      <ul
        aria-label="Contents"
        className={classes('grid gap-x-6 gap-y-1', lines.length > 4 && 'sm:grid-cols-2')}
      >
        {lines.map(([count, one, many, what]) => (
          <li key={one}>
            <strong className="font-medium text-text">
              {count >= most && many !== 'messages'
                ? `${number(count)} or more ${many}`
                : counted(count, one, many)}
            </strong>{' '}
            {what}
          </li>
        ))}
        {lines.length === 0 && <li>Nothing yet.</li>}
      </ul>
      {contents.storage_bytes > 0 && <p>{bytes(contents.storage_bytes)} in total.</p>}
    </>
  );
}
