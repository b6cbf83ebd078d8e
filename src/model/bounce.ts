/** The reasons why a message did not reach a recipient. */
export const BOUNCE_CATEGORIES = [
  'unknown_user',
  'mailbox_full',
  'message_too_large',
  'content',
  'policy',
  'reputation',
  'auth',
  'dns',
  'network',
  'expired',
  'suppressed',
  'other',
] as const;

export type BounceCategory = (typeof BOUNCE_CATEGORIES)[number];

/** What a server's reply says about the recipient's address. */
export interface Classification {
  /** `hard`: the address or its domain will not accept mail later either. `soft`: a later attempt may succeed. */
  type: 'hard' | 'soft';
  category: BounceCategory;
  /** Whether to add the address to the suppression list: the reply means 5.1.1, 5.1.2, 5.1.3 or 5.2.1 (RFC 3463). */
  suppress: boolean;
}
