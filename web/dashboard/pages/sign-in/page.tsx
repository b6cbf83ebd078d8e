import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { SignInAnswer } from '../../../../src/contract/dashboard/users.ts';
import { enterDashboard, pageAfterSignIn } from '../../shell/enter.ts';
import { lazyPart } from '../../../shell/code.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { SecondStep } from '../../shell/second-step.tsx';
import { FirstStep } from './first-step.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';
import { waysQuery } from './ways.ts';

const SetUp = lazyPart(() => import('./set-up.tsx'));
const SET_UP_CHECK_MS = 3_000;

export default function SignInPage() {
  const [back] = useSearchParam('return');
  const [answer, setAnswer] = useState<SignInAnswer | null>(null);
  const [email, setEmail] = useState('');
  const [isForgotten, setForgotten] = useState(false);
  const { data: ways } = useQuery({
    ...waysQuery,
    refetchInterval: ({ state }) => state.data?.needs_owner === true && SET_UP_CHECK_MS,
  });
  const enter = () => enterDashboard(back);
  if (ways?.needs_owner)
    return (
      <Suspense>
        <SetUp />
      </Suspense>
    );
  if (isForgotten) return <ForgottenPassword email={email} onBack={() => setForgotten(false)} />;
  if (answer !== null)
    return <SecondStep answer={answer} onEntered={enter} onRestart={() => setAnswer(null)} />;
  return (
    <FirstStep
      email={email}
      setEmail={setEmail}
      returnTo={pageAfterSignIn(back)}
      onForgotten={() => setForgotten(true)}
      onAnswer={(given) => (given.next === 'done' ? enter() : setAnswer(given))}
    />
  );
}
