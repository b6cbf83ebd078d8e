/**
 * Prints how the filter judges sample mail at the level `medium`: `deploy/node test/spam/measure.ts [WRITER]`. The writer is `c` by default,
 * whose messages trained nothing. They were judged several times while the filter was made (docs/decisions/0136), so expect that other mail
 * is judged a little worse.
 */
import { findSpamSigns } from '../../src/receiving/spam/score.ts';
import { type LessonsInCommon, type OfProject, reasonsOf } from '../../src/receiving/spam/learned.ts';
import { type SpamReason, USUAL_JUNK_SCORE, verdictOf } from '../../src/receiving/spam/verdict.ts';
import { readCorpus, type SampleMessage, type Writer } from './corpus.ts';

export interface Share {
  junk: number;
  all: number;
}

/** The mailbox wrote to the sender before. */
const KNOWN: SpamReason = { rule: 'SENDER_KNOWN', weight: -3 };
/** How many wanted messages the mailbox has filed, starred or answered before it marks a campaign. */
const WANTED_LESSONS = 30;
/** The maximum number of messages of a campaign that are marked. Two others of the campaign are then judged. */
const MARKED = 10;

/**
 * How many messages go to Junk before the mailbox has learned anything.
 * @param isKnown whether the mailbox knows the senders of answers to its mail
 */
export function atFirst(messages: readonly SampleMessage[], isKnown = true): Share {
  return share(messages.map((message) => isJunk(isKnown ? message : { ...message, isReply: false }, [])));
}

/** How many wanted messages from unknown senders go to Junk if the mailbox marked all campaigns and has no wanted lesson. */
export function afterMarkingAll(spam: readonly SampleMessage[], ham: readonly SampleMessage[]): Share {
  const junk = spam.filter(({ campaign }) => campaign !== null).map(lessonOf);
  return share(ham.map((message) => isJunk({ ...message, isReply: false }, learnedFrom(message, junk, []))));
}

/**
 * For each campaign, how many of its last two messages go to Junk after a mailbox marked the others, and of the wanted messages that the
 * mailbox has not seen.
 */
export function afterMarking(
  spam: readonly SampleMessage[],
  ham: readonly SampleMessage[],
): { variants: Share; unlearned: Share; wanted: Share } {
  const campaigns = [...Map.groupBy(spam, ({ campaign }) => campaign)].flatMap(([name, messages]) =>
    name === null || messages.length < 4 ? [] : [messages],
  );
  // Every fifth, so that all kinds of wanted mail are learned.
  const isLesson = (at: number) => at % Math.floor(ham.length / WANTED_LESSONS) === 0;
  const wantedLessons = ham.filter((_, at) => isLesson(at)).map(lessonOf);
  const others = ham.filter((_, at) => !isLesson(at));
  const results = campaigns.map((messages) => {
    const junk = messages.slice(0, -2).slice(0, MARKED).map(lessonOf);
    const judge = (message: SampleMessage) => isJunk(message, learnedFrom(message, junk, wantedLessons));
    const variants = messages.slice(-2);
    return {
      variants: variants.map(judge),
      unlearned: variants.map((message) => isJunk(message, [])),
      wanted: others.map(judge),
    };
  });
  return {
    variants: share(results.flatMap(({ variants }) => variants)),
    unlearned: share(results.flatMap(({ unlearned }) => unlearned)),
    wanted: share(results.flatMap(({ wanted }) => wanted)),
  };
}

type Lesson = Pick<ReturnType<typeof findSpamSigns>, 'tokens' | 'features'>;

function lessonOf({ mail }: SampleMessage): Lesson {
  return findSpamSigns(mail);
}

const NO_PROJECT: OfProject = { junk: 0, ham: 0, tokens: null, others: null };

/** What `Learned` reads from the database. */
function learnedFrom({ mail }: SampleMessage, junk: readonly Lesson[], ham: readonly Lesson[]): SpamReason[] {
  const { tokens, features } = findSpamSigns(mail);
  const given = new Set(features);
  const count = (lessons: readonly Lesson[], token: number) =>
    lessons.filter((lesson) => lesson.tokens.includes(token)).length;
  const similar = (kind: 'junk' | 'ham', lessons: readonly Lesson[]) =>
    lessons.map((lesson): [typeof kind, number[]] => [
      kind,
      lesson.features.filter((each) => given.has(each)),
    ]);
  const own: LessonsInCommon = {
    junk: junk.length,
    ham: ham.length,
    tokens: tokens.map((token) => [count(junk, token), count(ham, token)]),
    lessons: [...similar('junk', junk), ...similar('ham', ham)],
  };
  return reasonsOf(own, NO_PROJECT, features.length);
}

function isJunk(message: SampleMessage, learned: readonly SpamReason[]): boolean {
  const reasons = [...findSpamSigns(message.mail).reasons, ...learned, ...(message.isReply ? [KNOWN] : [])];
  return verdictOf(reasons, 'medium').score >= USUAL_JUNK_SCORE;
}

function share(results: readonly boolean[]): Share {
  return { junk: results.filter(Boolean).length, all: results.length };
}

if (import.meta.main) {
  const writer = (process.argv[2] ?? 'c') as Writer;
  const [spam, ham] = [readCorpus(writer, 'spam'), readCorpus(writer, 'ham')];
  const { variants, unlearned, wanted } = afterMarking(spam, ham);
  for (const [name, { junk, all }] of Object.entries({
    spam: atFirst(spam),
    'wanted mail': atFirst(ham),
    'wanted mail, if no sender is known': atFirst(ham, false),
    'the last two of each campaign, before it was marked': unlearned,
    'the last two of each campaign, after up to ten others were marked': variants,
    'wanted mail after each campaign was marked': wanted,
    'wanted mail after all campaigns were marked, if no sender and no wanted mail is known': afterMarkingAll(
      spam,
      ham,
    ),
  }))
    process.stdout.write(`${String(junk).padStart(4)} of ${all} in Junk: ${name}\n`);
}
