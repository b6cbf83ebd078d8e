import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announcesOriginal, hasOf, isFailureSubject, MARKERS, mentionsFailure } from './markers.ts';

const TEXTS = [
  'it could not be delivered',
  'we could not reach him',
  'unable to send it',
  'it was not sent',
  'error transferring',
  'delivery failed',
  'an error of delivery',
  'a problem of delivery',
  'trouble with delivery',
  'delivery is delayed',
  "it wasn't delivered",
  'a warning about its delivery',
  'konnte nicht zugestellt werden',
  'fehler bei der zustellung',
  "échec : le message n'est pas remis",
  'echec de livraison',
  'error en la entrega: entregado',
  'falha na entrega',
  'no se pudo entregar',
  'não foi entregue',
  'mancata consegna',
  'impossibile recapitare',
  'niet bezorgd',
  'kunde inte levereras',
  'kan ikke leveres',
  'onbestelbaar',
  'niedostarczalne',
  'недоставлено',
  'nedoručitelné',
  'nie dostarczono',
  'не доставлено',
  'не отправлено',
  '配信できませんでした',
  '送信できませんでした',
  '未送达',
  '배달되지',
  'undeliverable',
  'nondeliverable',
  'a non-delivery',
  'unzustellbar',
  'non remis',
  'it bounced',
  'returned mail',
  'returned to the sender',
  'it is being returned',
  'permanent fatal errors',
  '退信',
];

const SUBJECTS = [
  'delivery status',
  'failure notice',
  'message returned',
  'message rejected',
  '[bounce]',
  'message blocked',
  'mail system error',
  'エラー',
];

const SYSTEMS = [
  'mailer-daemon@mx.example',
  'mailer daemon',
  'mail daemon',
  'mdaemon at mx.example',
  'postmaster@mx.example',
  'microsoftexchange3@mx.example',
  'mail delivery',
  'delivery system',
  'delivery subsystem',
  'mail system',
  'system administrator',
];

const AUTO_REPLIES = [
  'out of office: hello',
  'i am out of the office',
  'out-of-office',
  'ooo: hello',
  'autoreply',
  'auto-reply',
  'auto reply',
  'auto: hello',
  'automatic reply',
  'automatic response',
  'automated reply',
  'automated response',
  'automatische antwort',
  'on vacation',
  'on holiday',
  'on leave',
  'i am away',
  'away from my desk',
  'away until monday',
  'abwesenheitsnotiz',
  'afwezigheid',
  'absence du bureau',
  'fuera de la oficina',
  'ausência',
  'fuori sede',
  'réponse automatique',
  'autosvar',
  'автоответ',
  '自動返信',
  '不在',
  '自动回复',
  '자동 회신',
];

const CHALLENGES = [
  'please confirm it',
  'confirm your message',
  'your message requires verification',
  'verification request',
  'verification required',
  'verify your message',
  'release your message',
  'we wait for your confirmation',
  'spamarrest',
  'boxbe',
  'challenge-response',
  'prove that you are human',
  'prove that you are a real person',
];

/** The words that can be removed while `is` still accepts every sample. */
function unneededOf(
  list: readonly string[],
  samples: readonly string[],
  is: (text: string) => boolean,
): string[] {
  const words = list as string[];
  return [...words].filter((word, index) => {
    words.splice(index, 1);
    const isIdle = samples.every(is);
    words.splice(index, 0, word);
    return isIdle;
  });
}

describe('the marker words', () => {
  const { delivery, failure, undelivered, subject, system, autoReply, challenge } = MARKERS;
  const has = (list: readonly string[]) => (text: string) => hasOf(text, list);
  const kinds: [string, (readonly string[])[], string[], (text: string) => boolean][] = [
    ['texts', [delivery, failure, undelivered], TEXTS, mentionsFailure],
    ['subjects', [subject], SUBJECTS, isFailureSubject],
    ['systems', [system], SYSTEMS, has(system)],
    ['automatic answers', [autoReply], AUTO_REPLIES, has(autoReply)],
    ['challenges', [challenge], CHALLENGES, has(challenge)],
  ];
  for (const [name, lists, samples, is] of kinds) {
    it(`recognize the ${name} of reports, and no word is superfluous`, () => {
      for (const sample of samples) assert.ok(is(sample), sample);
      for (const list of lists) assert.deepEqual(unneededOf(list, samples, is), []);
    });
  }

  it('do not recognize ordinary mail as a report', () => {
    for (const text of ['thank you, i read it with joy', 'see you on monday', 'the invoice is attached']) {
      assert.ok(!mentionsFailure(text), text);
      assert.ok(!isFailureSubject(text), text);
    }
  });

  it('recognize the line before the original message', () => {
    const announce = [
      '--- Below this line is a copy of the message.',
      '------ This is a copy of the message, including all the headers. ------',
      '   ----- Original message follows -----',
      '------- Returned Message --------',
      '|------------------------- Message text follows: ------------------------|',
      '   -- The header and top 20 lines of the message follows --',
      '    Below is a copy of the original message:',
      'Message headers follow.',
      'Original message headers:',
    ];
    for (const line of announce) assert.ok(announcesOriginal(line), line);
    const others = [
      "I'm sorry to have to inform you that the message returned",
      'below could not be delivered to one or more destinations.',
      '|------------------------- Message log follows: -------------------------|',
      '   ----- Transcript of session follows -----',
      '-------server message',
      'Your message:',
      'Your message to <someone@rcpt.example> was automatically rejected:',
      'We had trouble delivering your message. Full details follow:',
      '** Message not delivered **',
    ];
    for (const line of others) assert.ok(!announcesOriginal(line), line);
  });
});
