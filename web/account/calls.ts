/** What pages about one's own account ask of the service: of the dashboard's API, or of the web client's. */
import { createContext, use } from 'react';
import type {
  AddedPasskey,
  AddPasskey,
  ConfirmedTotp,
  ConfirmSession,
  ConfirmTotp,
  NewTotp,
  PasskeyAnswer,
  PasskeyQuestion,
  RecoveryCodes,
  SecondFactor,
} from '../../src/contract/dashboard/factors.ts';
import type { CreateAppPassword, CreatedAppPassword } from '../../src/contract/dashboard/mailboxes.ts';

/** How somebody signs in. */
export interface AccountFactors {
  authenticator_app: boolean;
  /** How many are left. */
  recovery_codes: number;
  passkeys: readonly AddedPasskey['passkey'][];
}

export interface FactorCalls {
  startApp(): Promise<NewTotp>;
  confirmApp(body: ConfirmTotp): Promise<ConfirmedTotp>;
  removeApp(): Promise<unknown>;
  makeCodes(): Promise<RecoveryCodes>;
  startPasskey(): Promise<PasskeyQuestion>;
  addPasskey(body: AddPasskey): Promise<AddedPasskey>;
  renamePasskey(id: string, name: string): Promise<unknown>;
  removePasskey(id: string): Promise<unknown>;
  /** Something has changed: what is shown of it is old. */
  settle(): Promise<void>;
}

export interface FirstStepCalls<Answer> {
  /** @param user their address */
  provePassword(user: string, password: string): Promise<Answer>;
  askPasskey(): Promise<PasskeyQuestion>;
  provePasskey(body: PasskeyAnswer): Promise<Answer>;
}

export interface SecondStepCalls<Answer> {
  proveCode(body: SecondFactor): Promise<Answer>;
  askPasskey(ticket: string): Promise<PasskeyQuestion>;
  provePasskey(body: PasskeyAnswer): Promise<Answer>;
}

export interface ConfirmCalls {
  confirm(body: ConfirmSession): Promise<unknown>;
  askPasskey(): Promise<PasskeyQuestion>;
}

export interface AppPasswordCalls {
  create(body: CreateAppPassword): Promise<CreatedAppPassword>;
  revoke(id: string): Promise<unknown>;
  /** The list has changed. */
  settle(): Promise<void>;
}

export const FactorCallsContext = createContext<FactorCalls | null>(null);

export function useFactorCalls(): FactorCalls {
  const calls = use(FactorCallsContext);
  if (calls === null) throw new TypeError('this part is not on a page about an account');
  return calls;
}
