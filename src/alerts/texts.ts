/** The words of messages, the same in all channels. */
import type { AlertContent, AlertMessage } from './channel.ts';
import { digestSummary } from './digest/digest-words.ts';

/** The name of the project, or the host of the installation. */
export function scopeName({ project, links }: Pick<AlertMessage, 'project' | 'links'>): string {
  return project?.name ?? new URL(links.alerts).host;
}

/** What happened, in a few words, such as "2 problems". */
export function summaryOf(content: AlertContent): string {
  if (content.type === 'alert.test') return 'this is a test. Alerts are sent here.';
  if (content.type === 'digest.weekly') return digestSummary(content);
  const count = content.problems.length + content.more;
  const problems = count === 1 ? '1 problem' : `${count} problems`;
  return content.type === 'alert.resolved' ? `${problems} resolved` : problems;
}
