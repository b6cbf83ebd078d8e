/** Passkeys in the browser (WebAuthn). The library is loaded on first use. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { PasskeyFailure } from './client.ts';
import type { AddPasskey, PasskeyAnswer, PasskeyQuestion } from '../../src/contract/dashboard/factors.ts';

/** Signs in with a passkey, after the browser has asked the user for consent. @throws Error with a message for the user */
export async function answerWithPasskey({
  ticket,
  options,
}: PasskeyQuestion): Promise<Pick<PasskeyAnswer, 'ticket' | 'response'>> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  if (!isRequest(options)) return refuse(new TypeError('no question'));
  const response = await startAuthentication({ optionsJSON: options }).catch(refuse);
  return { ticket, response: { ...response, clientExtensionResults: {} } };
}

/** Creates a passkey. @throws Error with a message for the user */
export async function makePasskey({
  ticket,
  options,
}: PasskeyQuestion): Promise<Pick<AddPasskey, 'ticket' | 'response'>> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  if (!isCreation(options)) return refuse(new TypeError('no question'));
  const response = await startRegistration({ optionsJSON: options }).catch(refuse);
  return { ticket, response: { ...response, clientExtensionResults: {} } };
}

function refuse(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError')
    throw new PasskeyFailure('This device already has a passkey for you.', { cause: error });
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new PasskeyFailure('The passkey request was cancelled or took too long. Try again.', {
      cause: error,
    });
  throw new PasskeyFailure(
    'This browser cannot use passkeys here. They work only over https or on localhost, at the address of the service.',
    { cause: error },
  );
}

function isRequest(options: object): options is PublicKeyCredentialRequestOptionsJSON {
  return 'challenge' in options;
}

function isCreation(options: object): options is PublicKeyCredentialCreationOptionsJSON {
  return 'challenge' in options && 'user' in options;
}
