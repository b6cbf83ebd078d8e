/** Signing in with an OpenID provider (OpenID Connect Core 1.0): authorization code with PKCE, state and nonce. */
import type { Configuration, IDToken } from 'openid-client';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { UserIdentities, ProviderUser } from './identities.ts';
import type { Ticket, TicketFields, Tickets } from './tickets.ts';

/** The provider that the operator configured. */
interface OpenIdProvider {
  issuer: string;
  clientId: string;
  /** Null for a public client, which only PKCE protects. */
  clientSecret: string | null;
}

export interface OpenIdOptions {
  provider: OpenIdProvider;
  /** Whether http is allowed, for a provider on this machine. */
  allowsHttp: boolean;
  tickets: Tickets;
  identities: UserIdentities;
  /** The public URL of the service, without a trailing slash. Called at each request. */
  baseUrl(): string;
  logger: { warn(fields: object, message: string): void };
}

const TIMEOUT_SECONDS = 10;
/** Cache lifetime of the discovered configuration, which is limited because a provider's keys and endpoints change. */
const KEPT_MS = 3_600_000;
const RETRY_SECONDS = 10;
const NAME = /^(?=.*\S)[^\u0000-\u001f\u007f]{1,100}$/u;
const SCOPE = 'openid email profile';
/** The maximum age of a sign-in at the provider that counts as a confirmation. */
const FRESH_SECONDS = 300;

export class OpenId {
  readonly #options: OpenIdOptions;
  #found: { configuration: Promise<Configuration>; untilMs: number } | null = null;

  constructor(options: OpenIdOptions) {
    this.#options = options;
  }

  /** The provider's name for users: the host of its issuer. */
  get name(): string {
    return new URL(this.#options.provider.issuer).host;
  }

  /**
   * Builds the provider URL that the browser opens.
   * @param confirms uuid of the session to confirm; null for a new sign-in
   * @throws AppError unavailable
   */
  async start({ returnTo, confirms }: { returnTo: string; confirms: string | null }) {
    const openid = await import('openid-client');
    const configuration = await this.#configuration();
    const fields = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(),
      scope: SCOPE,
      state: fields.state,
      nonce: fields.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(fields.verifier),
      code_challenge_method: 'S256',
      ...(confirms !== null && { prompt: 'login', max_age: '0' }),
    });
    return {
      url: url.href,
      ticket: this.#options.tickets.issue('openid', { ...fields, confirms, returnTo }),
    };
  }

  /**
   * Completes a sign-in.
   * @param query the query of the URL to which the provider redirected the browser: `code=…&state=…`
   * @throws AppError sign-in-refused with a message that tells the user what to do; unavailable
   */
  async finish(ticketText: string, query: string): Promise<{ userId: string; returnTo: string }> {
    const ticket = await this.#takeTicket(ticketText, query, (confirms) => confirms === null);
    const user = await this.#askProvider(query, ticket);
    const userId = await this.#options.identities.signIn(user);
    if (userId === null)
      throw refused(
        `There is no account for ${user.email ?? 'the address from the provider'}, or the provider has not verified the address. Ask an owner of your organization for an invitation.`,
      );
    return { userId, returnTo: ticket.returnTo };
  }

  /**
   * Confirms a session after its user has signed in at the provider again.
   * @returns the URL at which the page continues
   * @throws AppError sign-in-refused, unavailable
   */
  async confirm(
    ticketText: string,
    query: string,
    { userId, sessionId }: { userId: string; sessionId: string },
  ): Promise<string> {
    const ticket = await this.#takeTicket(ticketText, query, (confirms) => confirms === sessionId);
    const user = await this.#askProvider(query, ticket);
    if (!(await this.#options.identities.isOf(userId, user)))
      throw refused(`A different user signed in at ${this.name}.`);
    return ticket.returnTo;
  }

  /** @throws AppError sign-in-refused */
  async #takeTicket(
    text: string,
    query: string,
    isFor: (confirms: string | null) => boolean,
  ): Promise<Ticket<TicketFields['openid']>> {
    const { tickets } = this.#options;
    const ticket = tickets.open('openid', text);
    if (ticket === null || !isFor(ticket.confirms) || !(await tickets.use(ticket)))
      throw refused('This sign-in has expired or was already completed. Sign in again.');
    if (new URLSearchParams(query).get('error') === 'access_denied')
      throw refused(`Access was denied at ${this.name}. Sign in again.`);
    return ticket;
  }

  async #askProvider(
    query: string,
    {
      state,
      nonce,
      verifier,
      confirms,
    }: { state: string; nonce: string; verifier: string; confirms: string | null },
  ): Promise<ProviderUser> {
    const openid = await import('openid-client');
    const configuration = await this.#configuration();
    try {
      const answer = await openid.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri()}?${query.replace(/^\?/, '')}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(confirms !== null && { maxAge: FRESH_SECONDS }),
        },
      );
      const claims = answer.claims();
      if (claims === undefined) throw new TypeError('no ID token');
      const known =
        typeof claims['email'] === 'string' ? claims : await this.#userInfo(answer.access_token, claims);
      const { email, name, email_verified: isVerified } = known;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof email === 'string' ? email : null,
        // A name that cannot be displayed is ignored.
        name: typeof name === 'string' && NAME.test(name) ? name : null,
        isEmailVerified: isVerified === true,
      };
    } catch (error) {
      this.#options.logger.warn(
        { err: error, issuer: this.#options.provider.issuer },
        LOG_MESSAGES.openIdFailed,
      );
      throw refused(
        `${this.name} did not confirm your identity, or its response was invalid. Sign in again. If it still fails, ask an operator: the server log has the reason.`,
      );
    }
  }

  /** Many providers return the address only from the UserInfo endpoint (OpenID Connect Core 1.0, section 5.4). */
  async #userInfo(accessToken: string, claims: IDToken): Promise<Readonly<Record<string, unknown>>> {
    const { fetchUserInfo } = await import('openid-client');
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return fetchUserInfo(configuration, accessToken, claims.sub);
  }

  #redirectUri(): string {
    return `${this.#options.baseUrl()}/dashboard/openid`;
  }

  /** @throws AppError unavailable */
  async #configuration(): Promise<Configuration> {
    const nowMs = clock.nowMs();
    if (this.#found === null || this.#found.untilMs <= nowMs)
      this.#found = { configuration: this.#discover(), untilMs: nowMs + KEPT_MS };
    try {
      return await this.#found.configuration;
    } catch (error) {
      // Failures are not cached, because the provider may respond the next time.
      this.#found = null;
      const { issuer } = this.#options.provider;
      this.#options.logger.warn({ err: error, issuer }, LOG_MESSAGES.openIdFailed);
      throw new AppError(
        'unavailable',
        `${this.name} cannot be reached, or did not respond as an OpenID provider. Sign in with your password, or try again.`,
        { retryAfterSeconds: RETRY_SECONDS, cause: error },
      );
    }
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery } = await import('openid-client');
    const { provider, allowsHttp } = this.#options;
    return discovery(
      new URL(provider.issuer),
      provider.clientId,
      provider.clientSecret ?? undefined,
      undefined,
      { timeout: TIMEOUT_SECONDS, ...(allowsHttp && { execute: [allowInsecureRequests] }) },
    );
  }
}

function refused(detail: string): AppError {
  return new AppError('sign-in-refused', detail);
}
