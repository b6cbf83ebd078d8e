import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { SecondStep } from '../../../account/second-step.tsx';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailSignInAnswer } from '../../../../src/contract/mail/session.ts';
import type { PasskeyAnswer, SecondFactor } from '../../../../src/contract/dashboard/factors.ts';
import { returnAddress } from '../../../shell/return-address.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { accountsQuery } from '../../shell/session.ts';
import { FirstStep } from './first-step.tsx';

const SECOND_STEP = {
  proveCode: (body: SecondFactor) => dataOf(api.POST('/session/second-factor', { body })),
  askPasskey: (ticket: string) => dataOf(api.POST('/session/passkey-question', { body: { ticket } })),
  provePasskey: (body: PasskeyAnswer) => dataOf(api.POST('/session/passkey', { body })),
};

export default function SignInPage() {
  const [named] = useSearchParam('address');
  const [back] = useSearchParam('return');
  const [address, setAddress] = useState(named);
  const [second, setSecond] = useState<MailSignInAnswer['second_factor']>();
  const { history } = useRouter();
  // Load the next page's code while the user types.
  useEffect(() => void import('../list/page.tsx'), []);
  const onAnswer = async ({ account, second_factor: next }: MailSignInAnswer) => {
    if (account === undefined) return setSecond(next);
    // Cancel the request made at page load. Otherwise `fetchQuery` would return the result of that request, which says that no user is
    // signed in.
    await queryClient.cancelQueries(accountsQuery);
    await queryClient.fetchQuery({ ...accountsQuery, staleTime: 0 });
    const own = account.address;
    history.replace(returnAddress(back, `/mail/${encodeURIComponent(own)}/inbox`, (path) => isOf(own, path)));
  };
  if (second !== undefined)
    return (
      <SecondStep
        {...second}
        calls={SECOND_STEP}
        onEntered={onAnswer}
        onRestart={() => setSecond(undefined)}
      />
    );
  return <FirstStep address={address} setAddress={setAddress} onAnswer={onAnswer} />;
}

/** Whether a page belongs to the mailbox that the user signed in to. */
function isOf(address: string, path: string): boolean {
  const [, mail, first = ''] = path.split('/');
  try {
    return mail === 'mail' && decodeURIComponent(first).toLowerCase() === address;
  } catch {
    return false;
  }
}
