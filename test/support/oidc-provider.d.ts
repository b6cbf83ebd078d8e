/** Types for the parts of the package that tests use. The package itself has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Client {
    client_id: string;
    client_secret: string;
    redirect_uris: string[];
    token_endpoint_auth_method: 'client_secret_post';
  }

  interface Configuration {
    clients: Client[];
    claims: Record<string, string[]>;
    pkce: { required(): boolean };
    cookies: { keys: string[] };
    findAccount(context: unknown, sub: string): { accountId: string; claims(): object };
  }

  export default class OidcProvider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
