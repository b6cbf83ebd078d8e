/** The limits of a project (docs/plans.md). */
export const PLANS = ['free', 'paid'] as const;

export type Plan = (typeof PLANS)[number];

export interface PlanLimits {
  mailboxes: number | null;
  /** The number of domains that the project may add. The hosted domain is not counted. */
  ownDomains: number | null;
  /** The project's storage, in bytes. */
  storageBytes: number | null;
  /** Emails accepted by POST /v1/emails in a calendar month (UTC). An email with several recipients counts once. */
  apiEmailsPerMonth: number | null;
  /** Emails sent from the project's mailboxes in a calendar month (UTC). */
  mailboxEmailsPerMonth: number | null;
  /** The largest attachment of an email from a mailbox, in bytes. */
  fileBytes: number;
  /** The total size of the files in all live links of a project, in bytes. */
  largeFileShareBytes: number;
}

/**
 * A mebibyte, as in a mailbox's `quota_mb`, so a client that takes MB for a million bytes does not reach a limit earlier than it expects.
 */
const MB = 1024 * 1024;
const GB = 1024 * MB;

/** The limits of each plan. Null means no limit. */
export const PLAN_LIMITS: Readonly<Record<Plan, Readonly<PlanLimits>>> = {
  free: {
    mailboxes: 1,
    ownDomains: 1,
    storageBytes: 1 * GB,
    mailboxEmailsPerMonth: 300,
    apiEmailsPerMonth: 100,
    fileBytes: 20 * MB,
    largeFileShareBytes: 1 * GB,
  },
  paid: {
    mailboxes: null,
    ownDomains: 50,
    storageBytes: null,
    mailboxEmailsPerMonth: null,
    apiEmailsPerMonth: null,
    fileBytes: 25 * MB,
    largeFileShareBytes: 10 * GB,
  },
};

/** Whether the usage of a project with this plan must be checked before an email is accepted. */
export function limitsAccepting(plan: Plan): boolean {
  const { apiEmailsPerMonth, storageBytes } = PLAN_LIMITS[plan];
  return apiEmailsPerMonth !== null || storageBytes !== null;
}
