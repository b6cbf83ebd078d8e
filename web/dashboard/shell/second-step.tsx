import { SecondStep as Step } from '../../account/second-step.tsx';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import type { PasskeyAnswer, SecondFactor } from '../../../src/contract/dashboard/factors.ts';
import type { SignInAnswer } from '../../../src/contract/dashboard/users.ts';

export interface SecondStepProps {
  /** The result of the first step. */
  answer: SignInAnswer;
  onEntered(): void;
  onRestart(): void;
}

const CALLS = {
  proveCode: (body: SecondFactor) => dataOf(api.POST('/session/second-factor', { body })),
  askPasskey: (ticket: string) => dataOf(api.POST('/session/passkey-question', { body: { ticket } })),
  provePasskey: (body: PasskeyAnswer) => dataOf(api.POST('/session/passkey', { body })),
};

export function SecondStep({ answer: { ticket = '', methods = [] }, onEntered, onRestart }: SecondStepProps) {
  return <Step ticket={ticket} methods={methods} onEntered={onEntered} onRestart={onRestart} calls={CALLS} />;
}
