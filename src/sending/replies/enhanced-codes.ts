import type { Classification } from '../../model/bounce.ts';

const UNKNOWN_USER: Classification = { type: 'hard', category: 'unknown_user', suppress: true };
const NO_DOMAIN: Classification = { type: 'hard', category: 'dns', suppress: true };
const soft = (category: Classification['category']): Classification => ({
  type: 'soft',
  category,
  suppress: false,
});

/**
 * The classification of an enhanced code by itself, by subject and detail (RFC 3463 and the registry of RFC 5248; codes with three digits
 * are Microsoft's). Unspecific codes are left out: x.0.0, x.1.0, x.5.0, x.7.1 and others.
 */
export const ENHANCED_CODES: Readonly<Record<string, Classification>> = {
  '1.1': UNKNOWN_USER,
  '1.2': NO_DOMAIN,
  '1.3': UNKNOWN_USER,
  '1.6': { type: 'hard', category: 'unknown_user', suppress: false },
  '1.7': soft('policy'),
  '1.8': soft('policy'),
  '1.10': NO_DOMAIN,
  '1.351': UNKNOWN_USER,
  '2.1': { type: 'soft', category: 'unknown_user', suppress: true },
  '2.2': soft('mailbox_full'),
  '2.3': soft('message_too_large'),
  '2.4': soft('policy'),
  '3.4': soft('message_too_large'),
  '4.2': soft('network'),
  '4.3': soft('network'),
  '4.4': NO_DOMAIN,
  '4.6': soft('network'),
  '4.7': soft('expired'),
  '4.14': soft('network'),
  '4.300': soft('expired'),
  '4.310': NO_DOMAIN,
  '4.316': soft('network'),
  '6.1': soft('content'),
  '6.2': soft('content'),
  '6.3': soft('content'),
  '6.6': soft('content'),
  '6.7': soft('content'),
  '7.2': soft('policy'),
  '7.7': soft('auth'),
  '7.8': soft('policy'),
  '7.9': soft('policy'),
  '7.20': soft('auth'),
  '7.21': soft('auth'),
  '7.22': soft('auth'),
  '7.23': soft('auth'),
  '7.24': soft('auth'),
  '7.25': soft('reputation'),
  '7.26': soft('auth'),
  '7.28': soft('reputation'),
  '7.29': soft('auth'),
  '7.30': soft('auth'),
  '7.54': soft('policy'),
  '7.124': soft('policy'),
  '7.133': soft('policy'),
  '7.134': soft('policy'),
  '7.136': soft('policy'),
  '7.509': soft('auth'),
  '7.511': soft('reputation'),
  '7.515': soft('auth'),
  '7.606': soft('reputation'),
  '7.708': soft('reputation'),
  '7.750': soft('reputation'),
};
