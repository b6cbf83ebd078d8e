/**
 * The tables as Kysely sees them: the shape of `migrations/`, in camelCase. Columns that PostgreSQL fills
 * are `Generated`.
 */
import type { ColumnType, Generated } from 'kysely';

export interface Tables {
  organizations: { id: string; name: string; createdAt: Date };
  projects: { id: string; organizationId: string; name: string; plan: 'free' | 'paid'; createdAt: Date };
  apiKeys: {
    projectId: string;
    id: string;
    name: string;
    tokenSha256: Buffer;
    scopes: string[] | null;
    createdAt: Date;
    revokedAt: Date | null;
  };
  domains: {
    projectId: string;
    id: string;
    name: string;
    status: 'pending' | 'verified' | 'failed' | 'warning';
    createdAt: Date;
    verifiedAt: Date | null;
  };
  dkimKeys: {
    projectId: string;
    domainId: string;
    selector: string;
    algorithm: 'rsa-sha256' | 'ed25519-sha256';
    publicKey: string;
    privateKeySealed: string;
    createdAt: Date;
  };
  settings: { name: string; value: string };
  emails: {
    projectId: string;
    id: string;
    createdAt: Date;
    sender: string;
    senderAddress: string;
    toList: string[];
    subject: string;
    tags: string[];
    status: Generated<number>;
    reached: Generated<number>;
    stages: number[];
  };
  emailContents: {
    projectId: string;
    emailId: string;
    cc: string[];
    bcc: string[];
    replyTo: string | null;
    headers: ColumnType<Record<string, string> | null, string | null, never>;
    html: string | null;
    text: string | null;
  };
  recipients: {
    projectId: string;
    emailId: string;
    n: number;
    address: string;
    octets: number;
    attempts: Generated<number>;
    crashes: Generated<number>;
    nextAttemptAt: Date | null;
    epoch: string | null;
    inHand: Generated<boolean>;
  };
  workers: { epoch: string; heartbeatAt: Date; name: string };
  events: {
    projectId: string;
    emailId: string;
    id: string;
    type: string;
    recipient: string | null;
    detail: ColumnType<Record<string, unknown> | null, string | null, never>;
  };
  idempotencyKeys: {
    projectId: string;
    key: string;
    fingerprint: Buffer;
    emailId: string;
    createdAt: Date;
  };
  sandboxMessages: { projectId: string; emailId: string; message: Buffer; createdAt: Date };
}
