/** Spam rules about the text. */
import type { Mail } from '../mail.ts';

/** The Generic Test for Unsolicited Bulk Email: a text that every filter treats as spam, for testing. */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

export function isGtube({ text }: Mail): boolean {
  return text.includes(GTUBE);
}

/** The number of phrases that occur in the subject or the text. */
function hits({ subject, text }: Mail, phrases: readonly RegExp[]): number {
  const all = `${subject}\n${text.slice(0, 65_536)}`;
  return phrases.filter((phrase) => phrase.test(all)).length;
}

const ADVANCE_FEE = [
  /\b(?:million|billion) (?:us |united states )?(?:dollars|usd|euros?|pounds)\b/i,
  /\b(?:us\$|usd|\$|€|£) ?\d{1,3}(?:[.,]\d{3}){2}/i,
  /\bnext of kin\b/i,
  /\b(?:inheritance|lottery|unclaimed fund|compensation fund|atm card|bank draft|consignment box)\b/i,
  /\b(?:transfer|release) (?:of )?(?:the |this |your )?(?:fund|funds|money|sum)\b/i,
  /\b(?:beneficiary|barrister|diplomatic (?:agent|courier))\b/i,
  /\b(?:urgent(?:ly)?|confidential) (?:business |response|reply|proposal|assistance)/i,
  /\byour (?:full name|telephone number|occupation|date of birth)\b/i,
];

export function requestsAdvance(mail: Mail): boolean {
  return hits(mail, ADVANCE_FEE) >= 3;
}

const CREDENTIALS = [
  /\b(?:verify|confirm|validate|update) (?:your|the) (?:account|identity|mailbox|password|billing|payment|e-?mail)\b/i,
  /\b(?:account|mailbox|password|e-?mail|subscription) (?:has been|will be|is about to be|was|is|has) (?:suspended|limited|locked|deactivated|disabled|closed|expired?|terminated|blocked)\b/i,
  /\bwithin (?:the next )?(?:12|24|48|72) ?(?:h|hrs|hours)\b/i,
  /\b(?:unusual|suspicious|unauthori[sz]ed) (?:activity|sign-?in|login|access|transaction)\b/i,
  /\b(?:click|tap|follow) (?:here|below|the link|on the link|this link)\b/i,
  /\b(?:storage|quota|mailbox) (?:is )?(?:almost )?(?:full|exceeded)\b/i,
  /\bdear (?:customer|user|client|account (?:holder|owner)|beneficiary|friend)\b/i,
];

export function pressesForCredentials(mail: Mail): boolean {
  return hits(mail, CREDENTIALS) >= 3;
}

const GOODS = [
  /\b(?:viagra|cialis|levitra|tramadol|xanax|ambien|kamagra)\b/i,
  /\b(?:replica|luxury) (?:watch|watches|handbags?)\b/i,
  /\b(?:male|penis) (?:enhancement|enlargement)\b/i,
  /\b(?:lose weight|weight loss|burn fat|keto (?:diet|gummies|pills))\b/i,
  /\b(?:online casino|free spins|betting bonus|slot bonus)\b/i,
  /\b(?:crypto|bitcoin|forex) (?:profit|trading (?:bot|platform|signals)|investment|giveaway)\b/i,
  /\b(?:no prescription|without prescription|cheap (?:meds|pills)|online pharmacy)\b/i,
  /\b(?:work from home|earn \$?\d[\d,.]* (?:a|per) (?:day|week|month)|make money (?:fast|online))\b/i,
  /\b(?:first page (?:of|on) google|seo (?:services|packages|proposal)|backlinks)\b/i,
  /\b(?:pre-?approved loan|instant loan|consolidate your debt|bad credit ok)\b/i,
  /\b(?:100% (?:free|guaranteed|risk[- ]free)|risk[- ]free trial|act now|limited time offer|order now)\b/i,
];

export function offersGoods(mail: Mail): boolean {
  return hits(mail, GOODS) === 1;
}

export function offersManyGoods(mail: Mail): boolean {
  return hits(mail, GOODS) >= 2;
}

const EXTORTION =
  /\b(?:webcam|your (?:device|camera|contacts|browser)|recorded (?:you|a video)|masturbat|trojan|malware|pervert)/i;
const WALLET = /\b(?:bc1[02-9ac-hj-np-z]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34})\b/;

export function extorts({ text }: Mail): boolean {
  return WALLET.test(text) && EXTORTION.test(text) && /\bbitcoin|btc\b/i.test(text);
}

export function isImageAlone({ html, plain }: Mail): boolean {
  return html !== null && html.images > 0 && html.text.length < 100 && (plain ?? '').trim().length < 100;
}

export function isLinkAlone({ text, links, attachments }: Mail): boolean {
  const words = text.replaceAll(/https?:\/\/\S+/gi, '').trim();
  return links.length > 0 && words.length < 40 && attachments.length === 0;
}
