import type { Patch } from './patches.ts';

/** Runs statements before each message is composed; `email` is the stored email. */
export function beforeComposing(statements: string): Patch {
  return {
    file: 'src/sending/deliver/compose-email.ts',
    append: `
      const composerOfOthers = composerOf;
      composerOf = (email, composing) => {
        const composer = composerOfOthers(email, composing);
        const compose = async (recipientIndex) => {
          ${statements}
          return composer.compose(recipientIndex);
        };
        return { ...composer, compose };
      };`,
  };
}
