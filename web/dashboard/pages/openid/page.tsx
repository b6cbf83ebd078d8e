import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api, setCsrfToken } from '../../../api/dashboard.ts';
import type { FinishedOpenId } from '../../../../src/contract/dashboard/factors.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';
import { enterDashboard } from '../../shell/enter.ts';
import { takeTicket } from '../../shell/openid.ts';
import { SecondStep } from '../../shell/second-step.tsx';

/** The page that the OpenID provider redirects the browser to. */
export default function OpenIdPage() {
  const [query] = useState(() => location.search.slice(1));
  const { data, error } = useQuery({
    queryKey: ['openid', query],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    async queryFn() {
      const answer = await finish(query);
      if (answer.next === 'done') enterDashboard(answer.return_to);
      return answer;
    },
  });
  if (data?.next === 'second-factor')
    return (
      <SecondStep
        answer={data}
        onEntered={() => enterDashboard(data.return_to)}
        onRestart={() => location.assign('/dashboard/sign-in')}
      />
    );
  return (
    <SignInFrame title="Sign in">
      {error === null ? (
        <Skeleton className="h-5 w-40" />
      ) : (
        <>
          <p role="alert" className="text-pretty text-bad">
            {messageOf(error)}
          </p>
          <p className="mt-4">
            <a href="/dashboard/sign-in" className="font-medium text-accent hover:underline">
              Back to sign in
            </a>
          </p>
        </>
      )}
    </SignInFrame>
  );
}

async function finish(query: string): Promise<FinishedOpenId> {
  const { ticket, purpose } = takeTicket();
  const body = { ticket, query };
  if (purpose === 'sign-in') return dataOf(api.POST('/session/openid', { body }));
  const { csrf_token: token } = await dataOf(api.GET('/session'));
  setCsrfToken(token);
  return dataOf(api.POST('/session/confirmation/openid', { body }));
}
