/** The words of messages, the same in all channels. */
import type { AlertContent, AlertMessage } from './channel.ts';

/** The name of the project, or of the installation. */
export function scopeName({ project }: Pick<AlertMessage, 'project'>): string {
  return project?.name ?? 'Posthorn installation';
}

/** What happened, in a few words, such as "2 problems". */
export function summaryOf(content: AlertContent): string {
  if (content.type === 'alert.test') return 'this is a test. Alerts are sent here.';
  const count = content.problems.length + content.more;
  const problems = count === 1 ? '1 problem' : `${count} problems`;
  return content.type === 'alert.resolved' ? `${problems} resolved` : problems;
}
