/** Why the service cannot start, in words for whoever runs it: what is wrong and what to do. Shown without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
