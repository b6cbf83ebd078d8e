/**
 * Spam rules about the client and its greeting. These rules apply only to clients on the internet, because machines in home
 * networks usually have no names.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Mail } from '../mail.ts';

const INSIDE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'deprecatedSiteLocal',
  'unspecified',
]);

/** Whether the client is on the internet. False if its address is unknown. */
export function isOutside({ arrival: { address } }: { arrival: Pick<Mail['arrival'], 'address'> }): boolean {
  return ipaddr.isValid(address) && !INSIDE.has(ipaddr.process(address).range());
}

export function hasNoReverseName(mail: Mail): boolean {
  const { result, name } = mail.authentication.iprev;
  return result === 'fail' && name === null && isOutside(mail);
}

export function reversePointsElsewhere(mail: Mail): boolean {
  const { result, name } = mail.authentication.iprev;
  return result === 'fail' && name !== null && isOutside(mail);
}

function isAddress(helo: string): boolean {
  return isIP(helo) !== 0 || helo.startsWith('[');
}

export function heloIsAddress(mail: Mail): boolean {
  return isAddress(mail.arrival.helo) && isOutside(mail);
}

export function heloIsOneLabel(mail: Mail): boolean {
  const { helo } = mail.arrival;
  return !isAddress(helo) && !helo.includes('.') && isOutside(mail);
}

export function heloIsOurs(mail: Mail): boolean {
  return mail.arrival.helo.toLowerCase() === mail.hostname.toLowerCase() && isOutside(mail);
}

const DYNAMIC =
  /(?:^|[.-])(?:dyn|dynamic|dsl|adsl|vdsl|dhcp|dial|dialup|ppp|pppoe|pool|cable|broadband|client|cust|customer)(?:[.-]|\d)/;

/** Whether the reverse DNS name looks like a provider's name for a customer's line, instead of a mail server's own name. */
export function reverseIsDynamic({ arrival, authentication }: Mail): boolean {
  const name = authentication.iprev.name ?? '';
  const numbers = arrival.address.split('.');
  if (numbers.length !== 4) return false;
  const groups = new Set(name.match(/\d+/g));
  return DYNAMIC.test(name) && numbers.filter((number) => groups.has(number)).length >= 2;
}
