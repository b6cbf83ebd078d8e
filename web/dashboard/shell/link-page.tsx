import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import type { SignInLink } from '../../../src/contract/dashboard/users.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SignInFrame } from '../../ui/sign-in-frame.tsx';

export interface LinkPageProps {
  title: string;
  purpose: SignInLink['purpose'];
  /** @param token the token of the link, for the request that redeems it */
  children(link: SignInLink, token: string): ReactNode;
}

/**
 * The page opened by a link that contains a token. The token is in the URL fragment. Browsers never send the fragment to
 * a server, so no log contains the token.
 */
export function LinkPage({ title, purpose, children }: LinkPageProps) {
  const [token] = useState(() => location.hash.slice(1));
  const { data, error } = useQuery({
    queryKey: ['link', token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => dataOf(api.POST('/links', { body: { token }, signal })),
  });
  if (data?.purpose === purpose) return children(data, token);
  const isWrong = error !== null || data !== undefined;
  return (
    <SignInFrame title={isWrong ? 'This link does not work' : title}>
      {isWrong ? (
        <>
          <p role="alert" className="text-pretty">
            {error === null
              ? 'It belongs to a different page. Open the link exactly as it appears in the email.'
              : messageOf(error)}
          </p>
          <p className="mt-4">
            <a href="/dashboard/sign-in" className="font-medium text-accent hover:underline">
              Sign in
            </a>
          </p>
        </>
      ) : (
        <div className="grid gap-4">
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
        </div>
      )}
    </SignInFrame>
  );
}
