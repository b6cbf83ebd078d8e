import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { messageOf } from '../../api/client.ts';
import { Failure } from '../../ui/empty-state.tsx';
import { accountsQuery } from './session.ts';
import { Waiting } from './waiting.tsx';

/** The Inbox of the mailbox that the address names, else of the first one; where nobody is signed in, the way in. */
export function FirstMailbox() {
  const named: { address?: string } = useParams({ strict: false });
  const { data: accounts, error } = useQuery(accountsQuery);
  const address = named.address ?? accounts?.[0]?.address;
  if (address !== undefined)
    return <Navigate to="/$address/$folder" params={{ address, folder: 'inbox' }} replace />;
  if (accounts !== undefined) return <Navigate to="/sign-in" replace />;
  if (error === null) return <Waiting />;
  return (
    <main>
      <Failure title="Your mail cannot be shown" onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </main>
  );
}
