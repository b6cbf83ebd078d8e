/** Guards every operation of the dashboard before its body is read. Checks the session, the origin of the page and the role of the user. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIRMED_MS } from '../../../accounts/limits.ts';
import type { Principal, SignedInUser } from '../../../accounts/principal.ts';
import type { SessionMatch, RequestScope, ScopeRights } from '../../../accounts/signed-in.ts';
import { AppError } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import { decodeId, NIL_UUID } from '../../../model/ids.ts';
import { isAtLeast } from '../../../model/roles.ts';
import type { SignInRequirement } from '../../../model/sign-in-requirements.ts';
import { sessionTokenOf } from './cookies.ts';
import type { DashboardOperation } from './operation.ts';
import {
  assertCsrfToken,
  assertOwnHost,
  assertOwnOrigin,
  assertSafeTransport,
} from '../browser/assert-own-page.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import type { DashboardServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user. Set before an operation runs, unless the operation is open to anyone. */
    signedIn: Entrance | null;
  }
}

/** The access that the guard has granted to a request. */
interface Entrance {
  principal: Principal;
  sessionToken: string;
  scope: RequestScope;
}

interface GuardOptions {
  services: Pick<DashboardServices, 'signedIn'>;
  address: Address;
}

const UNKNOWN: Record<keyof RequestScope, string> = {
  projectId: 'There is no such project.',
  organizationId: 'There is no such organization.',
};

/** The guard hook of one operation. */
export function dashboardGuard({ services, address }: GuardOptions, operation: DashboardOperation) {
  const { method, role, needsConfirmation = false } = operation;
  const changes = method !== 'GET';

  /** @throws AppError not-signed-in, request-forged, and the errors of `admit` and `assertConfirmed` */
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    assertOwnHost(address, request);
    if (role === 'anyone') {
      if (!changes) return;
      assertOwnOrigin(address, request);
      assertSafeTransport(address, request);
      return;
    }
    const token = sessionTokenOf(request, isSecure(address, request));
    const scope = scopeOf(request);
    let found = token === null ? null : await services.signedIn.find(token, scope);
    if (token === null || found === null)
      throw new AppError('not-signed-in', 'You are not signed in, or your session has ended. Sign in.');
    if (changes) {
      assertOwnOrigin(address, request);
      assertCsrfToken(request, token, '/dashboard/api/session');
    }
    // The cached session may be older than a second factor that another process accepted.
    if (isMissingAny(found)) found = (await services.signedIn.lookUp(token, scope)) ?? found;
    const { user, rights } = admit(operation, found, scope);
    request.signedIn = { principal: principalOf(user, rights), sessionToken: token, scope };
    if (needsConfirmation) await assertConfirmed(services, request.signedIn);
  };
}

/**
 * Checks the higher role and the confirmation that certain bodies require. Runs after the body is validated.
 * @throws AppError missing-role, confirmation-required
 */
export async function assertElevated(
  services: GuardOptions['services'],
  { elevated }: DashboardOperation,
  body: unknown,
  signedIn: Entrance | null,
): Promise<void> {
  if (elevated === undefined || signedIn === null || !elevated.by(body as Record<string, unknown>)) return;
  const { field, role } = elevated;
  const yours = signedIn.principal.role;
  if (!isAtLeast(yours, role))
    throw missingRole(role, `Setting ${field} requires the role ${role}. Your role is ${yours}.`);
  await assertConfirmed(services, signedIn);
}

/** @throws AppError confirmation-required if the user has not confirmed recently */
async function assertConfirmed(
  { signedIn }: GuardOptions['services'],
  { principal, sessionToken, scope }: Entrance,
): Promise<void> {
  if (isConfirmed(principal)) return;
  // The cached session may be older than a confirmation that another process accepted.
  const found = await signedIn.lookUp(sessionToken, scope);
  if (found === null || !isConfirmed(found.user))
    throw new AppError(
      'confirmation-required',
      'Confirm your identity with POST /dashboard/api/session/confirmation, then try again.',
    );
}

/** @throws AppError not-found, missing-role, stronger-sign-in-required */
function admit(operation: DashboardOperation, found: SessionMatch, scope: RequestScope): SessionMatch {
  const { role } = operation;
  const { user, rights } = found;
  const missing = missingRequirement(operation, found);
  if (role === 'operator' && missing !== null) throw strongerSignIn(missing, user);
  if (role === 'operator' && !user.isOperator)
    throw missingRole('operator', 'Only operators of this installation can do this.');
  // A project or organization without access gets the same error as an unknown one.
  for (const kind of ['projectId', 'organizationId'] as const)
    if (scope[kind] !== undefined && rights === null) throw new AppError('not-found', UNKNOWN[kind]);
  if (missing !== null) throw strongerSignIn(missing, user);
  if (role === 'operator' || role === 'signed-in' || role === 'anyone') return found;
  if (rights === null) throw new TypeError('an operation with a role needs a project or an organization');
  if (!isAtLeast(rights.role, role))
    throw missingRole(role, `This requires the role ${role}. Your role is ${rights.role}.`);
  return found;
}

/** Returns which sign-in requirement of the operation the session does not meet. Null if it meets all requirements. */
function missingRequirement(
  { role, availability }: DashboardOperation,
  { user, rights }: SessionMatch,
): SignInRequirement | null {
  if (role === 'operator') return user.operatorMissing;
  if (role !== 'signed-in') return rights?.missing ?? null;
  if (availability === 'session') return null;
  if (availability === undefined) return user.missingEverywhere;
  // Attack: a session started with a stolen password, before the user set up a second factor, adds the attacker's passkey.
  return user.hasSecondFactor && user.lacksSecondFactor ? 'second-factor' : null;
}

function isMissingAny({ user, rights }: SessionMatch): boolean {
  return (
    user.lacksSecondFactor || user.operatorMissing !== null || (rights !== null && rights.missing !== null)
  );
}

function strongerSignIn(required: SignInRequirement, { hasSecondFactor }: SignedInUser): AppError {
  const what =
    required === 'openid'
      ? 'This action requires a sign-in with the OpenID provider. Sign in with it.'
      : hasSecondFactor
        ? 'This action requires a second factor. Confirm your identity with it.'
        : 'This action requires a second factor. Set one up under Account.';
  return new AppError('stronger-sign-in-required', what, { extensions: { required_sign_in: required } });
}

function missingRole(role: string, detail: string): AppError {
  return new AppError('missing-role', detail, { extensions: { required_role: role } });
}

function principalOf(user: SignedInUser, rights: ScopeRights | null): Principal {
  return {
    ...user,
    ...(rights ?? { organizationId: NIL_UUID, role: 'viewer', seesBodies: false, missing: null }),
  };
}

function isConfirmed({ confirmedAt }: Pick<SignedInUser, 'confirmedAt'>): boolean {
  return confirmedAt.getTime() + CONFIRMED_MS > clock.nowMs();
}

/** The project and the organization in the path. A malformed id becomes the nil uuid, which no project or organization has. */
function scopeOf({ params }: FastifyRequest): RequestScope {
  const { project, organization } = params as { project?: string; organization?: string };
  return {
    ...(project !== undefined && { projectId: decodeId('prj', project) ?? NIL_UUID }),
    ...(organization !== undefined && { organizationId: decodeId('org', organization) ?? NIL_UUID }),
  };
}
