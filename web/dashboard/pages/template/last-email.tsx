import { Link } from '@tanstack/react-router';
import { messageOf } from '../../../api/client.ts';
import type { LastTemplateEmail } from '../../../../src/contract/dashboard/templates.ts';
import { Time } from '../../../ui/time.tsx';

interface LastEmailProps {
  /** Undefined while it is loading. */
  found: LastTemplateEmail | undefined;
  error: Error | null;
}

/** Names the email whose data the preview shows, or says why there is none. */
export function LastEmail({ found, error }: LastEmailProps) {
  if (found === undefined) return error === null ? 'Loading the data of the last email…' : messageOf(error);
  const { email } = found;
  if (email === null)
    return 'No recent email has this template, or its content was deleted. The preview uses the sample data.';
  const { missing } = email.trial;
  return (
    <>
      Uses the data of the{' '}
      <Link to="/emails/$id" params={{ id: email.id }} className="text-accent underline">
        email to {email.to}
      </Link>
      , <Time value={email.created_at} />. It is not stored in the template.
      {missing.length > 0 && (
        <span className="text-warn">
          {' '}
          It lacks <span className="font-mono">{missing.join(', ')}</span>: such an email would be rejected
          after you publish.
        </span>
      )}
    </>
  );
}
