/** Mail providers where anyone can sign up, and internet providers whose customers have addresses. */
export const MAIL_PROVIDERS: ReadonlySet<string> = new Set(
  [
    'gmail.com googlemail.com yahoo.com ymail.com rocketmail.com outlook.com hotmail.com live.com msn.com aol.com icloud.com me.com mac.com',
    'proton.me protonmail.com pm.me tuta.com tutanota.com fastmail.com hey.com zoho.com mail.com email.com hushmail.com inbox.com gmx.com gmx.net',
    'gmx.de gmx.at gmx.ch web.de freenet.de t-online.de posteo.de mailbox.org arcor.de bluewin.ch aon.at',
    'yahoo.fr hotmail.fr outlook.fr live.fr orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr bbox.fr',
    'yahoo.es hotmail.es outlook.es telefonica.net yahoo.com.mx hotmail.com.ar yahoo.com.ar yahoo.com.br hotmail.com.br outlook.com.br uol.com.br bol.com.br terra.com.br ig.com.br sapo.pt',
    'yahoo.it hotmail.it outlook.it libero.it virgilio.it tiscali.it alice.it tin.it',
    'ziggo.nl kpnmail.nl planet.nl hetnet.nl xs4all.nl home.nl telenet.be skynet.be',
    'abv.bg mail.bg dir.bg wp.pl o2.pl onet.pl op.pl interia.pl gazeta.pl poczta.fm seznam.cz centrum.cz',
    'mail.ru bk.ru list.ru inbox.ru yandex.ru yandex.com ya.ru rambler.ru ukr.net',
    'yahoo.co.uk hotmail.co.uk live.co.uk btinternet.com sky.com virginmedia.com ntlworld.com talktalk.net comcast.net verizon.net att.net sbcglobal.net cox.net charter.net bellsouth.net earthlink.net juno.com rogers.com shaw.ca sympatico.ca bigpond.com optusnet.com.au yahoo.com.au xtra.co.nz',
    '163.com 126.com yeah.net qq.com foxmail.com sina.com sohu.com aliyun.com yahoo.co.jp docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com naver.com hanmail.net daum.net',
    'hotmail.com.tr mynet.com yahoo.co.in rediffmail.com maktoob.com',
  ].flatMap((domains) => domains.split(' ')),
);

/** Mail providers with a domain in each of many countries, such as `yahoo.co.uk`. */
const INTERNATIONAL: ReadonlySet<string> = new Set(['yahoo', 'hotmail', 'outlook', 'live', 'gmx']);
/** Domains of groups and tenants of a service. */
const SERVICES: ReadonlySet<string> = new Set(['googlegroups.com', 'groups.io', 'onmicrosoft.com']);
/** Universities, each with thousands of people: `.edu`, `.edu.au` and `.ac.uk`. */
const ACADEMIC = /\.(?:edu|(?:edu|ac)\.[a-z]{2})$/;

/**
 * Whether many people who have nothing to do with each other have addresses at the domain, so that it is not one sender.
 * @param domain a registered domain (`organizationOf`)
 */
export function isSharedDomain(domain: string): boolean {
  return (
    MAIL_PROVIDERS.has(domain) ||
    SERVICES.has(domain) ||
    ACADEMIC.test(domain) ||
    INTERNATIONAL.has(domain.slice(0, domain.indexOf('.')))
  );
}
