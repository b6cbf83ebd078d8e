import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';

/**
 * The large mailbox providers and their domains. Recipients at all other domains are counted together, because a personal domain would
 * identify its owner.
 */
const DOMAINS: Readonly<Record<string, readonly string[]>> = {
  Gmail: ['gmail.com', 'googlemail.com'],
  Microsoft: [
    'outlook.com',
    'hotmail.com',
    'live.com',
    'msn.com',
    'outlook.de',
    'outlook.fr',
    'outlook.es',
    'outlook.it',
    'hotmail.de',
    'hotmail.fr',
    'hotmail.es',
    'hotmail.it',
    'hotmail.co.uk',
    'live.de',
    'live.fr',
    'live.nl',
    'live.co.uk',
    'live.it',
    'outlook.jp',
    'outlook.com.br',
    'hotmail.com.br',
    'hotmail.nl',
    'passport.com',
  ],
  Yahoo: [
    'yahoo.com',
    'ymail.com',
    'rocketmail.com',
    'yahoo.de',
    'yahoo.fr',
    'yahoo.es',
    'yahoo.it',
    'yahoo.co.uk',
    'yahoo.ca',
    'yahoo.in',
    'yahoo.co.in',
    'yahoo.com.br',
    'yahoo.com.ar',
    'yahoo.com.mx',
    'yahoo.com.au',
  ],
  AOL: ['aol.com', 'aol.de', 'aol.fr', 'aol.co.uk', 'aim.com', 'verizon.net'],
  Apple: ['icloud.com', 'me.com', 'mac.com', 'privaterelay.appleid.com'],
  'GMX and WEB.DE': [
    'gmx.de',
    'gmx.net',
    'gmx.at',
    'gmx.ch',
    'gmx.com',
    'gmx.fr',
    'gmx.co.uk',
    'mail.com',
    'web.de',
  ],
  'T-Online': ['t-online.de', 'magenta.de'],
  Proton: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
  Fastmail: ['fastmail.com', 'fastmail.fm'],
  Comcast: ['comcast.net', 'xfinity.com'],
  Orange: ['orange.fr', 'wanadoo.fr'],
  'La Poste': ['laposte.net'],
  Free: ['free.fr'],
  SFR: ['sfr.fr', 'neuf.fr'],
  Libero: ['libero.it', 'virgilio.it'],
  'Mail.ru': ['mail.ru', 'bk.ru', 'list.ru', 'inbox.ru'],
  Yandex: ['yandex.ru', 'yandex.com', 'ya.ru'],
  QQ: ['qq.com', 'foxmail.com'],
  NetEase: ['163.com', '126.com', 'yeah.net'],
  Naver: ['naver.com'],
};

const PAIRS = Object.entries(DOMAINS).flatMap(([name, domains]) =>
  domains.map((domain) => [domain, name] as const),
);

/** The domains. `PROVIDER_NAMES` has the provider of each in the same order. */
export const PROVIDER_DOMAINS: readonly string[] = PAIRS.map(([domain]) => domain);
export const PROVIDER_NAMES: readonly string[] = PAIRS.map(([, name]) => name);

/** The name in a search for all recipients who have their mailbox at none of the providers. */
export const OTHER_PROVIDERS = 'other';

/** SQL value: the domain of a row `e` of `emails`. */
export const SENDER_DOMAIN = sql<string>`split_part(e.sender_address, '@', -1)`;
/** SQL value: the domain of a row `r` of `email_recipients`. */
export const RECIPIENT_DOMAIN = sql<string>`split_part(r.address, '@', -1)`;

/**
 * A condition on a row `r` of `email_recipients`: the mailbox is at this provider.
 * @param name in any case, or `other`
 * @returns null if there is no such provider
 */
export function isAtProvider(name: string): RawBuilder<boolean> | null {
  const given = name.toLowerCase();
  if (given === OTHER_PROVIDERS)
    return sql<boolean>`${RECIPIENT_DOMAIN} <> all (${textArray(PROVIDER_DOMAINS)}::text[])`;
  const domains = PAIRS.filter(([, provider]) => provider.toLowerCase() === given).map(([domain]) => domain);
  return domains.length === 0
    ? null
    : sql<boolean>`${RECIPIENT_DOMAIN} = any (${textArray(domains)}::text[])`;
}

/** @returns the names of the providers, and `other` */
export function providerNames(): string[] {
  return [...Object.keys(DOMAINS), OTHER_PROVIDERS];
}
