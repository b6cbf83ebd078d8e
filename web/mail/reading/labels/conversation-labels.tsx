import { Link } from '@tanstack/react-router';
import type { MailMessageSummary } from '../../../../src/contract/mail/conversations.ts';
import { SEARCH } from '../folders.ts';
import { useMailbox } from '../../shell/session.ts';
import { LabelChip } from './chip.tsx';
import { searchFor, useLabels } from './queries.ts';

/** The labels of a conversation, as links to all mail with the label. */
export function ConversationLabels({ messages }: { messages: readonly MailMessageSummary[] }) {
  const keywords = new Set(messages.flatMap(({ labels }: Partial<MailMessageSummary>) => labels ?? []));
  return keywords.size === 0 ? null : <Labels keywords={[...keywords]} />;
}

function Labels({ keywords }: { keywords: readonly string[] }) {
  const { address } = useMailbox();
  const labels = useLabels(keywords);
  return (
    <ul aria-label="Labels" className="-mt-2 flex flex-wrap gap-1.5 pb-4">
      {labels.map((label) => (
        <li key={label.keyword} className="flex">
          <Link
            to="/$address/$folder"
            params={{ address, folder: SEARCH }}
            search={{ q: searchFor(label.keyword) }}
            className="flex rounded-full hover:bg-hover"
          >
            <LabelChip label={label} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
