/** The API calls that account pages make, to the dashboard's API or the web client's API. */
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
import type { ShareMailbox } from '../../src/contract/dashboard/sharing.ts';

/** The sign-in methods of a user. */
export interface AccountFactors {
  authenticator_app: boolean;
  /** The number of unused recovery codes. */
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
  /** Reloads the data after a change. */
  settle(): Promise<void>;
}

export interface FirstStepCalls<Answer> {
  /** @param user the address of the user */
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
  /** Reloads the list after a change. */
  settle(): Promise<void>;
}

export interface SharingCalls {
  share(body: ShareMailbox): Promise<unknown>;
  /** @param member the address of the member */
  revoke(member: string): Promise<unknown>;
  /** Reloads the lists after a change. */
  settle(): Promise<void>;
}

export const FactorCallsContext = createContext<FactorCalls | null>(null);

export function useFactorCalls(): FactorCalls {
  const calls = use(FactorCallsContext);
  if (calls === null) throw new TypeError('this part is not on a page about an account');
  return calls;
}
