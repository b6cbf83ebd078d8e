/**
 * Explains to domain owners why the host name that their records point to cannot work; null if the host name is valid. A record with an
 * invalid host name can still be published and verified, but no receiver can find the server by it.
 */
export function hostNameFault(hostname: string): string | null {
  if (hostname.includes('.')) return null;
  return `The host name of this server, ${hostname}, has no dot, so it cannot be found in DNS. Ask its operator to set POSTHORN_HOSTNAME to a full name such as mail.acme.example.`;
}

/** Whether mail is sent from the addresses of the host. A smart host and Amazon SES send it from their own addresses. */
export function sendsFromHost(provider: 'sandbox' | 'smtp' | 'direct' | 'ses' | null): boolean {
  return provider !== 'smtp' && provider !== 'ses';
}
