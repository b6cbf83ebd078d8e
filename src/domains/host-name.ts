/**
 * What is wrong with the name that the records of domains lead to, for whoever would publish them; null: nothing that the name
 * itself shows. A record with such a name can be published and verified, and nobody finds this server by it.
 */
export function hostNameFault(hostname: string): string | null {
  if (hostname.includes('.')) return null;
  return `The host name of this server, ${hostname}, has no dot, so nobody finds it in DNS. Its operator sets POSTHORN_HOSTNAME to a full name such as mail.acme.example; then this record names that.`;
}
