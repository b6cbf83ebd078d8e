import { useState } from 'react';
import type { SignInAnswer } from '../../../../src/contract/dashboard/users.ts';
import { enterDashboard, pageAfterSignIn } from '../../shell/enter.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { SecondStep } from '../../shell/second-step.tsx';
import { FirstStep } from './first-step.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';

export default function SignInPage() {
  const [back] = useSearchParam('return');
  const [answer, setAnswer] = useState<SignInAnswer | null>(null);
  const [email, setEmail] = useState('');
  const [isForgotten, setForgotten] = useState(false);
  const enter = () => enterDashboard(back);
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
