import { Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { EmailsIcon, SearchIcon } from '../../../ui/icons.tsx';
import { mistakenField } from './query-text.ts';
import { useSession } from '../../shell/session.ts';

/** Shown before the project's first email. Explains how to send an email. */
export function NoEmails() {
  const { service } = useSession();
  const email = {
    from: `Hello <hello@${service.hosted_domain}>`,
    to: ['you@example.com'],
    subject: 'It works',
    text: 'My first email.',
  };
  const curl = `curl ${service.base_url}/v1/emails \\
  -H "Authorization: Bearer $POSTHORN_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(email)}'`;
  return (
    <>
      <EmptyState
        icon={<EmailsIcon />}
        title="No emails yet"
        action={
          <Link to="/api-keys" className={buttonClass('primary')}>
            Create API key
          </Link>
        }
      >
        Emails appear here as soon as they are accepted. Send your first one:
      </EmptyState>
      <div className="mx-auto -mt-8 max-w-2xl">
        <CodeBlock code={curl} label="the command" isWrapped />
      </div>
    </>
  );
}

/** Shown if a search has no results. @param unmatched words that occur in no email */
export function NoResult({
  q,
  unmatched,
  onClear,
}: {
  q: string;
  unmatched: readonly string[];
  onClear(): void;
}) {
  const mistake = mistakenField(q);
  return (
    <EmptyState
      icon={<SearchIcon />}
      title={
        unmatched.length === 0
          ? 'No matching emails'
          : `No results for ${unmatched.map((term) => `“${term}”`).join(' or ')}`
      }
      action={<Button onClick={onClear}>Clear search</Button>}
    >
      {mistake !== null && (
        <>
          <code>{mistake.name}:</code> is not a search term, so it was searched as text. Did you mean{' '}
          <code>{mistake.field}:</code>?{' '}
        </>
      )}
      {unmatched.length === 0
        ? 'Each word matches some emails, but none match all words, the time range and the status.'
        : 'Search matches the beginning of words in addresses, subjects and tags. Bodies are not searched.'}
    </EmptyState>
  );
}
