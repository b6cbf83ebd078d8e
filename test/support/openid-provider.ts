/** A real OpenID provider on this machine. Its only page accepts any user name. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OidcProvider from 'oidc-provider';

export interface OpenIdProvider extends AsyncDisposable {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Registers the redirect URI of the service. Call this when the service is running and its port is known. */
  allow(redirectUri: string): void;
  /** Whether the provider reports email addresses as verified. */
  isVerified: boolean;
}

const CLIENT = { clientId: 'posthorn', clientSecret: 'a secret of the client, which is long enough' };

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const server = createServer();
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider: OpenIdProvider = {
    issuer,
    ...CLIENT,
    isVerified: true,
    allow(redirectUri) {
      const instance = new OidcProvider(issuer, {
        clients: [
          {
            client_id: CLIENT.clientId,
            client_secret: CLIENT.clientSecret,
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        pkce: { required: () => true },
        cookies: { keys: ['a key of the cookies'] },
        findAccount: (_context: unknown, sub: string) => ({
          accountId: sub,
          claims: () => ({ sub, email: sub, email_verified: provider.isVerified, name: 'Grace Hopper' }),
        }),
      });
      server.on('request', instance.callback());
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}
