/** The starters of templates, in the order in which users choose from them. */
export const STARTER_KEYS = [
  'blank',
  'password-reset',
  'sign-in-code',
  'verify-email',
  'welcome',
  'invitation',
  'receipt',
  'invoice',
  'order-shipped',
  'payment-failed',
] as const;
export type StarterKey = (typeof STARTER_KEYS)[number];
